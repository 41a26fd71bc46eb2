# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of services beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

from ...model.errors import CCMError
from ...model.facets import UNIT, Identity, Relations, Reversal, TypeDescription
from ...model.flags import Argument, Flag
from ...model.property import Property
from ...model.type_flags import TypeFlags, ensure_argument
from ..types import references
from .type import (
    MASK,
    RUNNING,
    STOPPED,
    TYPE,
    UNMANAGED,
    UNMASK_AND_DISABLE,
    UNMASK_AND_ENABLE,
    ServiceProperties,
    ServiceState,
)
from .units import full_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.facets import Parts
    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data


def _portability_of_name(value: object) -> str:
    """Return why the original refuses a name (decisions.md Q23, Q94); "" for others and with an expression."""
    if not isinstance(value, str) or "{" in value:
        return ""
    signs = " and ".join(sign for sign in ("@", "\\") if sign in value)
    return f"the original refuses names of services with {signs}" if signs else ""


def _portability_of_ensure(value: object) -> str:
    return f"the original has no ensure: {UNMANAGED}" if value == UNMANAGED else ""


def _portability_of_enable(value: object) -> str:
    return f"the original takes only true or false for enable, not {MASK}" if value == MASK else ""


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of services."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the resource."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property("enabled", "boolean", required=True, help="Whether it is started at boot."),
                    Property("running", "boolean", required=True, help="Whether the service is running."),
                ),
            ),
        ),
        portability={
            "name": _portability_of_name,
            "ensure": _portability_of_ensure,
            "enable": _portability_of_enable,
        },
    )


class ServiceFlags(TypeFlags):
    """The arguments and flags of `ccm ensure service`."""

    def __init__(self) -> None:
        super().__init__(
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
        self.arguments = (
            Argument("name", "Service name to manage", required=True),
            ensure_argument(TYPE),
        )
        self.flags = (
            Flag("enable", "set", "Enable the service"),
            Flag("disable", "set", "Disable the service"),
            Flag("mask", "set", "Mask the service, so that nothing can start it"),
            *self.own_flags,
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
        properties: Data = {"name": values.name, "ensure": values.ensure, **self.own_properties(values)}
        if values.enable or values.disable:
            properties["enable"] = bool(values.enable)
        if values.mask:
            properties["enable"] = MASK
        return properties


def flags() -> TypeFlags:
    """Return the command line of services (behaviour.md 19.2)."""
    return ServiceFlags()


class ServiceRelations(Relations["ServiceProperties"]):
    """What services want."""

    sends = (
        Property("running", "boolean", help="Whether the service is running."),
        Property("enabled", "boolean", help="Whether it is started at boot."),
        Property("pid", "integer", help="Its main process, 0 when it has none."),
    )

    def wants(self, properties: ServiceProperties) -> list[Identity]:
        """Return the unit; an instance like `getty@tty1` wants its template."""
        name = full_name(properties.name)
        stem, at, instance = name.partition("@")
        template = [f"{stem}@.{instance.rpartition('.')[2]}"] if at else []
        return [Identity(UNIT, unit) for unit in (name, *template)]

    def watched_units(self, properties: ServiceProperties) -> list[str]:
        """Return the unit."""
        return [full_name(properties.name)]

    def remains(self, properties: ServiceProperties) -> str | None:
        """Return that its state shows it, unless the service is stopped or masked."""
        return "" if properties.ensure == RUNNING or properties.enable is True else None

    def is_there(self, state: State) -> bool:
        """Return whether it runs, or starts at boot."""
        return state.ensure == RUNNING or bool(state.metadata.get("enabled"))

    def sent(self, properties: ServiceProperties, state: State) -> Data:
        """Return whether the service is running and enabled, and its main process."""
        found = {key: state.metadata[key] for key in ("running", "enabled") if key in state.metadata}
        return {**found, "pid": state.pid} if isinstance(state, ServiceState) else found


RELATIONS = ServiceRelations()


_RUNNING, _ENABLED, _MASKED = "running", "enabled", "masked"
_ABOUT_MASKS = (MASK, UNMASK_AND_ENABLE, UNMASK_AND_DISABLE)


class ServiceReversal(Reversal[ServiceProperties, ServiceState]):
    """A service runs again, or not, as before, and starts at boot or is masked as before, where that was managed."""

    def parts(self, properties: ServiceProperties, state: ServiceState) -> Parts:
        """Return whether it runs, and whether it starts at boot or is masked, where that is managed."""
        found: Parts = {} if properties.ensure == UNMANAGED else {_RUNNING: state.ensure == RUNNING}
        if properties.enable is not None:
            found[_ENABLED] = state.metadata["enabled"]
        if properties.enable in _ABOUT_MASKS:
            found[_MASKED] = state.is_masked
        return found

    def undone(self, properties: ServiceProperties, parts: Parts) -> Data:
        """Return the properties of a service as it was."""
        ensure = RUNNING if parts.get(_RUNNING) else STOPPED if _RUNNING in parts else UNMANAGED
        enable = parts.get(_ENABLED)
        if parts.get(_MASKED) is False:
            enable = UNMASK_AND_ENABLE if enable else UNMASK_AND_DISABLE
        return {"ensure": ensure, "enable": enable, "provider": properties.provider}


REVERSAL = ServiceReversal()
