# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of what is watched stay when a manifest is read again, and go with what is gone."""

from __future__ import annotations

from ccm.engine.watching.keys import Keys


def keys_of(*names):
    """Return keys of one resource with children of these names, and the key of the resource."""
    keys = Keys()
    top = keys.new()
    keys.set_indexes([top])
    for name in names:
        keys.make(top, name)
    return keys, top


def test_a_key_is_never_used_again():
    keys = Keys()
    assert keys.new() != keys.new()


def test_a_key_leads_to_the_index_that_its_resource_has_now():
    keys = Keys()
    first, second = keys.new(), keys.new()
    keys.set_indexes([first, second])
    assert (keys.index_of(first), keys.index_of(second)) == ((0, ""), (1, ""))
    keys.set_indexes([second])
    assert (keys.index_of(first), keys.index_of(second)) == ((None, ""), (0, ""))


def test_children_have_keys_of_their_own():
    keys, top = keys_of("child")
    (_top, child) = keys.all_of(top)
    assert _top == top
    assert keys.index_of(child) == (0, "child")
    assert keys.need(top, "") == top
    assert (keys.need(top, "child"), keys.need(top, "other")) == (child, None)


def test_a_child_that_is_made_again_has_a_new_key():
    keys, top = keys_of("child")
    before = keys.need(top, "child")
    after, former = keys.make(top, "child")
    assert (former, after != before) == (before, True)
    assert keys.index_of(after) == (0, "child")
    assert keys.index_of(before) == (None, "")
    assert keys.make(top, "") == (top, None)


def test_children_that_were_not_needed_in_a_step_are_forgotten():
    keys, top = keys_of("stays", "goes")
    keys.need(top, "stays")
    gone = keys.remove_needless(top)
    assert list(gone) == ["goes"]
    assert keys.index_of(gone["goes"]) == (None, "")
    assert len(keys.all_of(top)) == 2
    keys.end_step()
    assert list(keys.remove_needless(top)) == ["stays"]


def test_a_resource_goes_with_its_children():
    keys, top = keys_of("a", "b")
    other = keys.new()
    all_keys = keys.all_of(top)
    assert sorted(keys.remove([top])) == sorted(all_keys)
    assert keys.all_of(top) == [top]
    assert keys.remove([other]) == [other]
