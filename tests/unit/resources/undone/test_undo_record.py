# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a change in a store: its form, and the parts that remain to be undone."""

from __future__ import annotations

import json
import re

import pytest
from ccm.resources.undone.undo_record import UndoRecord, read_undo_record

from tests.unit.stored import replace_words
from tests.unit.undoing import Site, directory_of


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_a_change_that_was_cut_short_needs_force(site):
    """A run that is killed between a change and the note of what it left."""
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    replace_words(state, lambda words: [re.sub(r'"reached":\{[^}]*\}', '"reached":{}', word) for word in words])
    assert f"{site.path('a')}, which was not seen after the change; ccm undo" in site.undo().out
    # The next run finds the resource as it left it.
    site.apply(site.file("a"), site.file("b"))
    assert site.undo().status == 0
    assert site.snapshot() == {}


def damage(site, change):
    """Give the record of the only change other fields; return the file."""
    state = directory_of(site) / "state"
    replace_words(state, lambda words: [*words[:3], change(words[3])] if words[0] == "kept" else words)
    return state


def assert_damaged(site, state):
    """Assert that each command says so, that a run goes on, and that the file is put aside."""
    damaged = state.read_bytes()
    assert "  Damage: 1 line cannot be read\n" in site.ccm("state", "show", site.manifest).out
    ran = site.undo("--noop")
    assert f" WARN  Lines of the state of earlier runs cannot be read file={state} lines=1\n" in ran.out
    assert "Nothing to undo" in ran.out
    site.write(site.file("a"), site.file("b"))
    ran = site.ccm("apply", site.manifest)
    (aside,) = state.parent.glob("state.damaged-*")
    assert f" WARN  Lines of the state of earlier runs cannot be read file={aside} lines=1\n" in ran.out
    assert aside.read_bytes() == damaged
    assert " WARN " not in site.ccm("apply", site.manifest).out


@pytest.mark.parametrize("text", ["", "{}", "[]", "not JSON", '{"declared": 1}', "[" * 100_000])
def test_a_damaged_change_is_put_aside(site, text):
    site.apply(site.file("a"))
    assert_damaged(site, damage(site, lambda _fields: text))


def test_a_part_of_another_form_is_damaged(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    assert_damaged(site, damage(site, lambda fields: re.sub(r'\["file"[^]]*\]', "[]", fields)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("declared", [1]),
        ("declared", []),
        ("declared", [["a"]]),
        ("before", {"/p": [[1], 2]}),
        ("before", {"/p": [{}]}),
        ("before", {"/p\ud800": ["absent"]}),
    ],
)
def test_a_change_in_a_wrong_form_is_damage(site, field, value):
    site.apply(site.file("a"))
    assert_damaged(site, damage(site, lambda fields: json.dumps({**json.loads(fields), field: value})))


FILE = ["file", 33188, 0, 0, "ab" * 32]


def record(**given):
    fields = {
        "declared": [("m.yaml", "1f", "file#/a")], "number": 1, "since": "now", "type": "file", "name": "/a",
        "given": {}, "before": {"mode": "0600"}, "reached": {"mode": "0644"}, **given,
    }  # fmt: skip
    return UndoRecord("file#/a", **fields)


def test_what_is_written_is_read():
    before = record(before={"/a": ["absent"], "mode": "0600"}, given={"sensitive": True})
    text = before.fields()
    assert vars(read_undo_record("file#/a", text)) == vars(before)
    assert json.loads(text)["place"] == 1


@pytest.mark.parametrize(
    ("now", "left"),
    [
        ({"mode": "0644"}, {"mode": "0600"}),
        ({"mode": "0600"}, {}),
        ({"mode": "0000"}, {"mode": "0600"}),
        ({}, {"mode": "0600"}),
    ],
)
def test_what_is_left_to_undo(now, left):
    assert record().left_to_undo(now) == left


def test_what_the_change_did_not_change_is_not_undone():
    assert record(reached={"mode": "0600"}).left_to_undo({"mode": "0777"}) == {}


@pytest.mark.parametrize(
    ("reached", "now", "changed"),
    [
        ({"mode": "0644"}, {"mode": "0644"}, {}),
        ({"mode": "0644"}, {"mode": "0777"}, {"mode": ("0644", "0777")}),
        ({}, {"mode": "0777"}, {"mode": (None, "0777")}),
        ({"mode": "0644"}, {"mode": "0600"}, {}),
    ],
)
def test_what_something_else_changed_since(reached, now, changed):
    assert record(reached=reached).changed_since(now) == changed


def test_an_older_change_says_what_was_there_first():
    newer = record(before={"mode": "0644", "owner": "b"}, number=7, since="later")
    joined = newer.joined(record(before={"mode": "0600"}))
    assert (joined.before, joined.number, joined.since) == ({"mode": "0600", "owner": "b"}, 1, "now")


def test_the_files_with_contents_and_whether_all_was_seen():
    found = record(before={"/a": FILE, "/b": ["absent"]}, reached={"/a": ["absent"]})
    assert found.contents() == [f"before-{'ab' * 16}"]
    assert (found.is_seen, record().is_seen) == (False, True)
    assert (found.is_sensitive, record(given={"sensitive": True}).is_sensitive) == (False, True)


def test_other_parts_may_be_set_in_a_copy():
    first = record()
    copy = first.copy()
    copy.before, copy.number = {}, 9
    assert (first.before, first.number) == ({"mode": "0600"}, 1)


@pytest.mark.parametrize("field", ["declared", "place", "since", "type", "name", "given", "before", "reached"])
def test_a_record_without_a_field_is_damaged(field):
    fields = json.loads(record().fields())
    del fields[field]
    for wrong in (fields, {**fields, field: None}, {**fields, "other": 1}):
        with pytest.raises(ValueError, match=r"^$"):
            read_undo_record("file#/a", json.dumps(wrong))
