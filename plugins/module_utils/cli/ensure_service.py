# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure service`: a service, running or stopped, enabled or not."""

from __future__ import annotations

from ..model.errors import CCMError
from ..resources.service.type import RUNNING
from ..resources.service.type import TYPE as SERVICE_TYPE
from .command import Argument, Command, Flag
from .ensure_resource import PropertyFlags, common_flags, ensure_resource
from .offering import references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .command import Values

_OWN = PropertyFlags(
    SERVICE_TYPE,
    without=("enable",),
    settings={
        "subscribe": {
            "short": "S",
            "placeholder": "type#name",
            "help": "Subscribe to changes in other resources",
            "offered": references,
        },
    },
)


def _ensure(values: Values) -> int:
    if values.subscribe and not values.session:
        raise CCMError("session store should be set when using subscribe", advice="make one with: ccm session new")
    if values.enable and values.disable:
        raise CCMError("cannot specify both enable and disable flags")
    properties: dict[str, Any] = {"name": values.name, "ensure": values.ensure, **_OWN.properties(values)}
    if values.enable or values.disable:
        properties["enable"] = bool(values.enable)
    return ensure_resource(SERVICE_TYPE, properties, values)


SERVICE = Command(
    "ensure service",
    "Service management",
    arguments=(
        Argument("name", "Service name to manage", required=True),
        Argument("ensure", "Ensure value", default=RUNNING, offered=SERVICE_TYPE.ensure_choices),
    ),
    flags=(
        Flag("enable", "set", "Enable the service"),
        Flag("disable", "set", "Disable the service"),
        *_OWN.flags,
        *common_flags(SERVICE_TYPE),
    ),
    aliases=("svc",),
    run=_ensure,
)
