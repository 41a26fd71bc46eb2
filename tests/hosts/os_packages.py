# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of packaging/build.py for the tests: built once, of this version and of a later one."""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib
import subprocess
import zipfile

from .command import CHECKOUT

BUILD = CHECKOUT / "packaging/build.py"
#: In seconds since 1970; any time will do.
EPOCH = 1_700_000_000
LATER = "9.9.9"
#: A module that the later version has no more; only tests of types import it.
GONE = "ccm/test_kit/recorded_log.py"


def builder():
    """The module packaging/build.py, whose folder is no package."""
    spec = importlib.util.spec_from_file_location("packages_of_ccm", BUILD)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def later(wheel, folder, version=LATER):
    """Write a wheel that is another one with a higher version, and without the module GONE."""
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    old = wheel.name.split("-")[1]
    made = folder / wheel.name.replace(old, version)
    with zipfile.ZipFile(made, "w") as packed:
        for name, content in files.items():
            if name.endswith("/METADATA"):
                content = content.replace(f"\nVersion: {old}\n".encode(), f"\nVersion: {version}\n".encode())
            if name == "ccm/version.py":
                content = content.replace(f'"{old}"'.encode(), f'"{version}"'.encode())
            if name != GONE:
                packed.writestr(name.replace(f"-{old}.d", f"-{version}.d"), content)
    return made


@dataclasses.dataclass
class File:
    """A package for aptrepo.register, from a file."""

    path: pathlib.Path

    @property
    def filename(self):
        return self.path.name

    def control(self):
        return subprocess.run(["dpkg-deb", "--field", self.path], check=True, capture_output=True, text=True).stdout

    def pack(self):
        return self.path.read_bytes()


def copy_sources(host, place):
    """Give a host what packaging/build.py reads when it has a wheel."""
    for name in ("packaging", "LICENSES", "COPYING", "CHANGELOG.rst"):
        host.copy_in(CHECKOUT / name, f"{place}/{name}")


def build_rpm(host, place, wheel, umask="022"):
    """Build the rpm of a wheel in a host, in a directory of it, and return its path there."""
    copy_sources(host, place)
    host.copy_in(wheel, f"{place}/{wheel.name}")
    build = f"python3 packaging/build.py --wheel {wheel.name} --output out rpm"
    host.run(f"cd {place} && umask {umask} && {build}", env={"SOURCE_DATE_EPOCH": str(EPOCH)})
    return host.run(f"ls {place}/out/*.rpm").stdout.strip()
