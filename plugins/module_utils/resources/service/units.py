# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The output of systemctl for units, many at a time."""

from __future__ import annotations

from ...host.results import decode, in_one_line, output_lines
from .unitfiles import install_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.machine import Machine
    from ...host.results import Result
    from .unitfiles import UnitFiles

_PROPERTIES = (
    "Id,Names,LoadState,ActiveState,NeedDaemonReload,FragmentPath,SourcePath,DropInPaths,Type,MainPID,CanReload"
)
# The suffixes of units. A name without one of them is the name of a service.
_KINDS = {"service", "socket", "target", "device", "mount", "automount", "swap", "timer", "path", "slice", "scope"}
TEMPLATE = "template"
_GENERATED = "/run/systemd/generator"
_ENABLED = "enabled"


class Unit:
    """A unit of systemd: `requested` is the name in the manifest, `name` the same with its suffix, `id` the main name.

    `names` are all its names, `active` and `load` as systemd reports them.

    systemd has no data for templates; they are stopped, and their `load` is TEMPLATE. `active` is empty when systemd
    gave no answer, and `messages` is then its stderr. `fragment` is the unit file, `source` the file that it was
    generated from, `drop_ins` are files that add settings; `stale` is whether systemd reports that one of these
    changed. `type` defines how a service reports that it is up, `pid` is its main process, 0 without one; a service
    that cannot reload (`can_reload`) is restarted instead.
    """

    def __init__(self, requested: str, properties: dict[str, str], messages: str = "") -> None:
        self.requested = requested
        self.name = full_name(requested)
        self.id = properties.get("Id", self.name)
        self.names = _words(properties.get("Names", self.name))
        self.load = properties.get("LoadState", "")
        self.active = properties.get("ActiveState", "")
        self.fragment = properties.get("FragmentPath", "")
        self.source = properties.get("SourcePath", "")
        self.drop_ins = _words(properties.get("DropInPaths", ""))
        self.stale = properties.get("NeedDaemonReload") == "yes"
        self.type = properties.get("Type", "")
        self.pid = int(properties.get("MainPID", 0))
        self.can_reload = properties.get("CanReload") != "no"
        self.messages = messages

    @property
    def is_queried_with_others(self) -> bool:
        """Whether its line in the output of `is-enabled` for many units has the place of its name."""
        return bool(self.fragment) and not self.source and not self.fragment.startswith(_GENERATED)


class EnabledAnswer:
    """The output of `systemctl is-enabled`: `text` without line ends, and the `messages` on stderr.

    `missing_links` are links that [Install] names and that are not there; `also` the output for the units that it has
    in `Also=`.
    """

    missing_links: Sequence[str] = ()
    also: Sequence[str] = ()

    def __init__(self, text: str, messages: str = "") -> None:
        self.text = text
        self.messages = messages


def full_name(name: str) -> str:
    """Return the name of a unit with its suffix, which is optional for a service."""
    return name if name.rpartition(".")[2] in _KINDS and "." in name[1:] else f"{name}.service"


def _words(text: str) -> list[str]:
    """Return the words of a list in the output of `systemctl show`, which quotes words with a backslash."""
    words = text.split()
    if '"' not in text:
        return words
    return [word[1:-1].replace("\\\\", "\\") if word[0] == '"' else word for word in words]


def is_template(name: str) -> bool:
    """Return whether a name belongs to a template, which can be enabled but never runs."""
    return full_name(name).rpartition(".")[0].endswith("@")


def show(machine: Machine, names: Sequence[str]) -> dict[str, Unit]:
    """Return systemd's data of units, queried together, or one by one when a query fails for one of them."""
    real = [name for name in names if not is_template(name)]
    blocks = _shown(machine, real)
    if len(blocks) == len(real):
        found = {name: Unit(name, properties) for name, properties in zip(real, blocks)}
    else:
        found = {name: _show_one(machine, name) for name in real}
    for name in names:
        if name not in found:
            found[name] = Unit(name, {"ActiveState": "inactive", "LoadState": TEMPLATE})
    return found


def _shown(machine: Machine, names: Sequence[str]) -> list[dict[str, str]]:
    result = _systemctl(machine, "show", f"--property={_PROPERTIES}", names) if names else None
    return _blocks(result) if result and result.exit_code == 0 else []


def _show_one(machine: Machine, name: str) -> Unit:
    result = _systemctl(machine, "show", f"--property={_PROPERTIES}", [name])
    blocks = _blocks(result)
    if result.exit_code == 0 and len(blocks) == 1:
        return Unit(name, blocks[0])
    return Unit(name, {}, messages_of(result))


def _blocks(result: Result) -> list[dict[str, str]]:
    blocks = [block for block in decode(result.stdout).split("\n\n") if block.strip()]
    return [dict(line.partition("=")[::2] for line in block.split("\n")) for block in blocks]


def enabled_answers(machine: Machine, units: Sequence[Unit]) -> dict[str, EnabledAnswer]:
    """Return the output of `systemctl is-enabled` for units, by their names in the manifest.

    `is-enabled` reads the disk each time, unlike `show`. All are queried together except those for which it would end
    early or change the order: units without a file, and scripts of System V.
    """
    plain = [unit.requested for unit in units if unit.is_queried_with_others]
    states = {}
    if len(plain) > 1:
        result = _systemctl(machine, "is-enabled", "--system", plain)
        lines = output_lines(result.stdout)
        if len(lines) == len(plain) and not result.stderr.strip():
            states = {name: EnabledAnswer(line) for name, line in zip(plain, lines)}
    for unit in units:
        if unit.requested not in states:
            result = _systemctl(machine, "is-enabled", "--system", [unit.requested])
            states[unit.requested] = EnabledAnswer(decode(result.stdout).strip("\n"), messages_of(result))
    return states


def all_enabled_answers(machine: Machine, units: Sequence[Unit], files: UnitFiles) -> dict[str, EnabledAnswer]:
    """Return whether units that are not outdated are enabled, by their names in the manifest.

    One command asks for all that are not surely enabled, and for the units that these have in `Also=`.
    """
    found: dict[str, EnabledAnswer] = {}
    asked: dict[str, Unit] = {}
    also_of: dict[str, Sequence[str]] = {}
    missing: dict[str, Sequence[str]] = {}
    for unit in units:
        install = files.install_of(unit)
        links = install_links(unit, install)
        missing[unit.requested], has_link = files.missing_links(unit, links) if links else ((), False)
        if files.surely_enabled(unit, has_link):
            found[unit.requested] = EnabledAnswer(_ENABLED)
            continue
        asked[unit.requested] = unit
        also_of[unit.requested] = () if links else install.get("Also", ())
    for name in sorted({name for names in also_of.values() for name in names} - set(asked)):
        path = files.first(name) if "%" not in name else ""
        if path:
            asked[name] = Unit(name, {"FragmentPath": path})
    answered = enabled_answers(machine, list(asked.values()))
    for requested, names in also_of.items():
        answered[requested].also = [answered[name].text for name in names if name in answered]
    # A unit may be both in the manifest and in `Also=` of another one.
    found.update({unit.requested: answered[unit.requested] for unit in units if unit.requested in answered})
    for requested, answer in found.items():
        answer.missing_links = missing[requested] if answer.text == _ENABLED else ()
    return found


def messages_of(result: Result) -> str:
    """Return the messages of a command, in one line."""
    return in_one_line([line.strip() for line in decode(result.stderr).splitlines() if line.strip()])


def _systemctl(machine: Machine, verb: str, option: str, names: Sequence[str]) -> Result:
    return machine.query(["systemctl", verb, option, "--", *names])
