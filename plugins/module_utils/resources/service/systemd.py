# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Services of systemd (behaviour.md 10.1, decisions.md Q21-Q23, Q63)."""

from __future__ import annotations

import time
from functools import partial

from ...host.errors import HostError
from ...host.results import output_lines
from ...model.errors import NotThereYet, ResourceFailed
from ...model.provider import Provider
from .type import RUNNING, STOPPED, ServiceProperties, ServiceState
from .unitfiles import UnitFiles
from .units import TEMPLATE, Answer, Unit, enabledness, show, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from ...host.results import Result
    from ...model.provider import ProviderContext
    from ...model.values import Difference

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
# The most units read at once after a change: a unit that does not run takes systemd 4 ms, and a run that changes one
# unit after the other should not read all of them each time.
_FEW = 2
# A service of these types counts as running as soon as its process exists. One that finds its configuration wrong ends
# within this time, in seconds, and must not count as running; the original detects it, since it reloads meanwhile.
_SIMPLE_TYPES = ("simple", "exec", "idle")
_FIRST_STEPS = 0.06


class SystemdProvider(Provider[ServiceProperties, ServiceState]):
    """Reads the services of a run at once, and again when the machine may have changed (design.md, Snapshots)."""

    name = "systemd"

    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        self._seen: dict[str, tuple[Unit, Answer]] = {}
        self._seen_at = -1
        self._reloaded_at = -1
        self._steady_at = 0.0

    def status(self, properties: ServiceProperties) -> ServiceState:
        """Return whether a service runs and is enabled.

        Raises NotThereYet for one unknown to systemd, ResourceFailed for output of systemd that is not understood.
        """
        name = properties.name
        if self._seen_at != self.machine.generation:
            self.machine.run_postponed()
        if self._seen_at != self.machine.generation or name not in self._seen:
            self._look(self._to_come(properties))
        unit, answer = self._seen[name]
        running = _is_running(unit)
        return _state(name, running, _is_enabled(unit, answer))

    def start(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Start the service."""
        self._systemctl("start", properties, state)

    def stop(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Stop the service."""
        self._systemctl("stop", properties, state)

    def restart(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Restart the service."""
        self._systemctl("restart", properties, state)

    def enable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Have the service started at boot."""
        self._systemctl("enable", properties, state)

    def disable(self, properties: ServiceProperties, state: ServiceState) -> None:
        """Have the service not started at boot."""
        self._systemctl("disable", properties, state)

    def _systemctl(self, verb: str, properties: ServiceProperties, state: ServiceState) -> None:
        """Run `systemctl` with a verb, ignoring its exit code; the state keeps its output when it failed."""
        is_followed = any(other is properties for other in self.siblings[:-1])
        result = act(self.machine, verb, properties.name, is_followed)
        if verb in ("start", "restart") and self._seen[properties.name][0].type in _SIMPLE_TYPES:
            self._steady_at = time.monotonic() + _FIRST_STEPS
        if result.exit_code and result.stderr:
            state.said = [*state.said, words_of(result)]

    def status_after(self, properties: ServiceProperties, before: ServiceState) -> ServiceState:
        """Return the state after acting, with the output of systemctl."""
        time.sleep(max(0.0, self._steady_at - time.monotonic()))
        self._look(self._to_come(properties))
        try:
            state = self.status(properties)
        except NotThereYet as error:
            if not isinstance(error.expected, ServiceState):
                raise
            state = error.expected  # a unit may disappear when it is stopped or disabled
        state.said = before.said
        return state

    def differences(self, properties: ServiceProperties, state: ServiceState) -> list[Difference]:
        """Return what acting will change."""
        return differences(properties, state)

    def _to_come(self, properties: ServiceProperties) -> list[str]:
        """Return the current name and those of the resources after it, only a few directly after a change."""
        names = [properties.name]
        for place, expected in enumerate(self.siblings):
            if expected is properties:
                names = [other.name for other in self.siblings[place:]]
        just_changed = self._seen_at not in (-1, self.machine.generation)
        return list(dict.fromkeys(names[:_FEW] if just_changed else names))

    def _look(self, names: list[str]) -> None:
        units, files = show(names), UnitFiles()
        if self._must_reload(units[names[0]], units, files):
            reload_units(self.machine)
            self._reloaded_at = self.machine.generation
            units, files = show(names), UnitFiles()
        self._seen_at = self.machine.generation
        # A missing unit may be installed before its turn, so its state now is not kept for later resources.
        there = [unit for name, unit in units.items() if unit.load not in ("", _MISSING) or name == names[0]]
        plain = {unit.asked: Answer("enabled") for unit in there if files.plainly_enabled(unit)}
        answers = {**enabledness([unit for unit in there if unit.asked not in plain]), **plain}
        self._seen = {unit.asked: (unit, answers[unit.asked]) for unit in there}

    def _must_reload(self, at_hand: Unit, units: dict[str, Unit], files: UnitFiles) -> bool:
        """Return whether systemd must read the disk.

        Something there changed, or a generator may make a missing unit.
        """
        if at_hand.load in (_MISSING, "error") and self._reloaded_at != self.machine.generation:
            return True
        # While a reload is due, systemd 257 calls every unit stale. No other process has changed anything since.
        tells_stale = self.machine.postponed is None
        return any((unit.stale and tells_stale) or files.outdated(unit) for unit in units.values())


def _is_running(unit: Unit) -> bool:
    ensure = _ACTIVE.get(unit.active)
    if ensure is None:
        raise ResourceFailed(f"invalid systemctl is-active output: {unit.active or unit.words}")
    return ensure == RUNNING


def _is_enabled(unit: Unit, answer: Answer) -> bool:
    if answer.text in _ENABLED or answer.text in _DISABLED:
        return answer.text in _ENABLED
    if answer.text == _MISSING:
        message = f"service {unit.asked} not found"
    else:
        message = "invalid systemctl is-enabled output: " + ": ".join(filter(None, (answer.text, answer.words)))
    if unit.load in (_MISSING, TEMPLATE) and answer.text in ("", _MISSING):
        if not answer.text:
            # Older versions of systemd have no word for it.
            message = f"{message}: service {unit.asked} not found"
        error = NotThereYet(message)
        error.expected = _state(unit.asked, running=False, enabled=False)
        raise error
    raise ResourceFailed(message)


def _state(name: str, running: bool, enabled: bool) -> ServiceState:
    metadata = {"name": name, "provider": SystemdProvider.name, "enabled": enabled, "running": running}
    return ServiceState(name, RUNNING if running else STOPPED, {"metadata": metadata})


_INSTALLING = ("enable", "disable")
_AT_BOOT = "/etc/systemd/system/multi-user.target.wants/"


def act(machine: Machine, verb: str, name: str, is_followed: bool) -> Result:
    """Run `systemctl` with a verb for a unit; `is_followed` when more services of the run come after it."""
    waiting, machine.postponed = machine.postponed, None
    try:
        if verb not in _INSTALLING:
            return machine.run(["systemctl", verb, "--system", "--", name])
        if not is_followed:
            result = machine.run(["systemctl", verb, "--system", "--", name])
            waiting = waiting if result.exit_code else None
            return result
        result = machine.run(["systemctl", verb, "--system", "--no-reload", "--", name])
        waiting = partial(_reload_late, machine)
        if not _is_for_boot(result):
            reload_units(machine)
            waiting = None
        return result
    finally:
        machine.postponed = waiting


def reload_units(machine: Machine) -> None:
    """Make systemd read all its units again; this is then no longer postponed."""
    machine.postponed = None
    machine.run(["systemctl", "daemon-reload"])


def _reload_late(machine: Machine) -> None:
    try:
        reload_units(machine)
    except HostError:
        return  # systemctl is missing; the next command that runs is not the one to report it


def _is_for_boot(result: Result) -> bool:
    """Return whether all changed links are those that multi-user.target wants."""
    lines = output_lines(result.stderr)
    return bool(lines) and all(_link_in(line).startswith(_AT_BOOT) for line in lines)


def _link_in(line: str) -> str:
    for beginning in ("Created symlink ", "Removed "):
        if line.startswith(beginning):
            return line[len(beginning) :].lstrip("\"'")
    return ""


def differences(properties: ServiceProperties, state: ServiceState) -> list[Difference]:
    """Return whether it runs and whether it starts at boot, before and after, for what will change."""
    wanted = {"ensure": properties.ensure, "enabled": properties.enable}
    found: dict[str, str | bool | None] = {"ensure": state.ensure, "enabled": state.metadata.get("enabled")}
    other = {key: value for key, value in wanted.items() if value is not None and value != found[key]}
    if not other:
        return []
    header = f"service {properties.name}"
    before = {key: found[key] for key in other}
    return [{"before_header": header, "after_header": header, "before": before, "after": other}]
