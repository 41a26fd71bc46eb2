# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The ssh_authorized_key type: a key with which a user of this machine may log in."""

from __future__ import annotations

from ...lang.authorized_keys import (
    KEY_TYPES,
    PLAIN,
    VALUED,
    KeyLine,
    Ownership,
    is_whole,
    key_bytes,
    option_fault,
    parsed,
    type_in,
)
from ...lang.paths import clean
from ...model.decision import NOTHING, Decision, Step, Update
from ...model.errors import InvalidResource
from ...model.property import Property
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ...redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence, TypedDict

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import posix  # noqa: F401

    class SshAuthorizedKeyMetadata(TypedDict, total=False):
        """The fields of a key's state in events."""

        name: str
        provider: str
        user: str
        target: str
        type: str
        key: str
        options: str


PRESENT = "present"
ABSENT = "absent"
_ALIASES = {
    "rsa": "ssh-rsa",
    "ed25519": "ssh-ed25519",
    "dsa": "ssh-dss",
    "ed25519-sk": "sk-ssh-ed25519@openssh.com",
    "ecdsa-sk": "sk-ecdsa-sha2-nistp256@openssh.com",
}
_ADD = Step("store", "Would have added the key", "Added the key")
_UPDATE = Step("store", "Would have updated the key", "Updated the key")
_REMOVE = Step("remove", "Would have removed the key", "Removed the key")
_RESTORE = Step("store", "Would have put back the key", "Put back the key")


class SshAuthorizedKeyProperties(Properties):
    """The properties of a key."""

    user: str
    type: str
    key: str
    options: list[str]
    target: str
    lines: list[str]


class SshAuthorizedKeyState(State):
    """The lines in the file that belong to a resource, in their order.

    `fault` is why sshd does not read the file, "" where it does.
    """

    type = "ssh_authorized_key"
    metadata: SshAuthorizedKeyMetadata
    lines: Sequence[str] = ()
    fault: str = ""


class SshAuthorizedKeyType(ResourceType[SshAuthorizedKeyProperties, SshAuthorizedKeyState]):
    """Keys of users (behaviour.md 25)."""

    name = "ssh_authorized_key"
    default_ensure = PRESENT
    ensure_choices = (PRESENT, ABSENT)
    provider_names = ("posix",)
    default_provider = "posix"
    verbs = ("remove", "store")
    semaphores = ("ssh_authorized_key",)
    stable_after_change = True
    properties_class = SshAuthorizedKeyProperties
    reversible = True
    own_properties = (
        Property("user", required=True, help="The user who may log in with the key."),
        Property(
            "type",
            choices=(*KEY_TYPES, *_ALIASES),
            help="The type of the key. Not needed: the key itself has it, and another one is an error.",
        ),
        Property("key", help="The key in base64, without its type and its comment; not needed to remove it."),
        Property(
            "options",
            "strings",
            may_hold_secrets=True,
            help='Options of sshd for the key, like no-pty or from="10.0.0.0/8"; none when not given.',
        ),
        Property(
            "target",
            help="The file with the keys, an absolute path; .ssh/authorized_keys in the home of the user when not "
            "given.",
        ),
    )

    undo_properties = (
        Property("lines", "strings", may_hold_secrets=True, help="Its lines as they were, in place of the wanted one."),
    )

    def validate(self, properties: SshAuthorizedKeyProperties) -> None:
        """Refuse what would not be one line of authorized_keys, and a key that is not whole or has another type."""
        super().validate(properties)
        if properties.ensure not in self.ensure_choices:
            raise InvalidResource(
                f'ensure must be "{PRESENT}" or "{ABSENT}"', property="ensure", value=properties.ensure
            )
        name, target = properties.name, properties.target
        if not name.isprintable() or name != name.strip():
            raise InvalidResource(
                "name is the comment of the key: it cannot begin or end with a space, and must be one line",
                property="name",
                value=name,
            )
        if not properties.user:
            raise InvalidResource("user cannot be empty", property="user", advice="name the user who may log in")
        if target and not (target.startswith("/") and clean(target) == target):
            advice = "" if target.startswith("/") else "leave it out for .ssh/authorized_keys in the home of the user"
            raise InvalidResource(
                "target must be an absolute path without . and ..", property="target", value=target, advice=advice
            )
        if properties.type and full_type(properties.type) not in KEY_TYPES:
            raise InvalidResource(
                f'type "{properties.type}" is not known',
                property="type",
                value=properties.type,
                advice=f"one of {', '.join(KEY_TYPES)}, or leave it out",
            )
        if properties.key:
            _check_key(properties)
        elif properties.ensure == PRESENT:
            raise InvalidResource("key cannot be empty", property="key", advice="give the base64 text of the key")
        for option in properties.options:
            _check_option(option)

    def normalise(self, properties: SshAuthorizedKeyProperties) -> None:
        """Give the type its full name, from the key where it is not given."""
        properties.type = full_type(properties.type)
        if properties.key and not properties.type:
            properties.type = type_in(key_bytes(properties.key) or b"")

    def waits_for_nothing(self, properties: SshAuthorizedKeyProperties) -> bool:
        """Return whether only the file is read and written."""
        return not (
            properties.control or properties.health_checks or properties.register_when_stable or properties.meta
        )

    def decide(self, state: SshAuthorizedKeyState, properties: SshAuthorizedKeyProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 25."""
        if properties.lines:
            return NOTHING if list(state.lines) == properties.lines else Decision(_RESTORE)
        if properties.ensure == ABSENT:
            return Decision(_REMOVE) if state.lines else NOTHING
        parts = _differences(state, properties)
        if not parts:
            return NOTHING
        return Update(_UPDATE, tuple(parts)) if state.lines else Decision(_ADD)

    def shortfall(self, state: SshAuthorizedKeyState, properties: SshAuthorizedKeyProperties) -> str:
        """Return why the key is not in the wanted state."""
        if not self.decide(state, properties, False).verbs:
            return ""
        if properties.ensure == ABSENT:
            return "the key is still there"
        if properties.lines:
            return "the lines are not as they were"
        return f"sshd does not read the key: {state.fault}" if state.fault else "the key is not as wanted"


def full_type(type: str) -> str:
    """Return the full name of a type of keys."""
    return _ALIASES.get(type, type)


def wanted_lines(properties: SshAuthorizedKeyProperties) -> list[str]:
    """Return the lines that the resource has when it is converged."""
    if properties.lines:
        return properties.lines
    return [str(_wanted(properties))] if properties.ensure == PRESENT else []


def ownership(properties: SshAuthorizedKeyProperties) -> Ownership:
    """Return which lines belong to the resource; with its former keys too where an undo restores it."""
    keys = [properties.key, *(line.key for line in map(parsed, properties.lines) if line)]
    return Ownership(properties.name, keys)


def _wanted(properties: SshAuthorizedKeyProperties) -> KeyLine:
    return KeyLine(",".join(properties.options), properties.type, properties.key, properties.name)


def _differences(state: SshAuthorizedKeyState, properties: SshAuthorizedKeyProperties) -> list[str]:
    """Return what differs from a present key: parts of the line, other lines, or what keeps sshd from reading it."""
    found = [line for line in map(parsed, state.lines) if line]
    if not found:
        return ["key"]
    wanted = _wanted(properties)
    parts = [part for part in ("options", "type", "key") if getattr(found[0], part) != getattr(wanted, part)]
    if found[0].comment != wanted.comment:
        parts.append("name")
    if len(found) > 1:
        parts.append("other lines")
    return parts or (["permissions"] if state.fault else [])


def _check_key(properties: SshAuthorizedKeyProperties) -> None:
    key = properties.key
    if any(sign.isspace() for sign in key):
        raise InvalidResource(
            "key is the base64 text alone, without spaces and ends of lines",
            property="key",
            advice="give what comes before it in type and options, and what comes after it as the name",
        )
    blob = key_bytes(key)
    if blob is None:
        raise InvalidResource("key is not valid base64", property="key", advice="copy it from the .pub file again")
    own = type_in(blob)
    if own not in KEY_TYPES:
        raise InvalidResource(
            "key is not a public key of a known type",
            property="key",
            advice=f"the known types are {', '.join(KEY_TYPES)}",
        )
    if properties.type and own != full_type(properties.type):
        raise InvalidResource(
            f"type {properties.type} is not the type of the key, which is {own}",
            property="type",
            value=properties.type,
            advice=f"give {own}, or leave it out",
        )
    if not is_whole(blob):
        raise InvalidResource(
            f"key is not a whole {own} key: a part is missing",
            property="key",
            advice="copy it from the .pub file again",
        )


def _check_option(option: str) -> None:
    """Refuse an option with which the line would not have this option. Raises InvalidResource."""
    line = parsed(f"{option} ssh-rsa AAAA") if option and option.isprintable() else None
    if line is None or line.options != option:
        raise InvalidResource(
            "an option must be one line, without spaces outside of double quotes",
            property="options",
            value=option,
            advice='write it as sshd reads it: no-pty, from="10.0.0.0/8", command="/bin/true"',
        )
    fault = option_fault(option)
    if fault:
        name = option.partition("=")[0]
        is_unquoted = name.lower() in VALUED
        raise InvalidResource(
            f"sshd ignores a key with these options: {fault}",
            property="options",
            value=without_text_secrets(option),
            advice=f'write {name}="VALUE"; YAML keeps these quotes in \'{name}="VALUE"\''
            if is_unquoted
            else f"known are {', '.join(PLAIN)}, with no- before all but the first two, and with a value, like "
            f'from="10.0.0.0/8", {", ".join(VALUED)}',
        )


TYPE = SshAuthorizedKeyType()
