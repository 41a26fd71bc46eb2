# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is asked of a type beside managing its resources, and what a type says that has nothing of its own to say."""

from __future__ import annotations

import pytest
from ccm.model.facets import PATH, UNIT, Identity, Relations, Reversal, TypeDescription
from ccm.model.property import Property
from ccm.model.state import State


def test_an_identity_is_its_kind_and_its_name():
    assert Identity(PATH, "/a") == Identity("path", "/a")
    assert len({Identity(PATH, "/a"), Identity(PATH, "/a"), Identity(UNIT, "/a"), Identity(PATH, "/b")}) == 3
    assert Identity(PATH, "/a") != (PATH, "/a")
    assert repr(Identity(UNIT, "a.service")) == "Identity('unit', 'a.service')"


def test_a_type_without_relations_orders_and_sends_nothing():
    none = Relations()
    lists = ("provides", "installs", "wants", "watches", "watched_trees", "watched_units")
    assert [list(getattr(none, name)(object())) for name in lists] == [[]] * 6
    assert (none.only_refreshed(object()), none.sent(object(), object()), none.sends) == ({}, {}, ())
    assert (none.observed(object(), object()), none.content(object(), object())) == (None, "")
    assert (none.shows_changes, none.determines(object()), none.remains(object())) == (True, False, "")


@pytest.mark.parametrize(("ensure", "is_there"), [("present", True), ("running", True), ("", True), ("absent", False)])
def test_only_what_is_absent_is_not_there(ensure, is_there):
    assert Relations().is_there(State("x", ensure)) is is_there


def test_a_type_without_a_reversal_of_its_own_changes_no_paths():
    none = Reversal()
    assert none.is_reversible(object(), object())
    assert (list(none.paths(object(), object())), none.parts(object(), object())) == ([], {})
    assert none.undone(object(), {}) == {}


def test_a_description_has_the_fields_of_states_and_no_words_for_lint():
    description = TypeDescription((Property("size"),))
    assert [prop.name for prop in description.state_fields] == ["size"]
    empty = (description.task_values, description.required_by_original, description.local_files, description.commands)
    assert (empty, description.paths, description.version_words) == (((), (), (), ()), (), ())
    assert (description.portability, description.addresses, description.templates) == ({}, {}, None)
