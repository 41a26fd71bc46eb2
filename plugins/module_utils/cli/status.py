# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm status`: the current state of a resource (behaviour.md 19.3)."""

from __future__ import annotations

import sys

from ..data.environment import facts_of_machine
from ..engine.context import Context
from ..engine.provider_selection import choose_provider
from ..engine.session import Session
from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.flags import Argument, Flag
from ..model.resource import resource_of
from ..resources.types import TYPE_NAMES, TYPES, resource_type, type_flags, type_names
from .command import Command
from .console import Console, print_yaml
from .documents import json_document
from .output import with_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values
    from ..model.values import Data

_SHOWN = tuple(listed.name for listed in TYPES if listed.has_status)
_OF_ORIGINAL = tuple(listed.name for listed in TYPES if not listed.extension)
_WITH_FLAGS = tuple(listed.name for listed in TYPES if listed.help)


def _offered(current: str) -> list[str]:
    return [name for name in type_names() if _has_status(name)]


def _has_status(name: str) -> bool:
    return name in _SHOWN or name not in TYPE_NAMES


def _status(values: Values) -> int:
    if values.type not in TYPE_NAMES and values.type not in type_names():
        known, ours = ",".join(_OF_ORIGINAL), ", ".join(name for name in type_names() if name not in _OF_ORIGINAL)
        raise CCMError(
            f"enum value must be one of {known}, got '{values.type}'", value=values.type, advice=f"or of {ours}"
        )
    note = type_flags(values.type).status_note if values.type in _WITH_FLAGS else ""
    if note:
        sys.stdout.write(note + "\n")
        return 0
    try:
        found = _metadata(values)
    except (CCMError, HostError) as error:
        raise CCMError(f"could not get status: {error}") from error
    if values.json:
        sys.stdout.write(json_document(found))
    else:
        print_yaml(with_times(found))
    return 0


def _metadata(values: Values) -> Data:
    type = resource_type(values.type) if _has_status(values.type) else None
    if type is None:
        raise CCMError(f"unsupported resource type {values.type}")
    console = Console(values, sys.stderr)
    flags = type_flags(type.name)
    name = flags.status_name(values.name)
    resource = resource_of(type, {"name": name})
    facts = facts_of_machine(console.log)
    context = Context(Session(), noop=True, log=console.log, user_log=console.user_log, facts=facts)
    try:
        found = choose_provider(resource, context).status(resource.properties).metadata
        return {**found, **flags.status_values(name)}
    finally:
        context.close()


COMMAND = Command(
    "status",
    "Get resource status",
    aliases=("info",),
    arguments=(
        Argument(
            "type",
            f"Type to get status for ({', '.join(_SHOWN)})",
            required=True,
            offered=_offered,
        ),
        Argument("name", "Resource name to get status for", required=True, path="file"),
    ),
    flags=(Flag("json", "set", "Output status in JSON format"),),
    run=_status,
)
