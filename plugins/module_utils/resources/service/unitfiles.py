# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that systemd makes units from, as they are on disk now.

systemd 247 to 257 reports NeedDaemonReload=no when a new unit file replaces the loaded one, when a unit is masked or
unmasked by hand, and (before 257) when a unit gets its first drop-in. So that no service is restarted with old
settings, the loaded paths are compared with those that would be loaded.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from .units import Unit

_PERSISTENT = "/etc/systemd/system"
# The search path of systemd: the first directory that has a file wins (systemd.unit(5)).
FOLDERS = (
    "/etc/systemd/system.control",
    "/run/systemd/system.control",
    "/run/systemd/transient",
    "/run/systemd/generator.early",
    _PERSISTENT,
    "/etc/systemd/system.attached",
    "/run/systemd/system",
    "/run/systemd/system.attached",
    "/run/systemd/generator",
    "/usr/local/lib/systemd/system",
    "/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/run/systemd/generator.late",
)


class UnitFiles:
    """The folders of unit files, each listed once, when this is made."""

    def __init__(self, folders: Sequence[str] = FOLDERS) -> None:
        self._folders = [(folder, _names_in(folder)) for folder in folders]
        self._enabled: set[str] | None = None

    def outdated(self, unit: Unit) -> bool:
        """Return whether systemd has loaded another file of a unit, or other drop-ins, than are on disk."""
        if unit.load not in ("loaded", "masked"):
            return False
        found = self._first(unit.id)
        if found and not _same(found, unit.fragment):
            return True
        return unit.load == "loaded" and self._drop_ins(unit) != _unmasked(unit.drop_ins)

    def surely_enabled(self, unit: Unit) -> bool:
        """Return whether a unit that is not `outdated` is surely enabled; False when this is not known.

        It has its own file, and a link in a directory `.wants` or `.requires`. Every version of systemd calls that
        enabled, and a query would take fifty times as long.
        """
        if unit.load != "loaded" or unit.name != unit.id or os.path.basename(unit.fragment) != unit.id:
            return False
        if unit.source or unit.fragment.startswith("/run/") or os.path.islink(unit.fragment):
            return False
        if _is_masked(unit.fragment):
            return False
        if self._enabled is None:
            self._enabled = set(self._links_of_enabled())
        return unit.id in self._enabled

    def _first(self, id: str) -> str:
        """Return the file of a unit, "" when there is none; for an instance it can be the file of its template."""
        prefix, at, rest = id.partition("@")
        candidates = [id, f"{prefix}@.{rest.rpartition('.')[2]}"] if at else [id]
        for name in candidates:
            for folder, names in self._folders:
                if name in names:
                    return f"{folder}/{name}"
        return ""

    def _drop_ins(self, unit: Unit) -> set[str]:
        directories = {f"{stem}.d" for name in unit.names for stem in _stems(name)}
        paths = []
        for folder, names in self._folders:
            for name in directories & names:
                inside = f"{folder}/{name}"
                paths += [f"{inside}/{file}" for file in _names_in(inside) if file.endswith(".conf")]
        return _unmasked(paths)

    def _links_of_enabled(self) -> Iterator[str]:
        for folder, names in self._folders:
            if folder != _PERSISTENT:
                continue
            for name in names:
                if name.endswith((".wants", ".requires")):
                    inside = f"{folder}/{name}"
                    yield from (link for link in _names_in(inside) if _is_link_to(f"{inside}/{link}", link))


def _stems(name: str) -> list[str]:
    """Return the names whose drop-ins a unit takes: `a-b.service`, `a-.service` and `service` for `a-b.service`."""
    prefix, _dot, kind = name.rpartition(".")
    stems = [name, kind]
    base, at, _instance = prefix.partition("@")
    if at:
        stems.append(f"{base}@.{kind}")
    cut = base.rstrip("-").rpartition("-")[0]
    while cut:
        stems.append(f"{cut}-.{kind}")
        cut = cut.rpartition("-")[0]
    return stems


def _unmasked(paths: Sequence[str]) -> set[str]:
    """Return the names of drop-ins without those that are masked in any directory.

    Some versions of systemd list masked drop-ins, others do not.
    """
    masked = {os.path.basename(path) for path in paths if _is_masked(path)}
    return {os.path.basename(path) for path in paths} - masked


def _is_masked(path: str) -> bool:
    try:
        return os.stat(path).st_size == 0
    except OSError:
        return False


def _same(path: str, other: str) -> bool:
    try:
        return path == other or os.path.samefile(path, other)
    except OSError:
        return False


def _is_link_to(path: str, name: str) -> bool:
    try:
        return os.path.basename(os.readlink(path)) == name
    except OSError:
        return False


def _names_in(folder: str) -> set[str]:
    try:
        return set(os.listdir(folder))
    except OSError:
        return set()
