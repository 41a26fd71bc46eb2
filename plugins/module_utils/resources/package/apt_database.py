# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What dpkg knows of packages, one asked for at a time or all at once (features.md 8.1)."""

from __future__ import annotations

import os

from ...host.commands import decode
from . import apt_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

ADMIN = "/var/lib/dpkg"
_FORMAT = "${Package} ${Version} ${Architecture} ${db:Status-Status}"
_INSTALLED = "installed"
_AT_REST = (_INSTALLED, "config-files", "not-installed")
# Where dpkg is for its own architecture: the native one.
_NATIVE = "dpkg"


class Package:
    """A package for one architecture: `status` is dpkg's word, "unknown" for one that dpkg has not heard of.

    `others` are the same package for other architectures.
    """

    def __init__(self, name: str, version: str, arch: str, status: str) -> None:
        self.name = name
        self.version = version
        self.arch = arch
        self.status = status
        self.others: list[Package] = []

    @property
    def is_installed(self) -> bool:
        """Whether all of it is there."""
        return self.status == _INSTALLED


class AptDatabase:
    """dpkg's database. With `many` it is read as a whole, and again when its files are others or have changed."""

    def __init__(self, many: bool) -> None:
        self._many = many
        self._packages: dict[str, list[Package]] = {}
        self._seen: object = None

    def look(self, name: str) -> Package:
        """What is known of a package, `name` or `name:arch`; of several architectures the native one comes first.

        Raises CommandError when dpkg-query cannot run.
        """
        if not self._many or ":" in name:
            return _look_at_one(name)
        self._refresh()
        return _chosen(name, self._packages.get(name, []), self._packages.get(_NATIVE, []))

    def is_at_rest(self) -> bool:
        """Whether no package is there in part: if one is, apt-get goes on with it, and fails when that does."""
        self._refresh()
        return all(package.status in _AT_REST for packages in self._packages.values() for package in packages)

    def _refresh(self) -> None:
        found = _fingerprint()
        if self._seen is None or found != self._seen:
            self._packages = _read_all()
            self._seen = found


def _look_at_one(name: str) -> Package:
    result = apt_tools.ask(["dpkg-query", "-W", f"-f={_FORMAT}", name])
    fields = decode(result.stdout).strip().split(" ")
    if len(fields) > len(("package", "version", "architecture", "status")) and result.exit_code == 0:
        # Several architectures, and nothing between them: ask in lines, and for the native architecture too.
        packages = _packages(["dpkg-query", "-W", f"-f={_FORMAT}\n", name, _NATIVE])
        asked_for = name.partition(":")[0]
        return _chosen(name, packages.get(asked_for, []), packages.get(_NATIVE, []))
    package = _package(fields)
    if package is None:
        return Package(name, "", "", "unknown")
    if result.exit_code != 0 and package.is_installed:
        package.status = "unknown"
    return package


def _read_all() -> dict[str, list[Package]]:
    """All packages, also those that dpkg only knows of: a pattern that fits every name lists them too."""
    return _packages(["dpkg-query", "-W", f"-f={_FORMAT}\n", "*"])


def _packages(argv: list[str]) -> dict[str, list[Package]]:
    found: dict[str, list[Package]] = {}
    for line in decode(apt_tools.ask(argv).stdout).splitlines():
        package = _package(line.strip().split(" "))
        if package is not None:
            found.setdefault(package.name, []).append(package)
    return found


def _package(fields: list[str]) -> Package | None:
    return Package(*fields) if len(fields) == len(("package", "version", "architecture", "status")) else None


def _chosen(name: str, packages: list[Package], native: Iterable[Package]) -> Package:
    """Of one package's architectures the one to speak of: installed before not installed, native before foreign."""
    if not packages:
        return Package(name, "", "", "unknown")
    own = {"all", *(package.arch for package in native)}
    chosen = min(packages, key=lambda package: (not package.is_installed, package.arch not in own))
    chosen.others = [package for package in packages if package is not chosen]
    return chosen


def _fingerprint() -> object:
    """What tells a database from the same one changed: its file and the directory of what is not yet in there."""
    return [_identity(os.path.join(ADMIN, name)) for name in ("status", "updates")]


def _identity(path: str) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size
