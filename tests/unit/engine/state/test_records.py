# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of a state, and their fold: what earlier runs left."""

from __future__ import annotations

import pytest
from ccm.engine.state.lines import Damaged, lines_of
from ccm.engine.state.records import (
    Doubt,
    Forgotten,
    Ids,
    Kept,
    KeptBefore,
    Lost,
    Owed,
    Saved,
    Settled,
    Undone,
    record_of,
)
from ccm.engine.state.stored_files import CheckedLines
from ccm.resources.undone.undo_record import UndoRecord
from hypothesis import given
from hypothesis import strategies as st

# Names of files may be any bytes, which are lone surrogates in texts.
TEXTS = st.text(st.characters(exclude_categories=()))
KEYS = st.text(st.characters(exclude_categories=(), exclude_characters="\0"), min_size=1)
DIGESTS = st.text("0123456789abcdef", min_size=1, max_size=16)
ENTRIES = st.sampled_from([2, 3, 4, 5]).flatmap(lambda length: st.lists(DIGESTS, min_size=length, max_size=length))
OWED = st.builds(Owed, DIGESTS, TEXTS, TEXTS, DIGESTS)
LOST = st.builds(Lost, DIGESTS, TEXTS, TEXTS)


def change(key="file#/a", **given):
    fields = {
        "declared": [("m.yaml", "1f", key)], "number": 1, "since": "now", "type": "file", "name": "/a",
        "given": {}, "before": {"mode": "0600"}, "reached": {"mode": "0644"}, **given,
    }  # fmt: skip
    return UndoRecord(key, **fields)


def folded(*records, saved=None):
    """Return the fold of records, each after it was a line of a file."""
    saved = saved or Saved()
    text = b"".join(lines_of([each.line() for each in records], 0))
    for words in CheckedLines(text).words():
        record_of(words).fold(saved)
    return saved


def read_again(saved):
    again = Saved()
    for words in CheckedLines(b"".join(lines_of(saved.lines(), 0))).words():
        record_of(words).fold(again)
    return again


def content(saved):
    return (
        *(saved.identity, saved.digest, saved.settled, saved.journal, saved.resources),
        {id: vars(each) for id, each in saved.owed.items()},
        {id: (each.key, vars(each)) for id, each in saved.kept.items()},
        {id: vars(each) for id, each in saved.lost.items()},
    )


@given(
    TEXTS,
    st.lists(OWED, unique_by=lambda each: each.id),
    st.data(),
    st.dictionaries(KEYS, st.tuples(st.sampled_from(["", "state", "/a"]), ENTRIES)),
    st.lists(LOST, unique_by=lambda each: each.id),
)
def test_what_is_written_is_read(identity, owed, data, resources, lost):
    saved = Saved(identity)
    saved.digest, saved.settled, saved.journal = "ab12", "cd34", "ef56"
    saved.owed = {each.id: each for each in owed}
    for each in owed:
        each.is_doubtful = data.draw(st.booleans())
    for key, (word, entry) in resources.items():
        saved.reach(key, word, entry)
    saved.kept = {"k1": change(), "k2": change("file#/b", before={"/b": ["absent"]}, reached={})}
    saved.lost = {each.id: each for each in lost}
    again = read_again(saved)
    assert content(again) == content(saved)
    assert again.is_complete
    assert dict(again.entries()) == {key: [word, *entry] for key, (word, entry) in resources.items()}


IDS = st.sampled_from("123")
RECORDS = st.lists(
    st.one_of(
        st.builds(lambda id: Owed(id, "exec#a", "file#b", "now"), IDS),
        st.builds(Doubt, IDS, IDS),
        st.builds(Settled, IDS),
        st.builds(lambda id, key: Kept.of(id, change(key)), IDS, st.sampled_from(["file#/a", "file#/b"])),
        st.builds(lambda id, key: KeptBefore.of(id, change(key, reached={})), IDS, st.sampled_from(["file#/a"])),
        st.builds(lambda id: Lost(id, "file#/a", "why"), IDS),
        st.builds(Forgotten, IDS),
        st.builds(Undone, IDS),
    )
)


@given(RECORDS)
def test_what_was_folded_already_changes_nothing(records):
    """A run that is killed after it wrote the file `state` leaves a journal that is part of it."""
    # A refresh is in doubt after it was noted, and one id belongs to one resource.
    owed = [each.id for each in records if isinstance(each, Owed)]
    records = [each for each in records if not isinstance(each, Doubt)]
    records += [Doubt(id) for id in owed[:2]]
    keys = {each.id: each.change.key for each in records if isinstance(each, Kept)}
    records = [each for each in records if not isinstance(each, Kept) or keys[each.id] == each.change.key]
    once = folded(*records)
    assert content(folded(*records, saved=folded(*records))) == content(once)


def test_a_refresh_is_owed_until_it_is_struck_off():
    owed = Owed("1", "exec#it", "file#a", "now")
    assert list(folded(owed, Owed("2", "exec#it", "file#b", "now"), Settled("1")).owed) == ["2"]
    assert folded(owed, Doubt("1", "2")).owed["1"].is_doubtful
    assert folded(owed, Settled("1"), Doubt("1")).owed == {}


def test_a_doubt_stays_when_the_refresh_is_noted_again():
    owed = Owed("1", "exec#it", "file#a", "now")
    assert folded(owed, Doubt("1"), owed).owed["1"].is_doubtful


def test_a_change_is_kept_before_and_after_it():
    before = KeptBefore.of("1", change(reached={}))
    (kept,) = folded(before).kept.values()
    assert (kept.before, kept.is_seen) == ({"mode": "0600"}, False)
    (kept,) = folded(before, Kept.of("1", change(before={}))).kept.values()
    assert (kept.before, kept.reached) == ({"mode": "0600"}, {"mode": "0644"})
    assert folded(before, Forgotten("1")).kept == {}


def test_the_first_reading_of_two_runs_at_once_wins():
    """The second run read the state before the first one noted its change."""
    saved = folded(
        KeptBefore.of("a-1", change(number=1, since="first")),
        KeptBefore.of("b-1", change(number=7, since="then", before={"mode": "0644", "owner": "me"}, reached={})),
        Kept.of("b-1", change(number=7, since="then", before={}, reached={"mode": "0755"})),
    )
    ((ids, found),) = saved.changes().values()
    assert ids == ["a-1", "b-1"]
    assert found.before == {"mode": "0600", "owner": "me"}
    assert (found.number, found.since, found.reached) == (1, "first", {"mode": "0755"})
    assert [each.before for each in saved.kept.values()] == [{"mode": "0600"}, {"mode": "0644", "owner": "me"}]


@pytest.mark.parametrize("struck", [Forgotten, Undone])
def test_a_run_strikes_off_nothing_of_another_run(struck):
    records = KeptBefore.of("a-1", change()), KeptBefore.of("b-1", change(before={"mode": "0644"}))
    assert folded(*records, struck("a-1")).changes()["file#/a"][1].before == {"mode": "0644"}
    assert folded(*records, struck("b-1")).changes()["file#/a"][1].before == {"mode": "0600"}
    assert folded(*records, struck("a-1", "b-1")).changes() == {}


def test_a_run_strikes_off_nothing_of_another_run_that_saved_meanwhile():
    """The other one ended between the note of the change and the note that strikes it off."""
    saved = read_again(
        folded(KeptBefore.of("a-1", change()), KeptBefore.of("b-1", change(before={"mode": "0644"}, number=2)))
    )
    left = folded(Forgotten("b-1"), saved=saved).changes()
    assert [found.before for _ids, found in left.values()] == [{"mode": "0600"}]


def test_what_is_undone_is_not_managed_any_more():
    saved = Saved()
    for key in ("file#/a", "file#/b"):
        saved.reach(key, "", ["w", "r"])
    folded(Kept.of("1", change()), Kept.of("2", change("file#/b")), Undone("1"), Forgotten("2"), saved=saved)
    assert (list(saved.resources), saved.kept) == (["file#/b"], {})


def test_what_is_lost_is_lost_until_it_is_struck_off():
    lost = Lost("1", "file#/a", "it was too large")
    assert folded(lost).lost["1"].reason == "it was too large"
    for struck in (Forgotten, Undone):
        assert folded(lost, struck("1")).lost == {}


def test_a_run_that_changed_nothing_has_the_digest_of_the_run_before():
    saved = Saved()
    saved.digest, saved.settled = "ab", "cd"
    saved.reach("file#a", "/a", ["w", "r", "f", "manifest"])
    saved.reach("file#b", "", ["w", "r"])
    saved.settle()
    assert (saved.digest, saved.settled) == ("cd", "")
    assert dict(saved.entries()) == {"file#a": ["/a", "w", "r"], "file#b": ["", "w", "r"]}


@pytest.mark.parametrize(
    "words",
    [
        [""],
        ["what", "is", "this"],
        ["owe", "too short"],
        ["owe", "1", "exec#it", "file#a", "now", "too long"],
        ["state", "ab", "0"],
        ["journal", "ab"],
        ["manifest"],
        ["written", "now", "then"],
        ["resource", "file#a"],
        ["resource", "file#a", "", "w"],
        ["resource", "file#a", "", "w", "r", "f", "c", "failed", "more"],
        ["kept", "1", "file#a"],
        ["kept", "1", "file#a", "{}"],
        ["keep", "1", "file#a", "not JSON"],
        ["lost", "1", "file#a"],
        ["end", "of it"],
    ],
)
def test_words_that_no_run_wrote_are_damaged(words):
    saved = Saved()
    with pytest.raises(Damaged):
        record_of(words).fold(saved)
    assert content(saved) == content(Saved())


def test_what_must_be_on_disk_before_a_change():
    assert record_of(["owe", "1", "exec#it", "file#a", "now"]).is_synced
    assert record_of(KeptBefore.of("1", change()).line()).is_synced
    assert not record_of(Kept.of("1", change()).line()).is_synced
    assert not record_of(["settle", "1"]).is_synced


def test_two_runs_have_no_id_in_common():
    runs = Ids(), Ids()
    ids = [run.new() for run in (*runs, *runs)]
    assert len(set(ids)) == 4
