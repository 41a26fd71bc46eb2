# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of packaging/build.py, of this version and of a later one, and hosts that are offered them."""

from __future__ import annotations

import dataclasses
import importlib.util
import pathlib
import subprocess
import zipfile

from . import rpmrepo
from .aptrepo import Deb, register
from .command import CHECKOUT
from .rpmrepo import Rpm

BUILD = CHECKOUT / "packaging/build.py"
#: In seconds since 1970; any time will do.
EPOCH = 1_700_000_000
LATER = "9.9.9"
#: A module that the later version has no more; only tests of types import it.
GONE = "ccm/test_kit/recorded_log.py"

UNIT = "/usr/lib/systemd/system"
AGENT = "/etc/choria/ccm/agent.yaml"
SERVICE = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
#: The program and the service of the original's package, in small.
ORIGINAL = {
    "/usr/bin/ccm": "#!/bin/sh\necho original\n",
    f"{UNIT}/ccm-agent.service": "[Service]\nExecStart=/bin/true\n",
}


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


class WithApt:
    """A Debian host that is offered packages: the original's, one with a service, and ours."""

    #: At the end of the name of a changed file of configuration, when its package is gone.
    saved = ""

    def __init__(self, host, ours):
        self.host = host
        self._ours = ours
        self.modules = "/usr/lib/python3/dist-packages"
        self.zsh = "/usr/share/zsh/vendor-completions/_ccm"

    def offer(self, *numbers):
        original = Deb("ccm", "0.1.2", files=ORIGINAL, conffiles={AGENT: "interval: 5m\n"})
        other = Deb("ccm-other", files={f"{UNIT}/ccm-other.service": SERVICE})
        register(self.host, [original, other, *(self._ours[number] for number in numbers)])

    def install(self, *names):
        self.host.run(["apt-get", "install", "-y", "-q", *names])

    def take_back(self):
        self.install("ccm")

    def installed(self, *names):
        """The names of these that are installed."""
        shown = self.host.run(["dpkg-query", "-W", "-f=${db:Status-Abbrev} ${Package}\n", *names], check=False).stdout
        return [line.split()[1] for line in shown.splitlines() if line.startswith("ii")]

    def verify(self):
        """What differs from what the package had."""
        return self.host.run("dpkg --verify ccm-core", check=False).stdout

    def purge(self):
        self.host.run("apt-get purge -y -q ccm-core ccm ccm-other")


class WithDnf(WithApt):
    """The same with dnf, which knows of no package of this host's Python: stand-ins have their names."""

    saved = ".rpmsave"

    def __init__(self, host, ours):
        self.host = host
        self._ours = ours
        self.modules = "/usr/share/ccm-core"
        self.zsh = "/usr/share/zsh/site-functions/_ccm"

    def offer(self, *numbers, python="3.11-1"):
        original = Rpm("ccm", "0.1.2-1", files=ORIGINAL, configs={AGENT: "interval: 5m\n"})
        other = Rpm("ccm-other", files={f"{UNIT}/ccm-other.service": SERVICE})
        system = [Rpm("python3", python), Rpm("python3-pyyaml", "6.0-1")]
        rpmrepo.register(self.host, [original, other, *system])
        for number in numbers:
            self.host.copy_in(self._ours[number], f"/srv/rpm/{self._ours[number].name}")
        self.host.run("createrepo_c --quiet /srv/rpm")

    def install(self, *names):
        self.host.run(["dnf", "install", "-y", "-q", "--best", "--allowerasing", *names])

    def take_back(self):
        self.host.run("dnf swap -y -q ccm-core ccm")

    def installed(self, *names):
        return [name for name in names if self.host.run(["rpm", "-q", name], check=False).returncode == 0]

    def verify(self):
        return self.host.run("rpm --verify ccm-core", check=False).stdout

    def purge(self):
        """rpm knows no purge: it leaves configuration that was changed, and what the command kept."""
        self.host.run("dnf remove -y -q ccm-core ccm-other; dnf remove -y -q ccm python3 python3-pyyaml")
        self.host.run("rm -rf /var/lib/ccm /etc/choria/ccm/*.rpmsave /usr/share/python3-pyyaml")
        self.host.run("rmdir /usr/share/licenses")
