# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The relations between packages, and how apt would apply them."""

from __future__ import annotations

from ...host.results import decode, output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_get import INSTALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Sequence

    from ...host.machine import Machine

    Groups = list[tuple[str, ...]]

_NEEDED = ("Depends", "Pre-Depends")
_WANTED = (*_NEEDED, "Recommends")
_REFUSED = ("Conflicts", "Breaks", "Replaces")
_NOTHING_THERE = ("config-files", "not-installed")
_HINTED = ("Suggests", "Enhances")
_FIELDS = ("Package", "Section", "Provides", *_WANTED, *_REFUSED, *_HINTED)
_DPKG_FORMAT = "${db:Status-Status}\n" + "".join(f"{field}: ${{{field}}}\n" for field in _FIELDS) + "\n"
# Dependencies of packages of these sections are not marked as installed automatically.
_COLLECTIONS = ("metapackages", "tasks")


class Relations:
    """The relations of one version of a package: `needs` and `wants` are groups of alternatives, by name alone.

    `wants` are the needs and the packages that apt installs with them by default; `refuses` are the names that it
    conflicts with, breaks or replaces, `hints` the names that it suggests or enhances, `names` its own name and the
    names that it provides.
    """

    def __init__(self, fields: dict[str, str]) -> None:
        self.name = fields["Package"]
        self.names = {self.name, *_flat(fields, ("Provides",))}
        self.needs = _groups(fields, _NEEDED)
        self.wants = _groups(fields, _WANTED)
        self.refuses = set(_flat(fields, _REFUSED))
        self.hints = set(_flat(fields, _HINTED))
        self.is_collection = fields.get("Section", "").rpartition("/")[2] in _COLLECTIONS

    @property
    def mentioned(self) -> set[str]:
        """All names that it is related to."""
        return self.refuses.union(*self.wants)


def installed_relations(machine: Machine) -> dict[str, Relations]:
    """Return the packages that are installed at least in part, by name; several architectures of one count as one."""
    found: dict[str, Relations] = {}
    for paragraph in _paragraphs(machine, ["dpkg-query", "-W", f"-f={_DPKG_FORMAT}"]):
        status, _newline, text = paragraph.partition("\n")
        if status in _NOTHING_THERE:
            continue
        relations = Relations(_fields(text))
        if relations.name in found:
            _merge(found[relations.name], relations)
        else:
            found[relations.name] = relations
    return found


def candidate_relations(machine: Machine, names: Iterable[str]) -> dict[str, Relations]:
    """Return the relations of the candidates of those packages among `names` that apt knows."""
    argv = ["apt-cache", "show", "--no-all-versions", *names]
    relations = (Relations(_fields(paragraph)) for paragraph in _paragraphs(machine, argv))
    return {found.name: found for found in relations}


def installs_recommended(machine: Machine) -> bool:
    """Return whether apt is configured to install recommended packages."""
    setting = decode(apt_tools.query(machine, ["apt-config", "shell", "answer", "APT::Install-Recommends/b"]).stdout)
    return "false" not in setting


def simulated_installs(machine: Machine, wanted: Sequence[str]) -> dict[str, str]:
    """Return what an installation of `wanted` (`name` or `name=version` each) would install or upgrade.

    The values are the versions that are installed now, "" for none. Raises ResourceFailed when it would fail, or remove
    anything.
    """
    result = apt_tools.query(machine, [INSTALL[0], "-s", *INSTALL[1:], *wanted])
    lines = output_lines(result.stdout)
    if result.exit_code or any(line.startswith("Remv ") for line in lines):
        raise ResourceFailed("not to be installed together")
    found = {}
    for line in lines:
        words = line.split(" ")
        if words[0] == "Inst":
            found[words[1]] = words[2].strip("[]") if words[2].startswith("[") else ""
    return found


def _paragraphs(machine: Machine, argv: Sequence[str]) -> Iterator[str]:
    return (paragraph for paragraph in decode(apt_tools.query(machine, argv).stdout).split("\n\n") if paragraph.strip())


def _fields(paragraph: str) -> dict[str, str]:
    found = {}
    for line in paragraph.split("\n"):
        name, colon, value = line.partition(":")
        if colon and name in _FIELDS:
            found[name] = value.strip()
    return found


def _groups(fields: dict[str, str], which: tuple[str, ...]) -> Groups:
    """Return the alternatives of each requirement, without versions and architectures."""
    return [
        tuple(alternative.split("(")[0].strip().partition(":")[0] for alternative in group.split("|"))
        for field in which
        for group in fields.get(field, "").split(",")
        if group.strip()
    ]


def _flat(fields: dict[str, str], which: tuple[str, ...]) -> Iterator[str]:
    return (name for group in _groups(fields, which) for name in group)


def _merge(into: Relations, other: Relations) -> None:
    into.names |= other.names
    into.needs += other.needs
    into.wants += other.wants
    into.refuses |= other.refuses
    into.hints |= other.hints
