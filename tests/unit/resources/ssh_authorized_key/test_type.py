# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a key may be, its undo and its relations; its decisions are in cases/decisions.yaml."""

from __future__ import annotations

import pytest
from ccm.lang.authorized_keys import KEY_TYPES
from ccm.model.decode import decode_properties
from ccm.model.errors import InvalidResource
from ccm.model.facets import Identity
from ccm.model.resource import complete
from ccm.resources.ssh_authorized_key.facets import RELATIONS, REVERSAL
from ccm.resources.ssh_authorized_key.type import TYPE, SshAuthorizedKeyState

from .keys import FIELDS, KEYS, key, made

RSA = KEYS["ssh-rsa"]


def properties(**given):
    values = {"name": "a@b", "user": "a", "key": RSA, **given}
    made = TYPE.made(complete(TYPE, decode_properties(TYPE, values)))
    TYPE.validate(made)
    TYPE.normalise(made)
    return made


@pytest.mark.parametrize("type", KEY_TYPES)
def test_the_key_says_its_type(type):
    assert properties(key=KEYS[type]).type == type
    assert properties(key=KEYS[type], type=type).type == type


@pytest.mark.parametrize(
    ("alias", "type"),
    [
        ("rsa", "ssh-rsa"),
        ("dsa", "ssh-dss"),
        ("ed25519", "ssh-ed25519"),
        ("ed25519-sk", "sk-ssh-ed25519@openssh.com"),
        ("ecdsa-sk", "sk-ecdsa-sha2-nistp256@openssh.com"),
    ],
)
def test_types_have_the_short_names_of_puppet(alias, type):
    assert properties(type=alias, key=KEYS[type]).type == type


REFUSED = [
    ({"key": ""}, "key", "key cannot be empty"),
    ({"user": ""}, "user", "user cannot be empty"),
    ({"ensure": "there"}, "ensure", 'ensure must be "present" or "absent"'),
    ({"type": "ssh-ed25519"}, "type", "type ssh-ed25519 is not the type of the key, which is ssh-rsa"),
    ({"type": "x"}, "type", 'type "x" is not known'),
    ({"key": f"ssh-rsa {RSA} a@b"}, "key", "key is the base64 text alone, without spaces and ends of lines"),
    ({"key": f"{RSA[:9]}\n{RSA[9:]}"}, "key", "key is the base64 text alone, without spaces and ends of lines"),
    ({"key": RSA[:-1]}, "key", "key is not valid base64"),
    ({"key": "AAAA-AAA"}, "key", "key is not valid base64"),
    ({"key": f"{made('ssh-ed25519', b'x' * 33)[:-3]}B=="}, "key", "key is not valid base64"),
    ({"key": "AAAA===="}, "key", "key is not valid base64"),
    ({"key": RSA[:-4]}, "key", "key is not a public key of a known type"),
    ({"key": made("ssh-x", b"1")}, "key", "key is not a public key of a known type"),
    ({"key": made("ssh-rsa")}, "key", "key is not a whole ssh-rsa key: a part is missing"),
    ({"key": made("ssh-ed25519", b"x" * 31)}, "key", "key is not a whole ssh-ed25519 key: a part is missing"),
    ({"key": made("ssh-rsa", *FIELDS["ssh-rsa"], b"x")}, "key", "key is not a whole ssh-rsa key: a part is missing"),
    ({"target": "keys"}, "target", "target must be an absolute path without . and .."),
    ({"target": "/etc/../keys"}, "target", "target must be an absolute path without . and .."),
    *(
        (
            {"name": name},
            "name",
            "name is the comment of the key: it cannot begin or end with a space, and must be one line",
        )
        for name in ("a\nb", " a", "a ", "a\0b", "a\rb")
    ),
    *(
        ({"options": [option]}, "options", f"sshd ignores a key with these options: {fault}")
        for option, fault in (
            ("from=127.0.0.1", "from needs a value in double quotes"),
            ("command=/usr/bin/id", "command needs a value in double quotes"),
            ("environment", "environment needs a value in double quotes"),
            ('from="a"b', "from needs a value in double quotes"),
            ('from="a""b"', "from needs a value in double quotes"),
            ("no-ptyy", "no-ptyy is no option of sshd"),
            ("no-restrict", "no-restrict is no option of sshd"),
            ('no-from="a"', "no-from is no option of sshd"),
            ('no-pty="a"', "no-pty has no value"),
            ("restrict,ptyy", "ptyy is no option of sshd"),
            ("restrict,", "an empty text is no option of sshd"),
        )
    ),
    *(
        ({"options": [option]}, "options", "an option must be one line, without spaces outside of double quotes")
        for option in ("", "no-pty ", "a b", 'command="a', "no-pty\n", "#no-pty", "ssh-rsa", 'command="a\nb"', "a\0b")
    ),
]


@pytest.mark.parametrize(("given", "at_fault", "message"), REFUSED)
def test_what_would_not_be_this_line_is_refused(given, at_fault, message):
    with pytest.raises(InvalidResource) as caught:
        properties(**given)
    assert (caught.value.property, str(caught.value)) == (at_fault, message)


@pytest.mark.parametrize(
    "option",
    [
        *("restrict", "NO-PTY", "No-X11-Forwarding", "cert-authority", "verify-required", 'From="::1"', 'command=""'),
        *('command="a\\\\b"', 'expiry-time="20400101"', 'restrict,permitopen="a:1",PTY', 'environment="A=b,c"'),
    ],
)
def test_options_are_those_of_sshd_in_any_case(option):
    assert properties(options=[option]).options == [option]


@pytest.mark.parametrize(
    "option", ["no-pty", 'command="echo \\"a b\\", c"', 'from="10.0.0.0/8,::1"', "no-pty,no-user-rc"]
)
def test_options_may_have_quotes_commas_and_spaces(option):
    assert properties(options=[option]).options == [option]


def test_a_key_to_be_removed_needs_only_its_name():
    assert properties(ensure="absent", key="").type == ""


def test_it_wants_its_user_and_the_directory_of_its_file():
    assert RELATIONS.wants(properties()) == [Identity("user", "a")]
    assert RELATIONS.wants(properties(target="/k/a")) == [Identity("user", "a"), Identity("path", "/k/a")]
    assert RELATIONS.watches(properties(target="/k/a")) == ["/k/a"]


def test_what_remains_is_shown_by_the_state():
    assert (RELATIONS.remains(properties()), RELATIONS.remains(properties(ensure="absent"))) == ("", None)


def test_it_sends_its_type_and_its_file():
    state = SshAuthorizedKeyState("a@b", "present", {"metadata": {"name": "a@b", "type": "ssh-rsa", "target": "/k"}})
    assert RELATIONS.sent(properties(), state) == {"type": "ssh-rsa", "target": "/k"}


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("command=/usr/bin/id", 'write command="VALUE"; YAML keeps these quotes in \'command="VALUE"\''),
        ("no-ptyy", "known are cert-authority, restrict, agent-forwarding"),
    ],
)
def test_a_wrong_option_says_how_to_write_it(option, advice):
    with pytest.raises(InvalidResource) as caught:
        properties(key=key(1), options=[option])
    assert caught.value.advice.startswith(advice)


def test_an_undo_puts_the_former_lines_back():
    wanted = properties(key=key(1), options=["no-pty"])
    state = SshAuthorizedKeyState("a@b", "present")
    state.lines = [f"ssh-ed25519 {key(2)} a@b", f"ssh-ed25519 {key(1)} c@d"]
    same = {"user": "a", "type": "ssh-ed25519", "key": key(1), "target": "", "provider": ""}
    parts = REVERSAL.parts(wanted, state)
    assert REVERSAL.undone(wanted, parts) == {**same, "ensure": "present", "lines": list(state.lines)}
    assert REVERSAL.undone(wanted, {"lines": ""}) == {**same, "ensure": "absent"}


def test_lint_says_that_the_original_does_not_have_the_type(ccm, tmp_path):
    lines = ("ccm:", "  resources:", "    - ssh_authorized_key:", "        - a@b:", "            user: root")
    (tmp_path / "m.yaml").write_text("\n".join([*lines, f"            key: {RSA}"]))
    shown = ccm("lint", "m.yaml", "--upstream")
    assert "the original has no type ssh_authorized_key" in shown.out + shown.err
    assert ccm("lint", "m.yaml").status == 0
