# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lint has no findings in recorded manifests that apply with success, except where the case is about the finding."""

from __future__ import annotations

import itertools

import pytest
import yaml
from ccm.data.factfiles import given_facts
from ccm.lint.check import findings
from ccm.lint.known import KnownValues, sections

from tests.unit.recorded import PLACES, cases

RULES = {"data", "duplicate", "environ", "fact", "path", "registration", "shell", "url", "variable"}

# Cases about the subject of a rule: both resources of one name run, and registrations change nothing.
ABOUT_IT = {
    "duplicate-names": {"duplicate"},
    "duplicate-last-counts": {"duplicate"},
    "register-when-stable": {"registration"},
}


def text_of(file):
    text = file.get("content") if isinstance(file, dict) else file
    for place, found in PLACES.items():
        text = text.replace(place, found) if isinstance(text, str) else text
    return text


def successes():
    """Return each recorded `ccm apply` without a failure: its case, the other arguments, and the files of the case."""
    for path, case in cases():
        for step in case["steps"]:
            command, want = step.get("run") or [], step.get("want") or {}
            summary = want.get("summary") or {}
            if command[:2] == ["ccm", "apply"] and want.get("exit") == 0 and summary.get("Failed Resources") == "0":
                yield path.stem, command[2:], case.get("files") or {}


@pytest.fixture
def known(tmp_path):
    """Return the values that the flags of a recorded command set."""

    def values_of_flags(words, files):
        flags = list(itertools.pairwise(words))
        pairs = dict(value.split("=", 1) for flag, value in flags if flag == "--fact")
        facts = given_facts(pairs)
        data = []
        for flag, value in flags:
            if flag == "--facts":
                (tmp_path / "facts").write_text(text_of(files[value]), encoding="utf-8")
                facts = given_facts(pairs, str(tmp_path / "facts"))
            elif flag == "--hiera" and value in files:
                data = sections(yaml.safe_load(text_of(files[value])))
        return KnownValues(facts, data)

    return values_of_flags


def test_no_finding_where_all_resources_succeeded(known):
    wrong, judged = [], 0
    for name, words, files in successes():
        for word in words:
            text = text_of(files[word]) if word in files else None
            if not isinstance(text, str) or "ccm:" not in text:
                continue
            judged += 1
            found = {
                each.rule
                for each in findings(text.encode(), word, "/nonexistent", known=known(words, files))
                if each.rule in RULES and each.position.file == word
            }
            if found != ABOUT_IT.get(name, set()):
                wrong.append((name, found))
    assert wrong == []
    assert judged > 80
