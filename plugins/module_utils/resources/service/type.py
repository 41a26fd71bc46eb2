# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The service type: a service of the operating system, running or stopped, started at boot or not."""

from __future__ import annotations

from ...model.errors import InvalidResource
from ...model.property import Property
from ...model.resource import NOTHING, REFERENCE_PATTERN, Decision, Properties, ResourceType
from ..names import check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import ClassVar

    from ...model.state import State

RUNNING = "running"
STOPPED = "stopped"


class ServiceType(ResourceType):
    """Services (features.md 10)."""

    name = "service"
    default_ensure = RUNNING
    ensure_choices = (RUNNING, STOPPED)
    provider_names = ("systemd",)
    provider_programs: ClassVar[dict[str, tuple[str, ...]]] = {"systemd": ("systemctl",)}
    own_properties = (
        Property("enable", "boolean", nullable=True, help="Whether it starts at boot; left as it is when not given."),
        Property(
            "subscribe", "strings", pattern=REFERENCE_PATTERN, help="References whose change restarts the service."
        ),
    )

    def validate_own(self, properties: Properties) -> None:
        """Refuse unknown states, names that are no unit name (template units are, Q23) and broken references."""
        if properties.ensure not in self.ensure_choices:
            from ...lang.gofmt import quote

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

    def subscriptions(self, properties: Properties) -> list[str]:
        """References whose change restarts the service."""
        found: list[str] = properties.subscribe
        return found

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        from .systemd import SystemdProvider

        return SystemdProvider

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """The decision table of features.md 10: running or stopped first, then started at boot or not.

        A refresh restarts what runs and shall run; what is stopped is started instead, or left alone.
        """
        refresh = refresh and properties.ensure == state.ensure == RUNNING
        steps = []
        if refresh:
            steps.append(("restart", "restarted via subscribe"))
        elif properties.ensure != state.ensure:
            steps.append(("start", "started") if properties.ensure == RUNNING else ("stop", "stopped"))
        if properties.enable is not None and properties.enable != state.metadata["enabled"]:
            steps.append(("enable", "enabled") if properties.enable else ("disable", "disabled"))
        if not steps:
            return NOTHING
        message = ", would have ".join(done for verb, done in steps)
        return Decision(tuple(verb for verb, done in steps), f"Would have {message}", refreshed=refresh)

    def shortfall(self, state: State, properties: Properties) -> str:
        """Why the service is not as it was asked for, with what its manager said of it (decisions.md Q22)."""
        said = state.known.get("said", "")
        enabled = state.metadata["enabled"]
        if properties.ensure != state.ensure:
            reason = f"service is {state.ensure}, expected {properties.ensure}"
        elif properties.enable is not None and properties.enable != enabled:
            reason = "service is enabled, expected disabled" if enabled else "service is disabled, expected enabled"
        else:
            return ""
        return f"{properties.ensure}: {reason}" + (f": {said}" if said else "")


SERVICE = ServiceType()
