# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The formats 1 and 2 of a state are read as records of now."""

from __future__ import annotations

import pytest
from ccm.engine.state.former_format import former_lines
from ccm.engine.state.records import Saved, record_of

UNDO = (
    '{"declared":[["m.yaml","1f","file#/a"]],"place":1,"since":"now","type":"file","name":"/a","given":{},'
    '"before":{"mode":"0600"},"reached":{"mode":"0644"}}'
)
STATE = f"""ccm-state\t2\tab12\t1
manifest\t/m.yaml
written\t2026-01-02T03:04:05Z
owe\t1\texec#it\tfile#a\tnow
doubt\t1
resource\tfile#a\t/a\tw\tr
resource\texec#it\t\tw\tr\tf\tr\tmanifest
resource\texec#no\t\tw\tr\tf\tr\tdrift\tfailed
resource\texec#two\t\tw\tr\tskipped
kept\tfile#/a\t{UNDO}
lost\tfile#/b\tfile#/c
end
""".encode()


def saved_in(text, *, is_journal=False):
    lines, unreadable = former_lines(text, is_journal=is_journal)
    saved = Saved()
    for words in lines:
        record_of(words).fold(saved)
    return saved, unreadable


@pytest.mark.parametrize("version", [b"1", b"2"])
def test_a_saved_state(version):
    saved, unreadable = saved_in(STATE.replace(b"\t2\t", b"\t%b\t" % version, 1))
    assert unreadable == 0
    assert (saved.identity, saved.written, saved.is_complete) == ("/m.yaml", "2026-01-02T03:04:05Z", True)
    assert saved.owed["1"].words() == ["1", "exec#it", "file#a", "now"]
    assert saved.owed["1"].is_doubtful
    assert dict(saved.entries()) == {
        "file#a": ["/a", "w", "r"],
        "exec#it": ["", "w", "r", "f", "manifest"],
        "exec#no": ["", "w", "r", "f", "drift", "failed"],
        "exec#two": ["", "w", "r", "skipped"],
    }
    assert saved.kept["file#/a"].before == {"mode": "0600"}
    assert sorted(saved.lost) == ["file#/b", "file#/c"]
    assert {each.reason for each in saved.lost.values()} == {"what it replaced could not be kept"}


def test_its_digest_is_not_used():
    """It is of other parts, and the first run that compares it would find a difference anyway."""
    assert saved_in(STATE)[0].digest == ""


def test_a_journal():
    text = f"\nmanifest\t/m.yaml\n\nkeep\tfile#/a\t{UNDO}\n\nowe\t1\texec#it\tfile#a\tnow\n\nsettle\t1\n".encode()
    saved, unreadable = saved_in(text, is_journal=True)
    assert (unreadable, saved.identity, list(saved.kept), saved.owed) == (0, "/m.yaml", ["file#/a"], {})
    for kind in (b"undone", b"forgotten"):
        assert saved_in(text + kind + b"\tfile#/a\n", is_journal=True)[0].kept == {}


def test_a_record_that_two_runs_kept_is_one():
    newer = UNDO.replace("0600", "0640")
    saved, _unreadable = saved_in(f"keep\tfile#/a\t{UNDO}\nkept\tfile#/a\t{newer}\n".encode(), is_journal=True)
    assert saved.kept["file#/a"].before == {"mode": "0600"}


def test_words_with_escapes():
    text = b"ccm-state\t2\tab\t0\nmanifest\t/a\\tb\\nc\\\\d\nend\n"
    assert saved_in(text)[0].identity == "/a\tb\nc\\d"


@pytest.mark.parametrize(
    ("text", "unreadable"),
    [
        (b"\xff\n", 2),
        (b"manifest\t/a\nend\n", 1),
        (b"ccm-state\t2\tab\n", 1),
        (b"", 1),
        (STATE + b"\xff\n", 1),
    ],
)
def test_a_damaged_saved_state(text, unreadable):
    assert former_lines(text, is_journal=False)[1] == unreadable


def test_a_damaged_journal():
    lines, unreadable = former_lines(b"\xff\nowe\t1\texec#it\tfile#a\tnow\n", is_journal=True)
    assert (list(lines), unreadable) == ([["owe", "1", "exec#it", "file#a", "now"]], 1)
