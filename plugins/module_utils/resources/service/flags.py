# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of service resources (behaviour.md 19.2)."""

from __future__ import annotations

from ...model.errors import CCMError
from ...model.flags import Argument, Flag
from ...model.type_flags import PropertyFlags, TypeFlags
from ..types import references
from .type import MASK, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.flags import Values
    from ...model.values import Data

_OWN = PropertyFlags(
    TYPE,
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


class ServiceFlags(TypeFlags):
    """The arguments and flags of `ccm ensure service`."""

    arguments = (
        Argument("name", "Service name to manage", required=True),
        Argument("ensure", "Ensure value", default=TYPE.default_ensure, offered=TYPE.ensure_choices),
    )
    flags = (
        Flag("enable", "set", "Enable the service"),
        Flag("disable", "set", "Disable the service"),
        Flag("mask", "set", "Mask the service, so that nothing can start it"),
        *_OWN.flags,
    )

    def properties(self, values: Values) -> Data:
        """Return the given properties.

        Raises CCMError when two of --enable, --disable and --mask are given, and for a subscription without a session.
        """
        if values.subscribe and not values.session:
            raise CCMError("session store should be set when using subscribe", advice="make one with: ccm session new")
        if values.enable and values.disable:
            raise CCMError("cannot specify both enable and disable flags")
        if values.mask and (values.enable or values.disable):
            raise CCMError("cannot specify the mask flag with enable or disable flags")
        properties: Data = {"name": values.name, "ensure": values.ensure, **_OWN.properties(values)}
        if values.enable or values.disable:
            properties["enable"] = bool(values.enable)
        if values.mask:
            properties["enable"] = MASK
        return properties


FLAGS = ServiceFlags()
