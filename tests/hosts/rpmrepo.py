# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small rpm repository for the dnf host: packages are declared, built there once per machine, and offered.

register(dnf_host, [Rpm("ccm-a", "1.0-1"), Rpm("ccm-a", "1:2.0-1", requires="ccm-b >= 1"), Rpm("ccm-b")])
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import tempfile
import textwrap
from pathlib import Path

from extensions.molecule.hosts.host import ROOTS

BUILT = ROOTS / "rpm"
TAGS = ("requires", "recommends", "conflicts", "obsoletes", "provides")
SCRIPTS = ("pre", "post", "preun", "postun")
REPOSITORY = "[{name}]\nname={name}\nbaseurl=file://{place}\nenabled=1\ngpgcheck=0\nmetadata_expire=0\n"
TOPDIR = "/tmp/rpmbuild"
BUILD = f"rpmbuild -bb --quiet --nodeps --define '_topdir {TOPDIR}' --define '_rpmfilename {{name}}' {TOPDIR}/spec"


@dataclasses.dataclass
class Rpm:
    """One package. `version` is [EPOCH:]VERSION-RELEASE; relations are in rpm's own words.

    `files` and `configs` map paths in the host to contents; `configs` are `%config(noreplace)`. Without either there is
    a file that names package and version. Scripts are shell text.
    """

    name: str
    version: str = "1.0-1"
    arch: str = "noarch"
    requires: str = ""
    recommends: str = ""
    conflicts: str = ""
    obsoletes: str = ""
    provides: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    configs: dict = dataclasses.field(default_factory=dict)
    pre: str = ""
    post: str = ""
    preun: str = ""
    postun: str = ""

    @property
    def filename(self):
        return f"{self.name}-{self.version.rpartition(':')[2]}.{self.arch}.rpm"

    def spec(self):
        """The text of the spec file."""
        epoch, _colon, full = self.version.rpartition(":")
        version, _dash, release = full.partition("-")
        head = {"Name": self.name, "Epoch": epoch, "Version": version, "Release": release, "License": "none"}
        head |= {"Summary": f"test package {self.name}"}
        head |= {"BuildArch": "noarch"} if self.arch == "noarch" else {}
        head |= {tag.capitalize(): getattr(self, tag) for tag in TAGS}
        files = self.files if self.files or self.configs else {self._default: f"{self.name} {self.version}\n"}
        parts = ["".join(f"{name}: {value}\n" for name, value in head.items() if value), "%description\ntest\n"]
        parts += ["%install\n", *(install(path, text) for path, text in {**files, **self.configs}.items())]
        parts += [f"%{name}\n{textwrap.dedent(getattr(self, name))}\n" for name in SCRIPTS if getattr(self, name)]
        parts += ["%files\n", *(f"{path}\n" for path in files)]
        parts += [f"%config(noreplace) {path}\n" for path in self.configs]
        return "".join(parts)

    @property
    def _default(self):
        return f"/usr/share/{self.name}/version"


def install(path, text):
    """Shell text that writes a file below the build root; octal, so that neither shell nor rpm reads the content."""
    octal = "".join(f"\\{byte:04o}" for byte in text.encode()).replace("%", "%%")
    mode = "0755" if "bin/" in path else "0644"
    target = f"%{{buildroot}}{path}"
    return f"mkdir -p $(dirname {target})\nprintf '%%b' '{octal}' > {target}\nchmod {mode} {target}\n"


def register(host, rpms, place="/srv/rpm"):
    """Offer these packages, and no others, from a directory of the dnf host."""
    name = place.strip("/").replace("/", "-")
    with tempfile.TemporaryDirectory() as scratch:
        for rpm in rpms:
            Path(scratch, rpm.filename).write_bytes(built(host, rpm))
        Path(scratch).chmod(0o755)
        host.run(["rm", "-rf", place])
        host.copy_in(scratch, place)
    host.write(f"/etc/yum.repos.d/{name}.repo", REPOSITORY.format(name=name, place=place))
    host.run(["createrepo_c", "--quiet", place])


def built(host, rpm):
    """The bytes of the package, from this machine's store or fresh from rpmbuild in the host."""
    spec = rpm.spec()
    stored = BUILT / f"{hashlib.sha256(spec.encode()).hexdigest()[:32]}.rpm"
    if not stored.exists():
        host.write(f"{TOPDIR}/spec", spec)
        host.run(BUILD.format(name=rpm.filename))
        BUILT.mkdir(exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=BUILT, delete=False) as beside:
            beside.write((host.root / TOPDIR.lstrip("/") / "RPMS" / rpm.filename).read_bytes())
        os.replace(beside.name, stored)
    return stored.read_bytes()


def unregister(host, place="/srv/rpm"):
    """Take the repository away."""
    host.run(["rm", "-rf", place, f"/etc/yum.repos.d/{place.strip('/').replace('/', '-')}.repo"])
