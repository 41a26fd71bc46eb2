# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The output of systemctl for units, many at a time."""

from __future__ import annotations

from ...host import asking
from ...host.results import decode, in_one_line, output_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...host.results import Result

_PROPERTIES = "Id,Names,LoadState,ActiveState,NeedDaemonReload,FragmentPath,SourcePath,DropInPaths,Type"
# A name with another ending is that of a service.
_KINDS = {"service", "socket", "target", "device", "mount", "automount", "swap", "timer", "path", "slice", "scope"}
TEMPLATE = "template"
_GENERATED = "/run/systemd/generator"


class Unit:
    """A unit of systemd: `name` and `id` with their suffixes, `active` and `load` in systemd's words.

    systemd has no data for templates; they are stopped, and their `load` is TEMPLATE. `active` is empty when systemd
    gave no answer, and `words` is then its message. `fragment` is its file, `source` what that was generated from,
    `drop_ins` more files; `stale` whether systemd knows that these changed. `type` defines how a service reports that
    it is up.
    """

    def __init__(self, asked: str, properties: dict[str, str], words: str = "") -> None:
        self.asked = asked
        self.name = full_name(asked)
        self.id = properties.get("Id", self.name)
        self.names = properties.get("Names", self.name).split()
        self.load = properties.get("LoadState", "")
        self.active = properties.get("ActiveState", "")
        self.fragment = properties.get("FragmentPath", "")
        self.source = properties.get("SourcePath", "")
        self.drop_ins = properties.get("DropInPaths", "").split()
        self.stale = properties.get("NeedDaemonReload") == "yes"
        self.type = properties.get("Type", "")
        self.words = words

    @property
    def is_plain(self) -> bool:
        """Whether `systemctl is-enabled` returns it in the order of the arguments."""
        return bool(self.fragment) and not self.source and not self.fragment.startswith(_GENERATED)


class Answer:
    """The output of `systemctl is-enabled`: `text` without line ends, and its other `words`."""

    def __init__(self, text: str, words: str = "") -> None:
        self.text = text
        self.words = words


def full_name(name: str) -> str:
    """Return the name of a unit with its suffix, which is optional for a service."""
    return name if name.rpartition(".")[2] in _KINDS and "." in name[1:] else f"{name}.service"


def is_template(name: str) -> bool:
    """Return whether a name is that of a template, which can be enabled but never runs."""
    return full_name(name).rpartition(".")[0].endswith("@")


def show(names: Sequence[str]) -> dict[str, Unit]:
    """Return systemd's data of units, queried together, or one by one when a query fails for one of them."""
    real = [name for name in names if not is_template(name)]
    blocks = _shown(real)
    if len(blocks) == len(real):
        found = {name: Unit(name, properties) for name, properties in zip(real, blocks)}
    else:
        found = {name: _show_one(name) for name in real}
    for name in names:
        if name not in found:
            found[name] = Unit(name, {"ActiveState": "inactive", "LoadState": TEMPLATE})
    return found


def _shown(names: Sequence[str]) -> list[dict[str, str]]:
    result = _look("show", f"--property={_PROPERTIES}", names) if names else None
    return _blocks(result) if result and result.exit_code == 0 else []


def _show_one(name: str) -> Unit:
    result = _look("show", f"--property={_PROPERTIES}", [name])
    blocks = _blocks(result)
    if result.exit_code == 0 and len(blocks) == 1:
        return Unit(name, blocks[0])
    return Unit(name, {}, words_of(result))


def _blocks(result: Result) -> list[dict[str, str]]:
    blocks = [block for block in decode(result.stdout).split("\n\n") if block.strip()]
    return [dict(line.partition("=")[::2] for line in block.split("\n")) for block in blocks]


def enabledness(units: Sequence[Unit]) -> dict[str, Answer]:
    """Return the output of `systemctl is-enabled` for units, by the names of the query.

    It reads the disk each time, unlike `show`. All are queried together except those for which it would end early or
    change the order: units without a file, and scripts of System V.
    """
    plain = [unit.asked for unit in units if unit.is_plain]
    answers = {}
    if len(plain) > 1:
        result = _look("is-enabled", "--system", plain)
        lines = output_lines(result.stdout)
        if len(lines) == len(plain) and not result.stderr.strip():
            answers = {name: Answer(line) for name, line in zip(plain, lines)}
    for unit in units:
        if unit.asked not in answers:
            result = _look("is-enabled", "--system", [unit.asked])
            answers[unit.asked] = Answer(decode(result.stdout).strip("\n"), words_of(result))
    return answers


def words_of(result: Result) -> str:
    """Return the messages of a command, in one line."""
    return in_one_line([line.strip() for line in decode(result.stderr).splitlines() if line.strip()])


def _look(verb: str, option: str, names: Sequence[str]) -> Result:
    return asking.ask(["systemctl", verb, option, "--", *names])
