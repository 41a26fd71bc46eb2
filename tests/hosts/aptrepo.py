# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small apt repository for hosts: packages are declared, written here and offered from a directory of the host.

repo = AptRepo(host)
repo.publish(Deb("ccm-a", "1.0-1"), Deb("ccm-a", "2.0-1", depends="ccm-b (>= 1)"), Deb("ccm-b"))
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import tarfile
import tempfile
import textwrap
from pathlib import Path

SCRIPTS = ("preinst", "postinst", "prerm", "postrm")
FIELDS = ("depends", "pre_depends", "recommends", "suggests", "conflicts", "breaks", "replaces", "provides")


@dataclasses.dataclass
class Deb:
    """One package. Relations are in dpkg's own words (`depends="ccm-b (>= 1), ccm-c"`).

    `files` and `conffiles` map paths in the host to contents (without either there is one that names package and
    version). Scripts are shell text. `fields` are more lines of the control file.
    """

    name: str
    version: str = "1.0-1"
    arch: str = "all"
    depends: str = ""
    pre_depends: str = ""
    recommends: str = ""
    suggests: str = ""
    conflicts: str = ""
    breaks: str = ""
    replaces: str = ""
    provides: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    conffiles: dict = dataclasses.field(default_factory=dict)
    preinst: str = ""
    postinst: str = ""
    prerm: str = ""
    postrm: str = ""
    fields: dict = dataclasses.field(default_factory=dict)

    @property
    def filename(self):
        return f"{self.name}_{self.version.replace(':', '%3a')}_{self.arch}.deb"

    def control(self):
        """The text of the control file."""
        lines = {"Package": self.name, "Version": self.version, "Architecture": self.arch}
        lines |= {"Maintainer": "ccm.core tests <tests@example.org>", "Description": f"test package {self.name}"}
        lines |= {"-".join(map(str.capitalize, name.split("_"))): getattr(self, name) for name in FIELDS}
        lines |= self.fields
        return "".join(f"{name}: {value}\n" for name, value in lines.items() if value)

    def pack(self):
        """The bytes of the .deb."""
        files = {**self.files, **self.conffiles}
        files = files or {f"/usr/share/{self.name}/version": f"{self.name} {self.version}\n"}
        control = {name: (script(getattr(self, name)), 0o755) for name in SCRIPTS if getattr(self, name)}
        control["control"] = (self.control(), 0o644)
        control["conffiles"] = ("".join(f"{path}\n" for path in self.conffiles), 0o644)
        data = {path.lstrip("/"): (text, 0o755 if "bin/" in path else 0o644) for path, text in files.items()}
        members = [("debian-binary", b"2.0\n"), ("control.tar", tarball(control)), ("data.tar", tarball(data))]
        return archive(members)


def script(text):
    return text if text.startswith("#!") else f"#!/bin/sh\nset -e\n{textwrap.dedent(text)}\n"


def tarball(files):
    """A tar of {path: (text or bytes, mode)}, with the directories above them, all root's."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        folders = {str(folder) for path in files for folder in Path(path).parents}
        for folder in sorted(folders):
            entry = tarfile.TarInfo(f"./{folder}/" if folder != "." else "./")
            entry.type, entry.mode, entry.uname, entry.gname = tarfile.DIRTYPE, 0o755, "root", "root"
            tar.addfile(entry)
        for path, (content, mode) in sorted(files.items()):
            data = content if isinstance(content, bytes) else content.encode()
            entry = tarfile.TarInfo(f"./{path}")
            entry.size, entry.mode, entry.uname, entry.gname = len(data), mode, "root", "root"
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def archive(members):
    """An ar archive of (name, bytes)."""
    out = b"!<arch>\n"
    for name, data in members:
        out += f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
    return out


def register(host, debs, place="/srv/apt"):
    """Offer these packages, and no others, from a directory of the host; apt trusts them and knows of them at once."""
    index = ""
    with tempfile.TemporaryDirectory() as scratch:
        for deb in debs:
            packed = deb.pack()
            Path(scratch, deb.filename).write_bytes(packed)
            index += f"{deb.control()}Filename: ./{deb.filename}\nSize: {len(packed)}\n"
            index += f"SHA256: {hashlib.sha256(packed).hexdigest()}\n\n"
        Path(scratch, "Packages").write_text(index, encoding="utf-8")
        Path(scratch).chmod(0o755)  # apt reads as a user of its own
        host.run(["rm", "-rf", place])
        host.copy_in(scratch, place)
    host.write(sources(place), f"deb [trusted=yes] file:{place} ./\n")
    update(host, place)


def update(host, place="/srv/apt"):
    """Have apt read the index of this repository, and none other."""
    only = ["-o", f"Dir::Etc::sourcelist={sources(place)}", "-o", "Dir::Etc::sourceparts=-"]
    host.run(["apt-get", "update", "-q", *only, "-o", "APT::Get::List-Cleanup=0"])


def unregister(host, place="/srv/apt"):
    """Take the repository and what apt knows of it away."""
    host.run(["rm", "-rf", place, sources(place)])
    host.run(f"rm -rf /var/lib/apt/lists/*{place.replace('/', '_')}_*")


def sources(place):
    return f"/etc/apt/sources.list.d{place.replace('/', '-').replace('-', '/', 1)}.list"
