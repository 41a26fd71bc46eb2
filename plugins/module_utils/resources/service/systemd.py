# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Services of systemd (behaviour.md 10.1, decisions.md Q21-Q23, Q63)."""

from __future__ import annotations

import time

from ...model.errors import NotThereYet, ResourceFailed
from ...model.provider import Provider
from .type import RUNNING, STOPPED, ServiceProperties, ServiceState
from .unitfiles import UnitFiles
from .units import TEMPLATE, EnabledAnswer, Unit, enabled_answers, messages_of, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple

    from ...model.provider import ProviderContext
    from ...model.values import Difference

    #: Units by the names of resources, with the answers of `systemctl is-enabled`.
    Units = Dict[str, Tuple[Unit, EnabledAnswer]]

_ACTIVE = {
    "active": RUNNING,
    "reloading": RUNNING,
    "refreshing": RUNNING,
    "inactive": STOPPED,
    "failed": STOPPED,
    "activating": STOPPED,
    "deactivating": STOPPED,
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
    """What was read last in a run, and the generation of the last daemon-reload that this type asked for."""

    def __init__(self) -> None:
        self.known = _Known({}, -1)
        self.reload_generation = -1


class SystemdProvider(Provider[ServiceProperties, ServiceState]):
    """Reads the services of a run together, and again after a possible change (architecture.md, Snapshots)."""

    name = "systemd"

    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        self._latest = self.machine.known(_Latest)
        self._found: Unit | None = None
        self._read_not_before = 0.0

    def status(self, properties: ServiceProperties) -> ServiceState:
        """Return whether a service runs and is enabled.

        Raises NotThereYet for one unknown to systemd, ResourceFailed for output of systemd that is not understood.
        """
        name, known = properties.name, self._latest.known
        if known.generation != self.machine.generation:
            self.machine.run_postponed()
        if known.generation != self.machine.generation or name not in known.units:
            known = self._read_units(self._remaining_names(properties))
        unit, enabled = known.units[name]
        self._found = unit
        running = _is_running(unit)
        return _state(name, running, _is_enabled(unit, enabled), unit.pid)

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
        """Let the service read its configuration again; one that cannot is restarted."""
        self._systemctl("reload-or-restart", properties, state)

    def enable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Enable the service at boot."""
        self._systemctl("enable", properties, state)

    def disable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Disable the service at boot."""
        self._systemctl("disable", properties, state)

    def _systemctl(self, verb: str, properties: ServiceProperties, state: ServiceState) -> None:
        """Run `systemctl` with a verb. A failure raises nothing: its messages are kept in the state."""
        from .systemctl import act

        in_threads = self.machine.threads is not None
        more_follow = in_threads or any(other is properties for other in self.siblings[:-1])
        result = act(self.machine, verb, properties.name, more_follow)
        if "start" in verb and self._found and self._found.type in _SIMPLE_TYPES:
            self._read_not_before = time.monotonic() + _STARTUP_SECONDS
        if result.exit_code and result.stderr:
            state.messages = [*state.messages, messages_of(result)]

    def status_after(self, properties: ServiceProperties, before: ServiceState) -> ServiceState:
        """Return the state after acting, with the output of systemctl."""
        wait = self._read_not_before - time.monotonic()
        if wait > 0:
            self.machine.pause(wait)
        self._read_units(self._remaining_names(properties))
        try:
            state = self.status(properties)
        except NotThereYet as error:
            if not isinstance(error.expected, ServiceState):
                raise
            state = error.expected  # a unit may disappear when it is stopped or disabled
        state.messages = before.messages
        return state

    def differences(self, properties: ServiceProperties, state: ServiceState) -> list[Difference]:
        """Return what acting will change."""
        from .difference import differences

        return differences(properties, state)

    def _remaining_names(self, properties: ServiceProperties) -> list[str]:
        """Return the current name and those of the resources after it, only a few directly after a change."""
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
            from .systemctl import reload_units

            reload_units(self.machine)
            generation = self._latest.reload_generation = self.machine.generation
            units, files = show(self.machine, names), UnitFiles()
        # Do not keep missing units: a package may install them before their resource runs.
        there = [unit for name, unit in units.items() if unit.load not in ("", _MISSING) or name == names[0]]
        surely_enabled = {unit.requested: EnabledAnswer("enabled") for unit in there if files.surely_enabled(unit)}
        others = [unit for unit in there if unit.requested not in surely_enabled]
        states = {**enabled_answers(self.machine, others), **surely_enabled}
        known = _Known({unit.requested: (unit, states[unit.requested]) for unit in there}, generation)
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


def _state(name: str, running: bool, enabled: bool, pid: int = 0) -> ServiceState:
    metadata = {"name": name, "provider": SystemdProvider.name, "enabled": enabled, "running": running}
    state = ServiceState(name, RUNNING if running else STOPPED, {"metadata": metadata})
    state.pid = pid
    return state
