# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Services of systemd (behaviour.md 10.1, decisions.md Q21-Q23, Q63, Q85, Q93, Q94)."""

from __future__ import annotations

import time

from ...model.errors import NotThereYet, ResourceFailed
from ...model.provider import Provider
from .type import (
    ACTIVATING,
    DEACTIVATING,
    RUNNING,
    STOPPED,
    TYPE,
    WITHOUT_INSTALL,
    ServiceProperties,
    ServiceState,
)
from .unitfiles import UnitFiles
from .units import TEMPLATE, EnabledAnswer, Unit, all_enabled_answers, messages_of, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple

    from ...host.results import Result
    from ...model.provider import ProviderContext
    from ...model.values import Difference
    from .systemctl import Systemctl

    #: Units by the names of resources, with the answers of `systemctl is-enabled`.
    Units = Dict[str, Tuple[Unit, EnabledAnswer]]

_ACTIVE = {
    "active": RUNNING,
    "reloading": RUNNING,
    "refreshing": RUNNING,
    "inactive": STOPPED,
    "failed": STOPPED,
    ACTIVATING: STOPPED,
    DEACTIVATING: STOPPED,
}
_ENABLED = {"enabled", "enabled-runtime", "alias", "static", "indirect", "generated", "transient"}
_DISABLED = {"linked", "linked-runtime", "masked", "masked-runtime", "disabled"}
_MISSING = "not-found"
# Reading a stopped unit takes systemd 4 ms. Therefore only this many units are read together after a change.
_MOST_AFTER_CHANGE = 2
# For services of these types, `systemctl start` returns before the service has read its configuration. So the state is
# read only _STARTUP_SECONDS after the start: a service that ends immediately does not count as running. The original
# runs daemon-reload between the start and reading the state, which takes longer.
_SIMPLE_TYPES = ("simple", "exec", "idle")
_STARTUP_SECONDS = 0.06


class _Known:
    """The `units` of a run, as they were read at a `generation` of the machine. Threads replace both at once."""

    def __init__(self, units: Units, generation: int) -> None:
        self.units = units
        self.generation = generation


class _Latest:
    """What was read last in a run, the generation of the last daemon-reload that this type asked for, and warnings."""

    def __init__(self) -> None:
        self.known = _Known({}, -1)
        self.reload_generation = -1
        self.warned: set[str] = set()


class SystemdProvider(Provider[ServiceProperties, ServiceState]):
    """Reads the services of a run together, and again after a possible change (architecture.md, Snapshots)."""

    name = "systemd"

    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        self._latest = self.machine.known(_Latest)
        self._found: Unit | None = None
        self._read_not_before = 0.0

    def status(self, properties: ServiceProperties) -> ServiceState:
        """Return whether a service runs and is enabled; wait for a service that should be stopped and is stopping.

        Raises NotThereYet for a service unknown to systemd, ResourceFailed for output of systemd that is not
        understood, and when a service does not stop in its time.
        """
        state = self._state(properties)
        if state.activity == DEACTIVATING and properties.ensure == STOPPED and not self.context.noop:
            from .waiting import wait_until_stopped

            wait_until_stopped(self.machine, properties.name, self.user_log)
            self._read_units(self._remaining_names(properties))
            state = self._state(properties)
        if properties.enable is True and state.unit_file in WITHOUT_INSTALL:
            self._warn_of_no_install(properties.name, state.unit_file)
        return state

    def _state(self, properties: ServiceProperties) -> ServiceState:
        name, known = properties.name, self._latest.known
        if known.generation != self.machine.generation:
            self.machine.run_postponed()
        if known.generation != self.machine.generation or name not in known.units:
            known = self._read_units(self._remaining_names(properties))
        self._found = known.units[name][0]
        return _state_of(name, *known.units[name])

    def _warn_of_no_install(self, name: str, word: str) -> None:
        if name not in self._latest.warned:
            self._latest.warned.add(name)
            message = f"The unit is {word}: it has no [Install], so enable: true changes nothing"
            self.user_log.warn(message, resource=f"{TYPE.name}#{name}")

    def require_possible(self, verb: str, properties: ServiceProperties, state: ServiceState) -> None:
        """Raise NotThereYet when the unit is masked and the verb cannot be done, or when its file cannot be masked."""
        from .reasons import require_possible

        require_possible(verb, self._found, properties, state)

    def start(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Start the service."""
        self._systemctl("start", properties, state)

    def stop(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Stop the service."""
        self._systemctl("stop", properties, state)

    def restart(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Restart the service."""
        self._systemctl("restart", properties, state)

    def reload(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Let the service read its configuration again; restart a service that cannot."""
        self._systemctl("reload-or-restart", properties, state)

    def enable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Enable the service at boot."""
        self._systemctl("enable", properties, state)

    def reenable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Enable the service by the links that its [Install] names now, and log the links that went.

        A unit whose file is elsewhere gets the missing links only: systemd would forget it.
        """
        systemctl = self._program()
        linked = self._found is not None and systemctl.is_linked(self._found)
        gone = systemctl.links_gone(self._systemctl("enable" if linked else "reenable", properties, state))
        if gone:
            message = "Links that [Install] does not name were removed"
            self.user_log.info(message, resource=f"{TYPE.name}#{properties.name}", links=" ".join(gone))

    def disable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Disable the service at boot, and until the next boot where it is enabled so."""
        if state.unit_file != "enabled-runtime":
            self._systemctl("disable", properties, state)
        if self._program().is_enabled_at_runtime(properties.name):
            self._systemctl("disable", properties, state, "--runtime")

    def mask(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Mask the service by its own name, as a masked alias leaves the unit itself as it is."""
        self._systemctl("mask", properties, state, name=self._found.id if self._found else "")

    def unmask(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Remove the masks of the service, also when it is named by an alias."""
        name = UnitFiles().own_name(self._found.id) if self._found else ""
        self._systemctl("unmask", properties, state, name=name)

    def _program(self) -> Systemctl:
        from .systemctl import Systemctl

        return Systemctl(self.machine)

    def _systemctl(
        self, verb: str, properties: ServiceProperties, state: ServiceState, *options: str, name: str = ""
    ) -> Result:
        """Run `systemctl` with a verb. A failure raises nothing: its messages are kept in the state."""
        in_graph_order = self.machine.commands is not None
        more_follow = in_graph_order or any(other is properties for other in self.siblings[:-1])
        result = self._program().act(verb, name or properties.name, more_follow, options)
        if "start" in verb and self._found and self._found.type in _SIMPLE_TYPES:
            self._read_not_before = time.monotonic() + _STARTUP_SECONDS
        if result.exit_code and result.stderr:
            state.messages = [*state.messages, messages_of(result)]
        return result

    def status_after(self, properties: ServiceProperties, before: ServiceState) -> ServiceState:
        """Return the state after acting, with the output of systemctl, and the reason when it cannot run."""
        own_name = self._found.id if self._found and self._found.id != self._found.name else ""
        wait = self._read_not_before - time.monotonic()
        if wait > 0:
            self.machine.pause(wait)
        self._read_units(self._remaining_names(properties))
        try:
            state = self._state(properties)
        except NotThereYet as error:
            if own_name:
                state = self._state_by(own_name, properties)
            elif isinstance(error.expected, ServiceState):
                state = error.expected  # a unit may disappear when it is stopped or disabled
            else:
                raise
        state.messages = before.messages
        if properties.ensure == RUNNING != state.ensure and self._found:
            from .reasons import why_not_running

            state.messages = [*state.messages, *why_not_running(self.machine, self._found)]
        return state

    def _state_by(self, own_name: str, properties: ServiceProperties) -> ServiceState:
        """Return the state of a unit that was asked for by an alias, which is no longer there, by its own name."""
        reference = f"{TYPE.name}#{properties.name}"
        self.user_log.warn(f"The name was an alias of {own_name}, and no longer exists", resource=reference)
        self._found, answer = self._read_units([own_name]).units[own_name]
        return _state_of(properties.name, self._found, answer)

    def differences(self, properties: ServiceProperties, state: ServiceState) -> list[Difference]:
        """Return what acting will change."""
        from .difference import differences

        return differences(properties, state)

    def _remaining_names(self, properties: ServiceProperties) -> list[str]:
        """Return the current name and the names of the resources after it, only a few directly after a change."""
        names = [properties.name]
        for place, expected in enumerate(self.siblings):
            if expected is properties:
                names = [other.name for other in self.siblings[place:]]
        just_changed = self._latest.known.generation not in (-1, self.machine.generation)
        return list(dict.fromkeys(names[:_MOST_AFTER_CHANGE] if just_changed else names))

    def _read_units(self, names: list[str]) -> _Known:
        generation = self.machine.generation
        units, files = show(self.machine, names), UnitFiles()
        if self._must_reload(units[names[0]], units, files):
            self._program().reload_units()
            generation = self._latest.reload_generation = self.machine.generation
            units, files = show(self.machine, names), UnitFiles()
        # Do not keep missing units: a package may install them before their resource runs.
        there = [unit for name, unit in units.items() if unit.load not in ("", _MISSING) or name == names[0]]
        enabled = all_enabled_answers(self.machine, there, files)
        known = _Known({unit.requested: (unit, enabled[unit.requested]) for unit in there}, generation)
        self._latest.known = known
        return known

    def _must_reload(self, current: Unit, units: dict[str, Unit], files: UnitFiles) -> bool:
        """Return whether a daemon-reload is needed.

        Unit files changed, or the `current` unit is missing and a generator may make it.
        """
        if current.load in (_MISSING, "error") and self._latest.reload_generation != self.machine.generation:
            return True
        # While our own reload is postponed, systemd 257 calls every unit stale; `unit.stale` is then ignored.
        stale_is_reliable = self.machine.postponed is None
        return any((unit.stale and stale_is_reliable) or files.outdated(unit) for unit in units.values())


def _is_running(unit: Unit) -> bool:
    ensure = _ACTIVE.get(unit.active)
    if ensure is None:
        # The words of the original, which runs is-active.
        raise ResourceFailed(f"invalid systemctl is-active output: {unit.active or unit.messages}")
    return ensure == RUNNING


def _is_enabled(unit: Unit, enabled: EnabledAnswer) -> bool:
    if enabled.text in _ENABLED or enabled.text in _DISABLED:
        return enabled.text in _ENABLED
    if enabled.text == _MISSING:
        message = f"service {unit.requested} not found"
    else:
        message = "invalid systemctl is-enabled output: " + ": ".join(filter(None, (enabled.text, enabled.messages)))
    if unit.load in (_MISSING, TEMPLATE) and enabled.text in ("", _MISSING):
        if not enabled.text:
            # Older versions of systemd have no word for it.
            message = f"{message}: service {unit.requested} not found"
        error = NotThereYet(message)
        error.expected = _state(unit.requested, running=False, enabled=False)
        raise error
    raise ResourceFailed(message)


def _state_of(name: str, unit: Unit, answer: EnabledAnswer) -> ServiceState:
    """Return the state of a unit that is asked for by `name`. Raises NotThereYet and ResourceFailed."""
    running = _is_running(unit)
    state = _state(name, running, _is_enabled(unit, answer), unit.pid)
    state.unit_file = answer.text
    state.missing_links, state.also = answer.missing_links, answer.also
    state.can_reload = unit.can_reload
    if unit.active in (ACTIVATING, DEACTIVATING):
        state.activity = unit.active
    return state


def _state(name: str, running: bool, enabled: bool, pid: int = 0) -> ServiceState:
    metadata = {"name": name, "provider": SystemdProvider.name, "enabled": enabled, "running": running}
    state = ServiceState(name, RUNNING if running else STOPPED, {"metadata": metadata})
    state.pid = pid
    return state


PROVIDER: type[Provider[ServiceProperties, ServiceState]] = SystemdProvider
