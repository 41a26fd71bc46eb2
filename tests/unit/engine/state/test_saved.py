# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.engine.state.saved import Damaged, OwedRefresh, Saved, digest_in, lines, saved_in
from ccm.model.errors import StoreError
from hypothesis import given
from hypothesis import strategies as st

# Names of files may be any bytes, which are lone surrogates in texts.
TEXTS = st.text(st.characters(exclude_categories=()))
DIGESTS = st.text("0123456789abcdef", min_size=1, max_size=16)
ENTRIES = st.lists(DIGESTS, min_size=2, max_size=2) | st.lists(DIGESTS, min_size=5, max_size=5)
OWED = st.builds(OwedRefresh, DIGESTS, TEXTS, TEXTS, DIGESTS, is_doubtful=st.booleans())


def filled(identity, owed, resources):
    saved = Saved(identity)
    saved.digest = "ab12"
    saved.owed = {each.id: each for each in owed}
    saved.resources = resources
    return saved


def content(saved):
    return saved.identity, saved.digest, {id: vars(each) for id, each in saved.owed.items()}, saved.resources


@given(TEXTS, st.lists(OWED, unique_by=lambda each: each.id), st.dictionaries(TEXTS, ENTRIES))
def test_what_is_written_is_read(identity, owed, resources):
    saved = filled(identity, owed, resources)
    text = saved.text()
    assert content(saved_in(text)) == content(saved)
    assert digest_in(text) == ("ab12", bool(owed))


@given(st.integers(0, 400))
def test_a_file_that_was_cut_off_is_damaged(length):
    text = filled("/m.yaml", [OwedRefresh("1", "exec#a", "file#b", "now")], {"file#b": ["1", "2"]}).text()
    if length < len(text):
        with pytest.raises(Damaged):
            saved_in(text[:length])


JOURNALS = st.lists(
    st.one_of(
        st.tuples(st.just("owe"), st.sampled_from("123"), st.just("exec#a"), st.just("file#b"), st.just("now")),
        st.tuples(st.just("doubt"), st.sampled_from("123")),
        st.tuples(st.just("settle"), st.sampled_from("123")),
    )
)


@given(JOURNALS)
def test_a_journal_that_was_saved_already_changes_nothing(records):
    saved = Saved()
    saved.follow(lines(records))
    once = content(saved)
    saved = saved_in(saved.text())
    saved.follow(lines(records))
    assert content(saved) == once


@given(st.binary(max_size=60))
def test_no_journal_is_too_strange(journal):
    saved = Saved()
    saved.follow(journal)
    assert saved.owed == {}


def test_a_line_that_was_cut_off_loses_no_other_one():
    whole = lines([["owe", "1", "exec#a", "file#b", "now"]])
    saved = Saved()
    assert saved.follow(whole[:-9] + b"\n" + lines([["owe", "2", "exec#a", "file#b", "now"]])) == 1
    assert list(saved.owed) == ["2"]


@pytest.mark.parametrize("text", [b"", b"\n", b"ccm-state", b"ccm-state\tx\td\t0\nend\n", b"{}\n", b"\x00" * 100])
def test_another_file_is_damaged(text):
    with pytest.raises(Damaged):
        saved_in(text)


def test_a_later_format_is_refused():
    with pytest.raises(StoreError, match=r"a later version of ccm \(format 3, this one knows 2\)"):
        saved_in(b"ccm-state\t3\tabc\t0\tmore\nwhatever\n")
