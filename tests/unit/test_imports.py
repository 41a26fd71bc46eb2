# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports inside functions are listed in one place, each with what it spares."""

from __future__ import annotations

from tests.tools import late_imports


def rows_of_the_page():
    lines = late_imports.PAGE.read_text(encoding="utf-8").splitlines()
    return {
        tuple(part.strip(" `") for part in line.strip("|").split(" | ")) for line in lines if line.startswith("| `")
    }


def test_every_import_inside_a_function_is_listed_with_a_reason():
    listed = {(file, text): reason for file, text, reason in rows_of_the_page()}
    found = {(late.file, late.text) for late in late_imports.imports()[1]}
    assert found == set(listed), "run python -m tests.tools.late_imports --write"
    assert [row for row, reason in listed.items() if not reason] == []


def test_what_runs_here_is_spared_what_is_imported_late(tmp_path):
    measured = late_imports.runs(tmp_path)
    assert "cli.main" in measured["`ccm --version`"]
    assert "manifest.loader" not in measured["`ccm --version`"]
    assert "resources.file.posix" in measured["`ccm apply` of a file"] & measured["module `file`"]
    listed = {(file, text): reason for file, text, reason in rows_of_the_page()}
    # Taken from the list is what only runs are spared that this machine cannot do, such as those of packages, and what
    # other versions of Python have loaded already.
    elsewhere = {"`ccm apply` of a package", "module `package`", "`ccm apply` of a service", "module `service`"}
    wrong = [
        f"{late.file}:{late.line} {late.text}"
        for late in late_imports.imports()[1]
        if not all(name.startswith("std:") for name in late.modules)
        and not late_imports.reason(late, measured)
        and not any(name.strip("`") in listed[late.file, late.text].replace("`", "") for name in elsewhere)
    ]
    assert wrong == []
