# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What relates resources, and what a type without relations of its own says."""

from __future__ import annotations

import pytest
from ccm.model.relations import PATH, UNIT, Identity, Relations
from ccm.model.state import State
from ccm.resources.types import TYPE_NAMES, relations, resource_type


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


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_what_types_send_has_a_description_and_a_name_once(name):
    sends = relations(resource_type(name)).sends
    assert all(prop.help.endswith(".") for prop in sends)
    assert len({prop.name for prop in sends}) == len(sends)
