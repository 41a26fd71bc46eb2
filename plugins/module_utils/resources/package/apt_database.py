# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""dpkg's records of packages (behaviour.md 8.1)."""

from __future__ import annotations

from ...host.results import decode, output_lines
from ...model.errors import ResourceFailed
from . import apt_tools
from .apt_tools import last_lines, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from ...host.machine import Machine
    from ...host.results import Result

_FORMAT = "${Package} ${Version} ${Architecture} ${db:Status-Status}"
_INSTALLED = "installed"
CONFIGURATION = "config-files"
_GONE = (CONFIGURATION, "not-installed", "unknown")
_NO_MATCH_EXIT_CODE = 1
# A package that always has the native architecture: dpkg itself.
NATIVE_PACKAGE = "dpkg"
# What follows the colon of a name instead of an architecture.
_ANY = "any"
_NATIVE = ("native", "all")


def without_any(name: str) -> str:
    """Return a name without `:any`, which means the same."""
    return name[: -len(_ANY) - 1] if name.endswith(f":{_ANY}") else name


class Package:
    """A package for one architecture: `status` is dpkg's word, "unknown" for one without a record in dpkg.

    `others` are the same package for other architectures.
    """

    def __init__(self, name: str, version: str, arch: str, status: str) -> None:
        self.name = name
        self.version = version
        self.arch = arch
        self.status = status
        self.others: list[Package] = []

    @property
    def is_partial(self) -> bool:
        """Whether it is installed only in part: it is unpacked or half-configured, say, or waits for triggers."""
        return self.status not in (_INSTALLED, *_GONE)

    @property
    def is_installed(self) -> bool:
        """Whether it is installed completely."""
        return self.status == _INSTALLED


def look(machine: Machine, name: str) -> Package:
    """Return the record of a package, `name` or `name:arch`, where `arch` may be `any`, `native` or `all`, as for apt.

    Of several architectures an installed one comes first, and among equals the native one. Raises ResourceFailed when
    dpkg-query fails, CommandError when it cannot run.
    """
    own, colon, arch = name.partition(":")
    if arch in (_ANY, *_NATIVE):
        return _chosen_of_all(machine, name)
    result = _query(machine, f"-f={_FORMAT}", name)
    fields = decode(result.stdout).strip().split(" ")
    if len(fields) > len(("package", "version", "architecture", "status")) and result.exit_code == 0:
        # Several architectures, without a separator: query in lines, and for the native architecture too.
        return _chosen_of_all(machine, name)
    package = _package(fields)
    if package is None:
        # dpkg-query does not know a package for all architectures by the native one.
        if colon:
            from .apt_status import is_for_all

            if is_for_all(own):
                return _chosen_of_all(machine, name)
        return Package(name, "", "", "unknown")
    if result.exit_code != 0 and package.is_installed:
        package.status = "unknown"
    return package


def _chosen_of_all(machine: Machine, name: str) -> Package:
    packages = packages_of(machine, name.partition(":")[0], NATIVE_PACKAGE)
    return chosen(name, packages, packages.get(NATIVE_PACKAGE, []))


def packages_of(machine: Machine, *patterns: str) -> dict[str, list[Package]]:
    """Return those whose names match a pattern, by name, one for each architecture."""
    found: dict[str, list[Package]] = {}
    result = _query(machine, f"-f={_FORMAT}\n", *patterns)
    for line in output_lines(result.stdout):
        package = _package(line.strip().split(" "))
        if package is not None:
            found.setdefault(package.name, []).append(package)
    return found


def _query(machine: Machine, *words: str) -> Result:
    result = apt_tools.query(machine, ["dpkg-query", "-W", *words])
    if result.exit_code not in (0, _NO_MATCH_EXIT_CODE):
        words_of_dpkg = last_lines(lines_of(result.stderr))
        raise ResourceFailed(f"dpkg-query exited {result.exit_code}: {words_of_dpkg}")
    return result


def _package(fields: list[str]) -> Package | None:
    return Package(*fields) if len(fields) == len(("package", "version", "architecture", "status")) else None


def chosen(name: str, packages: dict[str, list[Package]], native: Iterable[Package]) -> Package:
    """Return a package's main architecture: installed before not installed, native before foreign.

    Args:
        name: `name` or `name:arch`, as for `look`.
        packages: all packages of that name, or more, by name.
        native: the records of a package that has the native architecture.
    """
    own, _colon, arch = name.partition(":")
    found = packages.get(own, [])
    if not arch and len(found) == 1:
        return found[0]
    is_native = {"all", *(package.arch for package in native)}
    found = of_architecture(arch, found, is_native)
    if not found:
        return Package(name, "", "", "unknown")
    best = min(found, key=lambda package: (not package.is_installed, package.arch not in is_native))
    best.others = [package for package in found if package is not best]
    return best


def of_architecture(arch: str, packages: list[Package], native: set[str]) -> list[Package]:
    """Return the packages that `:arch` after a name means; `native` are `all` and the native architecture.

    Packages for all architectures belong to the native one, as for apt (decisions.md Q96).
    """
    if not arch or arch == _ANY:
        return packages
    meant = native if arch in native or arch in _NATIVE else {arch}
    return [package for package in packages if package.arch in meant]
