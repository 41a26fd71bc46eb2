# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The user type: what it refuses, undo and relations; its decisions are in cases/decisions.yaml."""

import pytest
from ccm.model.errors import InvalidResource
from ccm.model.facets import Identity
from ccm.resources.user.facets import RELATIONS, REVERSAL
from ccm.resources.user.type import TYPE as USER
from ccm.resources.user.type import UserState, expiry_day

from ..test_account_checks import made, made_by_undo

HASH = "$6$abcdefgh$ijklmnopqrstuvwxyz012345"


def properties(**given):
    return made(USER, {"name": "u", **given})


def state(ensure="present", **fields):
    metadata = {"name": "u", "provider": "useradd"}
    if ensure == "present":
        metadata.update(uid=10, gid=20, group="g", groups=["a"], home="/home/u", shell="/bin/sh", comment="U")
        metadata.update(local=True)
    found = UserState("u", ensure, {"metadata": {**metadata, **fields.pop("metadata", {})}})
    vars(found).update(fields)
    return found


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ensure": "there"}, 'invalid ensure value: must be one of "present" or "absent"'),
        ({"name": "u" * 300}, "user name has 300 characters; 32 are allowed"),
        *(
            ({"name": name}, "user name is not allowed: ")
            for name in ("-u", "u:x", "u\nx", "u/x", "u x", "ü", "12", "$")
        ),
        ({"uid": -1}, "uid -1 is no valid number: it must be from 0 to 4294967294"),
        ({"uid": 2**32 - 1}, "uid 4294967295 is no valid number"),
        ({"gid": "9" * 5000}, "gid 99999999999 is no valid number"),
        ({"gid": "a:b"}, "a name in gid is not allowed"),
        ({"groups": ["a,b"]}, 'a name in groups is not allowed: "a,b" (allowed: letters, digits, . _ - @'),
        ({"groups": ["27"]}, 'a name in groups is not allowed: "27" (allowed: names, not numbers)'),
        ({"groups": [""]}, "a name in groups is not allowed"),
        ({"membership": "exact"}, 'membership must be "minimum" or "inclusive"'),
        ({"membership": "inclusive"}, "membership: inclusive needs groups"),
        ({"home": "home/u"}, "home must be an absolute path without colon and line feed"),
        ({"shell": "/bin/a:b"}, "shell must be an absolute path without colon and line feed"),
        ({"comment": "a:b"}, "comment can have no colon, no line feed and no NUL"),
        ({"comment": "a\0"}, "comment can have no colon, no line feed and no NUL"),
        ({"gid": "²"}, "a name in gid is not allowed"),
        ({"home": ""}, "home must be an absolute path"),
        ({"home": "/home/u/"}, "home must be canonical"),
        ({"home": "/srv/../u"}, "home must be canonical"),
        ({"shell": "/bin//sh"}, "shell must be canonical"),
        *(
            ({"expiry": day}, "expiry must be a day like 2027-12-31, or absent")
            for day in ("2027-02-30", "2027-1-1", "never", "20270101x", "1969-12-31", "2027-12-31 12:00")
        ),
    ],
)
def test_what_no_user_can_have_is_refused(given, message):
    with pytest.raises(InvalidResource) as caught:
        properties(**given)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "password",
    [
        "s3cr3t",
        "correcthorse1",
        "$6$ab",
        "$ecretPassw0rd",
        "!Secret",
        "$6$salt$short",
        f"{HASH}\n",
        f"{HASH}:",
        "$6$äääääääääääää",
    ],
)
def test_a_password_that_is_no_hash_is_refused_and_not_shown(password):
    with pytest.raises(InvalidResource) as caught:
        properties(password=password)
    error = caught.value
    assert str(error) == "password must be a hash as in /etc/shadow, not the password itself"
    assert (error.value, error.advice) == (None, "make one with: openssl passwd -6")


@pytest.mark.parametrize(
    "password", [HASH, "*", "!", "!!", "!*", "$y$j9T$a/D.$" + "a" * 43, f"!{HASH}", "_J9..K0AyUubDiBIXxY."]
)
def test_hashes(password):
    assert properties(password=password).password == password


def test_names_and_values():
    for name in ("a", "_apt", "web-1.x", "host$", "1a", "A" * 32):
        assert properties(name=name).name == name
    assert properties(groups=["a@b", "DOMAIN\\x"], membership="inclusive").groups == ["a@b", "DOMAIN\\x"]
    assert expiry_day("2030-01-31") == 21945
    assert (properties().groups, properties(groups=[]).groups) == (None, [])
    assert (properties().uid, properties(uid=0).uid, properties(uid="7").uid) == (None, 0, 7)


def undone(wanted, before):
    parts = REVERSAL.parts(wanted, before)
    return made_by_undo(USER, {"name": "u", **REVERSAL.undone(wanted, parts)}), parts


def test_a_new_user_is_removed_and_its_home_only_if_it_was_made():
    wanted = properties(managehome=True, shell="/bin/sh", groups=["a"])
    back, parts = undone(wanted, state("absent"))
    assert (back.ensure, back.managehome, back.requires_own_home) == ("absent", True, True)
    assert USER.decide(state(), back, False).verbs == ("remove",)
    assert USER.decide(state("absent"), back, False).verbs == ()
    assert REVERSAL.parts(back, state(has_home=True)).keys() >= parts.keys()
    assert undone(wanted, state("absent", has_home=True))[0].managehome is False
    assert undone(properties(), state("absent"))[0].managehome is False


def test_a_changed_user_is_as_before_but_for_what_others_added():
    wanted = properties(uid=11, gid="h", groups=["a", "b"], comment="", shell="/x", home="/y", expiry="absent")
    before = state(metadata={"expiry": "2030-01-31"})
    back, parts = undone(wanted, before)
    after = state(
        metadata={"uid": 11, "group": "h", "gid": 21, "groups": ["a", "b", "c"], "comment": "", "shell": "/x"}
    )
    after.metadata.update(home="/y", expiry="absent")
    after.wanted_gid = 20
    decision = USER.decide(after, back, False)
    assert decision.parts == ("uid", "gid", "groups", "comment", "home", "shell", "expiry")
    assert (back.uid, back.gid, back.comment, back.expiry) == (10, "g", "U", "2030-01-31")
    assert (back.groups, back.without_groups) == (None, ["b"])
    assert REVERSAL.parts(back, after).keys() <= {*parts, "groups a"}
    whole, _parts = undone(properties(groups=["b"], membership="inclusive"), before)
    assert (whole.groups, whole.membership) == (["a"], "inclusive")


def test_a_group_of_its_name_that_was_there_before_stays():
    wanted = properties()
    assert undone(wanted, state("absent", has_own_group=True))[0].gid == "u"
    back, parts = undone(wanted, state("absent"))
    assert (back.gid, parts["own group"]) == ("", "missing")
    assert REVERSAL.parts(back, state(has_own_group=True)).keys() >= parts.keys()


def test_an_empty_shell_comes_back():
    back, _parts = undone(properties(shell="/x"), state(metadata={"shell": ""}))
    assert USER.decide(state(metadata={"shell": "/x"}), back, False).parts == ("shell",)


def test_passwords_and_removals_are_not_undone():
    wanted = properties(password=HASH, shell="/x")
    assert REVERSAL.is_reversible(wanted, state("absent"))
    assert REVERSAL.is_reversible(wanted, state())
    assert not REVERSAL.is_reversible(wanted, state(has_password=False))
    assert not REVERSAL.is_reversible(properties(ensure="absent"), state())
    assert HASH not in repr(undone(wanted, state())[1])


def test_relations():
    user, group = Identity("user", "u"), Identity("group", "u")
    assert RELATIONS.provides(properties()) == [user, group]
    assert RELATIONS.wants(properties(groups=["a"])) == [user, group, Identity("group", "a")]
    assert RELATIONS.provides(properties(gid="g")) == [user]
    assert RELATIONS.wants(properties(gid="g", groups=["g"])) == [user, Identity("group", "g")]
    assert RELATIONS.wants(properties(gid="20")) == [user]
    assert RELATIONS.watches(properties(shell="/x")) == ["/etc/passwd", "/etc/group"]
    assert RELATIONS.watches(properties(expiry="absent"))[-1] == "/etc/shadow"
    assert RELATIONS.watches(properties(password="*"))[-1] == "/etc/shadow"
    assert RELATIONS.sent(properties(), state()) == {"uid": 10, "gid": 20, "home": "/home/u"}
    assert (RELATIONS.remains(properties()), RELATIONS.remains(properties(ensure="absent"))) == ("", None)
