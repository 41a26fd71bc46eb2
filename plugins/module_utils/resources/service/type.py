# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The service type: a service of the operating system, running or stopped, started at boot or not."""

from __future__ import annotations

from ...model.decision import NOTHING, Decision, Step
from ...model.errors import InvalidResource
from ...model.property import NEVER, REFERENCE_PATTERN, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ..name_rules import check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence, TypedDict

    from ...model.provider import Provider

    class ServiceMetadata(TypedDict, total=False):
        """The fields of a service's state in events."""

        name: str
        provider: str
        enabled: bool
        running: bool


RUNNING = "running"
STOPPED = "stopped"
RESTART = "restart"
RELOAD = "reload"
_RESTART = Step("restart", "Would have restarted via subscribe", "Restarted via subscribe")
_RELOAD = Step("reload", "Would have reloaded via subscribe", "Reloaded via subscribe")
_START = Step("start", "Would have started", "Started")
_STOP = Step("stop", "Would have stopped", "Stopped")
_ENABLE = Step("enable", "Would have enabled", "Enabled")
_DISABLE = Step("disable", "Would have disabled", "Disabled")


class ServiceProperties(Properties):
    """The properties of a service."""

    enable: bool | None
    subscribe: list[str]


class ServiceState(State):
    """Whether a service runs and is enabled, its main process, and the error output of systemctl in `messages`."""

    type = "service"
    metadata: ServiceMetadata
    messages: Sequence[str] = ()
    pid = 0


class ServiceType(ResourceType[ServiceProperties, ServiceState]):
    """Services (behaviour.md 10)."""

    name = "service"
    default_ensure = RUNNING
    ensure_choices = (RUNNING, STOPPED)
    provider_names = ("systemd",)
    verbs = ("disable", "enable", "reload", "restart", "start", "stop")
    provider_programs: Mapping[str, tuple[str, ...]] = {"systemd": ("systemctl",)}
    properties_class = ServiceProperties
    reversible = True
    own_properties = (
        Property("enable", "boolean", nullable=True, help="Whether it starts at boot; left as it is when not given."),
        Property(
            "subscribe",
            "strings",
            pattern=REFERENCE_PATTERN,
            help="Resources (type#name) whose change restarts the service.",
        ),
    )

    own_meta = (
        Property(
            "refresh",
            when=NEVER,
            choices=(RESTART, RELOAD),
            help="What a refresh does to a running service.",
        ),
    )

    def validate_own(self, properties: ServiceProperties) -> None:
        """Refuse other values of `ensure`, invalid unit names (@ is valid, decisions.md Q23), references without #."""
        if properties.ensure not in self.ensure_choices:
            from ...lang.go.fmt import quote

            raise InvalidResource(
                f"invalid ensure value: invalid ensure property {quote(properties.ensure)}"
                f' expects "{RUNNING}" or "{STOPPED}"',
                property="ensure",
                value=properties.ensure,
            )
        check_name("service", properties.name, also_allowed="@")
        if any("#" not in reference for reference in properties.subscribe):
            raise InvalidResource(
                "invalid subscribe format", property="subscribe", advice="write references as type#name"
            )

    def subscriptions(self, properties: ServiceProperties) -> list[str]:
        """Return references whose change restarts the service."""
        return properties.subscribe

    def provider(self, name: str) -> type[Provider[ServiceProperties, ServiceState]]:
        """Return the provider class of a name."""
        from .systemd import SystemdProvider

        found: type[Provider[ServiceProperties, ServiceState]] = SystemdProvider
        return found

    def decide(self, state: ServiceState, properties: ServiceProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 10: running or stopped first, then started at boot or not.

        A refresh restarts, or reloads, a running service that should run; a stopped one is started if it should run,
        and left stopped if not.
        """
        refresh = refresh and properties.ensure == state.ensure == RUNNING
        steps = []
        if refresh:
            is_reload = properties.meta is not None and properties.meta["refresh"] == RELOAD
            steps.append(_RELOAD if is_reload else _RESTART)
        elif properties.ensure != state.ensure:
            steps.append(_START if properties.ensure == RUNNING else _STOP)
        if properties.enable is not None and properties.enable != state.metadata["enabled"]:
            steps.append(_ENABLE if properties.enable else _DISABLE)
        return Decision(*steps, refreshed=refresh) if steps else NOTHING

    def shortfall(self, state: ServiceState, properties: ServiceProperties) -> str:
        """Return why the service is not in the wanted state, with the error output of systemctl (decisions.md Q22)."""
        enabled = state.metadata["enabled"]
        if properties.ensure != state.ensure:
            reason = f"service is {state.ensure}, expected {properties.ensure}"
        elif properties.enable is not None and properties.enable != enabled:
            reason = "service is enabled, expected disabled" if enabled else "service is disabled, expected enabled"
        else:
            return ""
        return f"{properties.ensure}: {reason}" + (f": {' / '.join(state.messages)}" if state.messages else "")


TYPE = ServiceType()
