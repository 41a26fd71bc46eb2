# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports inside functions are listed on one page, each with the runs that do not need it."""

from __future__ import annotations

import pytest

from tests.tools import late_imports

SLOW = {
    *("argparse", "dataclasses", "decimal", "hashlib", "http.client", "inspect", "json", "logging", "pathlib"),
    *("random", "re", "shutil", "socket", "ssl", "subprocess", "tempfile", "typing", "urllib.parse", "urllib.request"),
    "yaml",
}
# Imports of measured runs of the command: flags need argparse, expressions need re. All others import none.
NEEDED = {
    "`ccm apply` with an expression": {"re"},
    "`ccm apply --hiera`": {"argparse", "re"},
    "`ccm apply` with a health check": {"re", "subprocess"},
    "`ccm apply` with rules of goss": {"re"},
    "`ccm apply` of a package": {"re", "subprocess"},
    "`ccm apply` of a service": {"argparse", "re", "subprocess"},
    "`ccm ensure file`": {"argparse", "re"},
    "`ccm status`": {"re", "yaml"},
    "`ccm lint`": {"re"},
    "`ccm lint` of Go templates": {"re"},
    "`ccm lint` of Jet templates": {"re", "urllib.parse"},
}


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


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    return late_imports.runs(tmp_path_factory.mktemp("runs"))


def test_runs_of_the_command_import_no_slow_module_without_need(measured):
    imported = {
        name: {module for module in SLOW if "std:" + module in loaded} - NEEDED.get(name, set())
        for name, loaded in measured.items()
        if not name.startswith("module")
    }
    assert {name: modules for name, modules in imported.items() if modules} == {}


def test_late_imports_are_not_needed_by_each_run(measured):
    assert "cli.main" in measured["`ccm --version`"]
    assert "manifest.loader" not in measured["`ccm --version`"]
    assert "resources.file.posix" in measured["`ccm apply` of a file"] & measured["module `file`"]
    listed = {(file, text): reason for file, text, reason in rows_of_the_page()}
    # Excluded are imports for runs that this host cannot do, such as those of packages, and modules that other
    # versions of Python have imported already.
    elsewhere = {"`ccm apply` of a package", "module `package`", "`ccm apply` of a service", "module `service`"}
    wrong = [
        f"{late.file}:{late.line} {late.text}"
        for late in late_imports.imports()[1]
        if not all(name.startswith("std:") for name in late.modules)
        and not late_imports.reason(late, measured)
        and not any(name.strip("`") in listed[late.file, late.text].replace("`", "") for name in elsewhere)
    ]
    assert wrong == []
