# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The installed packages of rpm: queried by name, or all at once and kept while its database stays the same.

The database is SQLite, ndb or Berkeley DB, by version and distribution, with a journal next to it for SQLite. Reading
changes none of the files checked here.
"""

from __future__ import annotations

import os

from ...host.command_errors import CommandError
from ...host.results import decode, output_lines
from ...lang.versions.rpm import compare
from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

    from ...host.machine import Machine

FORMAT = "%{NAME} %|EPOCH?{%{EPOCH}}:{0}| %{VERSION} %{RELEASE} %{ARCH}"
_WITH_PROVIDES = FORMAT + "[ %{PROVIDENAME}]"
_FILES = ("rpmdb.sqlite", "rpmdb.sqlite-wal", "Packages.db", "Packages")
_ATTEMPTS = 3
_DIGITS = frozenset("0123456789")


class Installed:
    """One installed package, all fields text as rpm prints it; `epoch` is "0" when there is none."""

    def __init__(self, name: str, epoch: str, version: str, release: str, arch: str) -> None:
        self.name = name
        self.epoch = epoch
        self.version = version
        self.release = release
        self.arch = arch

    @property
    def full_version(self) -> str:
        """`[EPOCH:]VERSION-RELEASE`, with an epoch other than 0."""
        epoch = f"{self.epoch}:" if _DIGITS.issuperset(self.epoch) and self.epoch.strip("0") else ""
        return f"{epoch}{self.version}-{self.release}"


class RpmDatabase:
    """The packages that rpm has installed. A snapshot is checked before each use.

    Only with `provides` a snapshot has what packages provide.
    """

    def __init__(self, machine: Machine, *, provides: bool = False) -> None:
        self._machine = machine
        self._has_provides = provides
        self._provides: list[tuple[str, str]] = []
        self._providing: dict[str, list[str]] | None = None
        self._directory: str | None = None
        self._fingerprint: object = None
        self._packages: dict[str, list[Installed]] = {}

    def find(self, label: str) -> list[Installed]:
        """Return the result of `rpm -q` for a label (NAME, or with -VERSION, -RELEASE and .ARCH), the newest first.

        Raises ResourceFailed when rpm fails, CommandError when it cannot run.
        """
        result = self._machine.query(["rpm", "-q", label, "--queryformat", FORMAT])
        if result.exit_code:
            from .dnf_reasons import last_lines

            words = last_lines(result.stderr)
            if "error:" in words:
                raise ResourceFailed(f"failed to query {label}, rpm exited {result.exit_code}: {words}")
            return []
        return _newest_first(_joined(decode(result.stdout), label))

    def find_in_snapshot(self, label: str) -> list[Installed]:
        """Return the same, without running rpm when the snapshot of all packages is enough."""
        packages = self.snapshot()
        found = packages.get(label)
        if found is not None:
            return found
        if packages and not _may_mean_version(label, packages):
            return []
        return self.find(label)

    def look_for_removal(self, label: str) -> tuple[list[Installed], list[str]]:
        """Return the same as `find` and, when that is nothing, the packages that provide the name."""
        found = self.find(label)
        if found:
            return found, []
        result = self._machine.query(["rpm", "-q", "--whatprovides", label, "--queryformat", "%{NAME}\\n"])
        return [], [] if result.exit_code else sorted(set(output_lines(result.stdout)))

    def look_in_snapshot_for_removal(self, label: str) -> tuple[list[Installed], list[str]]:
        """Return the same, without running rpm when the snapshot of all packages is enough."""
        found = self.find_in_snapshot(label)
        if found:
            return found, []
        if not self._packages:
            return self.look_for_removal(label)
        if self._providing is None:
            self._providing = {}
            for name, provides in self._provides:
                for each in provides.split():
                    self._providing.setdefault(each, []).append(name)
        return [], sorted(set(self._providing.get(label, ())))

    def snapshot(self) -> dict[str, list[Installed]]:
        """Return all installed packages by name, the newest of each first; empty when that is unknown."""
        now = self.fingerprint()
        if now is None:
            return {}
        if now != self._fingerprint:
            self._packages, self._fingerprint = {}, None
            for _attempt in range(_ATTEMPTS):
                before, packages, now = now, self._all_packages(), self.fingerprint()
                if before == now:
                    self._packages, self._fingerprint = packages, now
                    break
        return self._packages

    def fingerprint(self) -> object:
        """Return a value that changes with the database: (inode, mtime in ns, size) of its files; None without files.

        An empty journal has no meaning and may appear and disappear.
        """
        if self._directory is None:
            self._directory = _directory(self._machine)
        stamps = tuple(_stamp(f"{self._directory}/{name}") for name in _FILES)
        return stamps if any(stamps) else None

    def _all_packages(self) -> dict[str, list[Installed]]:
        form = _WITH_PROVIDES if self._has_provides else FORMAT
        result = self._machine.query(["rpm", "-qa", "--queryformat", form + "\\n"])
        packages: dict[str, list[Installed]] = {}
        self._provides, self._providing = [], None
        for line in output_lines(result.stdout) if result.exit_code == 0 else ():
            fields = line.split(None, 5)
            if len(fields) < 5 or (len(fields) > 5 and not self._has_provides):
                return {}
            packages.setdefault(fields[0], []).append(Installed(*fields[:5]))
            if len(fields) > 5:
                self._provides.append((fields[0], fields[5]))
        return {name: _newest_first(found) for name, found in packages.items()}


def _directory(machine: Machine) -> str:
    try:
        return decode(machine.query(["rpm", "--eval", "%{_dbpath}"]).stdout).strip()
    except CommandError:
        return ""


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_ino, found.st_mtime_ns, found.st_size) if found.st_size else None


def _joined(text: str, label: str) -> list[Installed]:
    """Return the packages in rpm's output, which has no separator between them; all have one name (Q27)."""
    words = text.split()
    name, rest = (words[0], words[1:]) if words else ("", [])
    found = []
    while len(rest) >= 4:
        epoch, version, release, arch = rest[:4]
        rest = rest[4:]
        if rest and arch.endswith(name):
            arch = arch[: -len(name)]
        found.append(Installed(name, epoch, version, release, arch))
    if not found or rest:
        raise ResourceFailed(f"failed to parse rpm -q output for {label}")
    return found


def _newest_first(found: Sequence[Installed]) -> list[Installed]:
    ordered: list[Installed] = []
    for package in found:
        place = len(ordered)
        while place and _is_before(package, ordered[place - 1]):
            place -= 1
        ordered.insert(place, package)
    return ordered


def _is_before(one: Installed, other: Installed) -> bool:
    order = compare(one.full_version, other.full_version)
    return order > 0 or (order == 0 and one.arch > other.arch)


def _may_mean_version(label: str, packages: dict[str, list[Installed]]) -> bool:
    """Return whether a label may be an installed name followed by version, release or architecture."""
    for at, character in enumerate(label):
        if character in "-." and label[:at] in packages:
            rest = label[at + 1 :]
            if character == ".":
                if not rest or any(rest == package.arch for package in packages[label[:at]]):
                    return True
                continue
            epoch, colon, _version = rest.partition(":")
            if not rest or (colon and _DIGITS.issuperset(epoch)) or _starts_with_version(rest, packages[label[:at]]):
                return True
    return False


def _starts_with_version(rest: str, packages: Iterable[Installed]) -> bool:
    return any(rest.startswith(package.version) for package in packages)
