# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a change in a store: its form, and the parts that remain to be undone."""

from __future__ import annotations

import json
import re

import pytest
from ccm.engine.state.saved import BEFORE_CHANGE, Damaged
from ccm.engine.state.undo_record import UndoRecord, read_undo_record

from tests.unit.undoing import Site, directory_of


@pytest.fixture
def site(ccm, tmp_path, me):
    return Site(ccm, tmp_path, me)


def test_a_change_that_was_cut_short_needs_force(site):
    """A run that is killed between a change and the note of what it left."""
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    state.write_text(re.sub(r'"reached":\{[^}]*\}', '"reached":{}', state.read_text()))
    assert f"{site.path('a')}, which was not seen after the change; ccm undo" in site.undo().out
    # The next run finds the resource as it left it.
    site.apply(site.file("a"), site.file("b"))
    assert site.undo().status == 0
    assert site.snapshot() == {}


@pytest.mark.parametrize("text", ["", "{}", "[]", "not JSON", '{"declared": 1}'])
def test_a_damaged_change_is_put_aside(site, text):
    site.apply(site.file("a"))
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    state = directory / "state"
    state.write_text(re.sub(r"(?m)^kept\t(\S+)\t.*$", lambda found: f"kept\t{found[1]}\t{text}", state.read_text()))
    ran = site.undo()
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(f"ccm: error: {state} is damaged\n")


def test_a_part_of_another_form_is_damaged(site):
    site.path("a").write_text("old\n")
    site.apply(site.file("a"))
    state = directory_of(site) / "state"
    state.write_text(re.sub(r'\["file"[^]]*\]', "[]", state.read_text()))
    assert site.undo().err.startswith(f"ccm: error: {state} is damaged\n")


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
def test_a_change_in_a_wrong_form_is_damage(ccm, tmp_path, me, field, value):
    owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}
    entry = {str(tmp_path / "one"): {"content": "x", **owner, "meta": {"reverse": True}}}
    (tmp_path / "f.yaml").write_text(json.dumps({"ccm": {"resources": [{"file": [entry]}]}}))
    ccm("apply", "f.yaml")
    (state,) = (tmp_path / "home/state/manifests").glob("*/state")
    lines = state.read_text().splitlines()
    (at,) = [at for at, line in enumerate(lines) if line.startswith("kept\t")]
    action, key, text = lines[at].split("\t")
    lines[at] = "\t".join((action, key, json.dumps({**json.loads(text), field: value})))
    state.write_text("\n".join(lines) + "\n")
    for words in (("state", "list"), ("undo", "f.yaml"), ("apply", "f.yaml")):
        done = ccm(*words)
        assert "Traceback" not in done.out + done.err
        assert "damaged" in done.out + done.err


FILE = ["file", 33188, 0, 0, "ab" * 32]


def record(**given):
    fields = {
        "declared": [("m.yaml", "1f", "file#/a")], "number": 1, "since": "now", "type": "file", "name": "/a",
        "given": {}, "before": {"mode": "0600"}, "reached": {"mode": "0644"}, **given,
    }  # fmt: skip
    return UndoRecord("file#/a", **fields)


def test_what_is_written_is_read():
    before = record(before={"/a": ["absent"], "mode": "0600"}, given={"sensitive": True})
    action, key, text = before.record(BEFORE_CHANGE)
    assert (action, key) == (BEFORE_CHANGE, "file#/a")
    assert vars(read_undo_record(key, text)) == vars(before)
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


@pytest.mark.parametrize("field", ["declared", "place", "since", "type", "name", "given", "before", "reached"])
def test_a_record_without_a_field_is_damaged(field):
    _action, key, text = record().record()
    fields = json.loads(text)
    del fields[field]
    for wrong in (fields, {**fields, field: None}, {**fields, "other": 1}):
        with pytest.raises(Damaged):
            read_undo_record(key, json.dumps(wrong))
