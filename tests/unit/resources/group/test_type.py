# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The group type: what it refuses, undo and relations; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.model.facets import Identity
from ccm.resources.group.facets import RELATIONS, REVERSAL
from ccm.resources.group.type import TYPE as GROUP
from ccm.resources.group.type import GroupState

from ..test_account_checks import made, made_by_undo


def properties(**given):
    return made(GROUP, {"name": "g", **given})


def state(ensure="present", **metadata):
    there = {"gid": 10, "members": ["a"], "local": True} if ensure == "present" else {}
    return GroupState("g", ensure, {"metadata": {"name": "g", "provider": "groupadd", **there, **metadata}})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ensure": "there"}, 'invalid ensure value: must be one of "present" or "absent"'),
        ({"name": "g" * 33}, "group name has 33 characters; 32 are allowed"),
        ({"name": "g:"}, 'group name is not allowed: "g:" (allowed: letters, digits, . _ - after a letter'),
        ({"gid": -2}, "gid -2 is no valid number"),
        ({"members": ["-a"]}, "a name in members is not allowed"),
        ({"membership": ""}, 'membership must be "minimum" or "inclusive"'),
        ({"membership": "inclusive"}, "membership: inclusive needs members"),
    ],
)
def test_what_no_group_can_have_is_refused(given, message):
    with pytest.raises(InvalidResource) as caught:
        properties(**given)
    assert str(caught.value).startswith(message)


def undone(wanted, before):
    parts = REVERSAL.parts(wanted, before)
    return made_by_undo(GROUP, {"name": "g", **REVERSAL.undone(wanted, parts)}), parts


def test_a_new_group_is_removed():
    back, parts = undone(properties(gid=10, members=["a"]), state("absent"))
    assert GROUP.decide(state(), back, False).verbs == ("remove",)
    assert GROUP.decide(state("absent"), back, False).verbs == ()
    assert REVERSAL.parts(back, state()).keys() >= parts.keys()


def test_a_removed_group_comes_back_with_its_number_and_members():
    back, parts = undone(properties(ensure="absent"), state())
    assert (back.ensure, back.gid, back.members, back.membership) == ("present", 10, ["a"], "inclusive")
    assert REVERSAL.parts(back, state("absent")).keys() == parts.keys()


def test_a_member_leaves_that_the_change_added():
    back, _parts = undone(properties(members=["a", "b"], gid=11), state())
    assert (back.members, back.without_members, back.gid) == (None, ["b"], 10)
    assert GROUP.decide(state(members=["a", "b", "c"], gid=11), back, False).parts == ("gid", "members")
    assert GROUP.decide(state(members=["a", "c"]), back, False).verbs == ()


def test_relations():
    group = Identity("group", "g")
    assert RELATIONS.provides(properties()) == [group]
    assert RELATIONS.wants(properties(members=["a"])) == [Identity("user", "a")]
    assert RELATIONS.watches(properties()) == ["/etc/group"]
    assert RELATIONS.sent(properties(), state()) == {"gid": 10}
    assert (RELATIONS.remains(properties()), RELATIONS.remains(properties(ensure="absent"))) == ("", None)
