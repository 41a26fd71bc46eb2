# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of tests/mutations can be planted, and what they replace is found by one rule."""

from __future__ import annotations

import os

import pytest

from tests.mutations.__main__ import in_copies
from tests.mutations.copies import Copy, StoppedError
from tests.mutations.faults import Fault, GoneError, problems, read
from tests.unit.layout import ROOT


def test_each_fault_can_be_planted():
    assert problems(read(), ROOT) == []


def test_there_are_forty():
    assert len(read()) == 40


TEXT = """\
def both(a, b):
    if a:
        return (
            b
        )
    return a
"""


def fault(old, new="pass", file="m.py"):
    return Fault("f", file, "nothing works", old, new)


@pytest.mark.parametrize("old", ["a", "return", "c", "if a:\nreturn (", "    return (\n    b"])
def test_an_old_text_must_be_there_once(old):
    with pytest.raises(GoneError, match=r"f: its old text is not exactly once in m\.py"):
        fault(old).planted(TEXT)


def test_further_lines_are_indented_as_the_first_one():
    planted = fault("return (\n    b\n)", "if b:\n    return b").planted(TEXT)
    assert planted == TEXT.replace(
        "        return (\n            b\n        )\n", "        if b:\n            return b\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("if a:", "if b:", {2}),
        ("def both(a, b):", "def both(b, a):", {1}),
        ("return (\n    b\n)", "return (\n    a\n)", {3, 4, 5}),
        ("    )\nreturn a", "    )\nreturn b", {6}),
    ],
)
def test_the_changed_lines_are_those_of_statements(old, new, lines):
    assert fault(old, new).lines(TEXT) == lines


def test_a_fault_that_is_gone_is_named_with_what_to_do(tmp_path):
    (tmp_path / "m.py").write_text(TEXT)
    given = [fault("if a:", "if b:"), fault("gone"), fault("x", file="no.py"), fault("if a:", "if  a:")]
    assert problems(given, tmp_path) == [
        "f: 4 faults have this name",
        "gone: f, in m.py: replace it in the same commit (faults.yaml)",
        "gone: f, in no.py: replace it in the same commit (faults.yaml)",
        "f: the new text is the same code",
    ]


@pytest.mark.starts_processes
def test_what_runs_in_a_copy_ends_with_the_search(tmp_path, monkeypatch):
    """Git asks the copy, not what the caller's variables name."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "of-the-caller"))
    copy = Copy(tmp_path / "copy")
    assert not (tmp_path / "of-the-caller").exists()
    os.mkfifo(tmp_path / "fifo")
    ended = []

    def run(copy, task):
        try:
            copy.run(["sh", "-c", f"exec > {tmp_path}/fifo; echo; sh -c 'while :; do sleep 0.01; done'"])
        except StoppedError:
            ended.append(task)

    def tasks():
        yield "a"
        with open(tmp_path / "fifo") as output:
            assert output.readline() == "\n"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_copies([copy], run, tasks()))
    assert ended == ["a"]
