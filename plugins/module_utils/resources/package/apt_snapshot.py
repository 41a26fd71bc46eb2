# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""All records of dpkg, read at once, and again after a known change (architecture.md, Snapshots)."""

from __future__ import annotations

import os

from .apt_database import NATIVE_PACKAGE, chosen, packages_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from .apt_database import Package

ADMIN = "/var/lib/dpkg"
_AT_REST = ("installed", "config-files", "not-installed")


class AptSnapshot:
    """dpkg's whole database, as of the state of its files at the last query, whose `fingerprint` it keeps."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._packages: dict[str, list[Package]] = {}
        self.fingerprint: object = None

    def look(self, name: str) -> Package:
        """Return the record of a package as `apt_database.look` does."""
        self._refresh()
        return chosen(name, self._packages, self._packages.get(NATIVE_PACKAGE, []))

    def all_configured(self) -> bool:
        """Return whether no package is installed only in part.

        Each run of apt-get would first complete such a package, and fail when that fails.
        """
        self._refresh()
        return all(package.status in _AT_REST for packages in self._packages.values() for package in packages)

    def _refresh(self) -> None:
        found = _fingerprint()
        if self.fingerprint is None or found != self.fingerprint:
            # A pattern that matches every name also lists packages of which dpkg only has a record.
            self._packages = packages_of(self._machine, "*")
            self.fingerprint = found


def _fingerprint() -> object:
    """Return a value that changes with the database: with its file, and with the directory of updates to this file."""
    return [_identity(os.path.join(ADMIN, name)) for name in ("status", "updates")]


def _identity(path: str) -> tuple[int, int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size
