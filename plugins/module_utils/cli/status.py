# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm status`: what a resource looks like now (behaviour.md 19.3)."""

from __future__ import annotations

import os
import sys

from ..engine.choice import choose_provider
from ..engine.context import Context
from ..engine.session import Session
from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.resource import Resource, complete
from ..resources.types import TYPE_NAMES, resource_type
from .command import Argument, Command, Flag
from .console import Console, print_yaml
from .run import facts_of_machine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .command import Values

_SENTENCE = (
    "Status for 'exec' and 'archive' resources is not supported yet due to them relying heavily on specific properties "
    "and may require additional context for accurate status determination."
)
_TOLD_INSTEAD = dict.fromkeys(("exec", "archive"), _SENTENCE)
_UNSUPPORTED = frozenset(("apply", "scaffold"))
_SHOWN = tuple(name for name in TYPE_NAMES if name not in _UNSUPPORTED and name not in _TOLD_INSTEAD)
# How a name on the command line becomes the name of a resource.
_NAMED: dict[str, Callable[[str], str]] = {"file": os.path.abspath}


def _status(values: Values) -> int:
    if values.type in _TOLD_INSTEAD:
        sys.stdout.write(_TOLD_INSTEAD[values.type] + "\n")
        return 0
    try:
        found = _metadata(values)
    except (CCMError, HostError) as error:
        raise CCMError(f"could not get status: {error}") from None
    if values.json:
        from ..lang.gojson import marshal

        sys.stdout.write(marshal(found, indent="  ", sort_keys=False) + "\n")
    else:
        from .yaml_form import with_times

        print_yaml(with_times(found))
    return 0


def _metadata(values: Values) -> dict[str, Any]:
    type = None if values.type in _UNSUPPORTED else resource_type(values.type)
    if type is None:
        raise CCMError(f"unsupported resource type {values.type}")
    console = Console(values, sys.stderr)
    name = _NAMED.get(type.name, str)(values.name)
    wanted = {"name": name, "ensure": type.default_ensure or "present"}
    resource = Resource(type, type.made(complete(type, wanted)))
    facts = facts_of_machine(console.log)
    context = Context(Session(), noop=True, log=console.log, user_log=console.user_log, facts=facts)
    found: dict[str, Any] = choose_provider(resource, context).status(resource.properties).metadata
    return found


STATUS = Command(
    "status",
    "Get resource status",
    aliases=("info",),
    arguments=(
        Argument(
            "type",
            f"Type to get status for ({', '.join(_SHOWN)})",
            required=True,
            choices=TYPE_NAMES,
            offered=_SHOWN,
        ),
        Argument("name", "Resource name to get status for", required=True, path="file"),
    ),
    flags=(Flag("json", "set", "Output status in JSON format"),),
    run=_status,
)
