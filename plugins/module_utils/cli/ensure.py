# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure`: the commands that manage one resource (behaviour.md 19.2)."""

from __future__ import annotations

from ..model.flags import REGISTRATION, Flag
from ..resources.types import TYPES, ListedType
from .command import Command
from .ensure_resource import type_command
from .run import HIERA_FILE, NATS_CONTEXT, NO_STATE, READ_ENV, SESSION_STORE
from .sources import HIERA

_API = ("api", "Resource management API")
_COMMANDS = (*((listed.name, listed.help) for listed in TYPES if listed.help), _API)


def _find(name: str) -> Command | None:
    if name == _API[0]:
        from .ensure_api import API

        return API
    listed = next((each for each in TYPES if each.help and name in (each.name, *each.aliases)), None)
    if listed is None:
        listed = next((ListedType(type_name, help) for type_name, help in _installed() if type_name == name), None)
    return None if listed is None else type_command(listed)


def _installed() -> tuple[tuple[str, str], ...]:
    """Return the types of installed packages, each with a line of help."""
    from ..resources.installed import additional_types

    return tuple((each.name, f"Type of {each.package}") for each in additional_types())


COMMAND = Command(
    "ensure",
    "Manage individual resources",
    flags=(
        Flag("noop", "set", "Do not make any changes to the system"),
        Flag("session", "text", "Session store to use", env=SESSION_STORE, path="directory"),
        Flag("hiera", "text", "Hiera data file to use as data source", default=HIERA_FILE, env=HIERA, path="file"),
        READ_ENV,
        NATS_CONTEXT,
        REGISTRATION,
        NO_STATE,
    ),
    commands=_COMMANDS,
    find=_find,
    more=_installed,
)
