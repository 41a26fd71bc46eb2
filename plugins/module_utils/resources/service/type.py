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

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import systemd  # noqa: F401

    class ServiceMetadata(TypedDict, total=False):
        """The fields of a service's state in events."""

        name: str
        provider: str
        enabled: bool
        running: bool


RUNNING = "running"
STOPPED = "stopped"
#: Words of ours: whether it runs is left as it is; nothing can start it.
UNMANAGED = "unmanaged"
MASK = "mask"
#: What only an undo asks for (facets.py): remove the mask, then enable or disable.
UNMASK_AND_ENABLE = "unmask and enable"
UNMASK_AND_DISABLE = "unmask and disable"
RESTART = "restart"
RELOAD = "reload"
#: Words of systemd for a unit that is starting or stopping.
ACTIVATING = "activating"
DEACTIVATING = "deactivating"
#: Words of systemd for unit files that decisions know.
_ENABLED = "enabled"
_ENABLED_AT_RUNTIME = "enabled-runtime"
_INDIRECT = "indirect"
_MASKED = ("masked", "masked-runtime")
WITHOUT_INSTALL = ("static", "generated", "transient")
_CAN_BE_ENABLED = ("disabled", _ENABLED_AT_RUNTIME, "linked", "linked-runtime", *_MASKED)
_CAN_BE_DISABLED = (_ENABLED, "alias")
_RESTART = Step("restart", "Would have restarted via subscribe", "Restarted via subscribe")
_RELOAD = Step("reload", "Would have reloaded via subscribe", "Reloaded via subscribe")
#: Of a service without ExecReload.
_RELOAD_BY_RESTART = Step("reload", _RESTART.would, _RESTART.done)
_START = Step("start", "Would have started", "Started")
_STOP = Step("stop", "Would have stopped", "Stopped")
_ENABLE = Step("enable", "Would have enabled", "Enabled")
_REENABLE = Step("reenable", "Would have enabled again", "Enabled again")
_DISABLE = Step("disable", "Would have disabled", "Disabled")
_MASK = Step("mask", "Would have masked", "Masked")
_UNMASK = Step("unmask", "Would have unmasked", "Unmasked")


class ServiceProperties(Properties):
    """The properties of a service."""

    enable: bool | str | None
    subscribe: list[str]


class ServiceState(State):
    """Whether a service runs and is enabled, its main process, and the error output of systemctl in `messages`.

    `activity` is ACTIVATING or DEACTIVATING while the service is, else empty. `unit_file` is systemd's word for the
    unit file, like enabled-runtime; `missing_links` are links that its [Install] names and that do not exist; `also`
    are the words for the units of `Also=` of an indirect unit. A service that cannot reload (`can_reload`) is restarted
    instead.
    """

    type = "service"
    metadata: ServiceMetadata
    messages: Sequence[str] = ()
    pid = 0
    activity: str = ""
    can_reload: bool = True
    unit_file: str = ""
    missing_links: Sequence[str] = ()
    also: Sequence[str] = ()

    @property
    def is_masked(self) -> bool:
        """Whether nothing can start it."""
        return self.unit_file in _MASKED

    @property
    def word(self) -> str:
        """The word for its unit file, of systemd where that is known."""
        return self.unit_file or (_ENABLED if self.metadata["enabled"] else "disabled")


class ServiceType(ResourceType[ServiceProperties, ServiceState]):
    """Services (behaviour.md 10)."""

    name = "service"
    default_ensure = RUNNING
    ensure_choices = (RUNNING, STOPPED, UNMANAGED)
    provider_names = ("systemd",)
    verbs = ("disable", "enable", "mask", "reenable", "reload", "restart", "start", "stop", "unmask")
    provider_programs: Mapping[str, tuple[str, ...]] = {"systemd": ("systemctl",)}
    properties_class = ServiceProperties
    reversible = True
    own_properties = (
        Property(
            "enable",
            "boolean",
            nullable=True,
            choices=(MASK,),
            help="Whether it starts at boot, or `mask`: nothing can start it. Left as it is when not given.",
        ),
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

    def validate(self, properties: ServiceProperties) -> None:
        """Refuse other values of `ensure`, invalid unit names (@ is valid, decisions.md Q23), references without #."""
        super().validate(properties)
        if properties.ensure not in self.ensure_choices:
            from ...lang.go.quoting import quote

            raise InvalidResource(
                f"invalid ensure value: invalid ensure property {quote(properties.ensure)}"
                f' expects "{RUNNING}" or "{STOPPED}"',
                property="ensure",
                value=properties.ensure,
                advice=f'"{UNMANAGED}" leaves it as it is, and only enable is looked at',
            )
        check_name("service", properties.name, also_allowed="@", escapes=True)
        if properties.enable == MASK and properties.ensure == RUNNING:
            raise InvalidResource(
                f"enable cannot be {MASK} with ensure {RUNNING}: nothing can start a service that is masked",
                property="enable",
                value=MASK,
                advice=f"give ensure: {STOPPED}, or ensure: {UNMANAGED} to leave one that runs running",
            )
        for at, reference in enumerate(properties.subscribe):
            if "#" not in reference:
                from ...model.common import wrong_reference

                raise wrong_reference("invalid subscribe format", "subscribe", at, reference)

    def subscriptions(self, properties: ServiceProperties) -> list[str]:
        """Return references whose change restarts the service."""
        return properties.subscribe

    def decide(self, state: ServiceState, properties: ServiceProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 10: running or stopped first, then started at boot or not.

        A refresh restarts, or reloads, a running service that should run; a stopped one is started if it should run,
        and left stopped if not.
        """
        refresh = refresh and properties.ensure == state.ensure == RUNNING
        steps = []
        if refresh:
            is_reload = properties.meta is not None and properties.meta["refresh"] == RELOAD
            reload = _RELOAD if state.can_reload else _RELOAD_BY_RESTART
            steps.append(reload if is_reload else _RESTART)
        elif not _runs_as_wanted(state, properties.ensure):
            steps.append(_START if properties.ensure == RUNNING else _STOP)
        boot = _boot_steps(state, properties.enable)
        # A masked service can be started only afterwards.
        steps = [*boot, *steps] if boot[:1] == (_UNMASK,) else [*steps, *boot]
        if not steps:
            return NOTHING
        return Decision(*steps, refreshed=refresh, settled=refresh and len(steps) == 1)

    def shortfall(self, state: ServiceState, properties: ServiceProperties) -> str:
        """Return why the service is not in the wanted state, with the error output of systemctl (decisions.md Q22)."""
        if not _runs_as_wanted(state, properties.ensure):
            found = state.ensure if state.ensure != properties.ensure else state.activity
            reason = f"service is {found}, expected {properties.ensure}"
        elif _boot_steps(state, properties.enable):
            reason = _boot_shortfall(state, properties.enable)
        else:
            return ""
        return f"{properties.ensure}: {reason}" + (f": {' / '.join(state.messages)}" if state.messages else "")


def _runs_as_wanted(state: ServiceState, ensure: str) -> bool:
    """Return whether it runs as wanted; a service being started, or restarted for ever, is not stopped (Q93)."""
    if ensure == STOPPED and state.activity == ACTIVATING:
        return False
    return ensure in (UNMANAGED, state.ensure)


def _boot_steps(state: ServiceState, enable: bool | str | None) -> tuple[Step, ...]:
    """Return the steps until the service starts at boot or not, or is masked (decisions.md Q85, Q93, Q94)."""
    if enable is None:
        return ()
    word = state.unit_file
    if enable == MASK:
        return () if word == _MASKED[0] else (_MASK,)
    if enable in (UNMASK_AND_ENABLE, UNMASK_AND_DISABLE):
        enable = enable == UNMASK_AND_ENABLE
        if state.is_masked:
            return _UNMASK, _ENABLE if enable else _DISABLE
    if word in WITHOUT_INSTALL:
        return ()
    if enable:
        if word == _ENABLED:
            return (_REENABLE,) if state.missing_links else ()
        is_right = state.metadata["enabled"] and word != _ENABLED_AT_RUNTIME
        if word == _INDIRECT:
            is_right = not any(also in _CAN_BE_ENABLED for also in state.also)
        return () if is_right else (_ENABLE,)
    is_right = not state.metadata["enabled"]
    if word == _INDIRECT and state.also:
        is_right = not any(also in _CAN_BE_DISABLED for also in state.also)
    return () if is_right else (_DISABLE,)


def _boot_shortfall(state: ServiceState, enable: bool | str | None) -> str:
    """Return how the service differs from `enable`, for which it needs steps."""
    if enable == MASK:
        return f"service is {state.word}, expected masked"
    if enable in (UNMASK_AND_ENABLE, UNMASK_AND_DISABLE) and state.is_masked:
        return "service is masked, expected unmasked"
    if not enable or enable == UNMASK_AND_DISABLE:
        return "service is enabled, expected disabled"
    if not state.metadata["enabled"]:
        return "service is disabled, expected enabled"
    if state.unit_file == _ENABLED:
        return f"service is enabled, but lacks links that its [Install] names: {', '.join(state.missing_links)}"
    return f"service is {state.word}, expected enabled"


TYPE = ServiceType()
