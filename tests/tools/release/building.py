# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build wheel, sdist and the collection's tarball of the last commit, with bytes that depend only on it and its tools.

Every time is that of the commit (SOURCE_DATE_EPOCH), archives are sorted, and their owners and modes are set.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import json
import os
import pathlib
import stat
import subprocess
import sys
import tarfile
import time
import zipfile
from typing import Callable, Iterable, Mapping

from .checks import Refused, git

MANIFEST = "MANIFEST.json"
LISTING = "FILES.json"


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What another machine could have: it must not change what is built."""

    umask: int
    variables: Mapping[str, str]
    # In which order the files are made, so that a directory lists them in another order.
    backwards: bool = False


# Ansible wants a UTF-8 locale.
HERE = Surroundings(0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"})
ELSEWHERE = Surroundings(0o077, {"TZ": "EAST-14", "LC_ALL": "C.utf8", "PYTHONHASHSEED": "4711"}, True)


def epoch_of(root: pathlib.Path) -> int:
    """The time of the last commit, in seconds since 1970."""
    return int(git(root, "log", "-1", "--format=%ct").decode())


def export(root: pathlib.Path, folder: pathlib.Path, *, backwards: bool = False) -> None:
    """Write the files of the last commit, with the modes 0755 or 0644 and the time of the commit."""
    epoch = epoch_of(root)
    with tarfile.open(fileobj=io.BytesIO(git(root, "archive", "--format=tar", "HEAD"))) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name, reverse=backwards):
            path = folder / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(member) if member.isfile() else None
            if content is not None:
                path.write_bytes(content.read())
                path.chmod(0o755 if member.mode & 0o100 else 0o644)
                os.utime(path, (epoch, epoch))
            elif member.issym():
                path.symlink_to(member.linkname)
    for path in (folder, *folder.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def program(name: str) -> str:
    """The path of a program of the environment that runs this."""
    return str(pathlib.Path(sys.executable).with_name(name))


def run(words: Iterable[str], folder: pathlib.Path, surroundings: Surroundings, epoch: int) -> None:
    """Run a tool. Raises Refused with its output when it fails."""
    environ = {**os.environ, **surroundings.variables, "SOURCE_DATE_EPOCH": str(epoch)}
    environ["PATH"] = f"{pathlib.Path(sys.executable).parent}:{environ.get('PATH', os.defpath)}"
    words = list(words)
    done = subprocess.run(
        words,
        cwd=folder,
        env=environ,
        umask=surroundings.umask,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Refused(f"{pathlib.Path(words[0]).name} failed with status {done.returncode}:\n{done.stdout.strip()}")


def build(root: pathlib.Path, work: pathlib.Path, version: str, surroundings: Surroundings) -> dict[str, bytes]:
    """Build the last commit in a new directory. Returns the content of each file by its name."""
    source, made = work / "source", work / "made"
    source.mkdir(parents=True)
    made.mkdir()
    export(root, source, backwards=surroundings.backwards)
    epoch = epoch_of(root)

    def tool(folder: pathlib.Path, *words: str) -> None:
        run(words, folder, surroundings, epoch)

    tool(work, program("ansible-galaxy"), "collection", "build", str(source), "--output-path", str(made))
    tool(work, sys.executable, "-m", "build", "--no-isolation", "--outdir", str(made), str(source))
    changelog = (program("antsibull-changelog"), "generate", "--output")
    tool(source, *changelog, str(work / "CHANGELOG.rst"), "--output-format", "rst")
    if (work / "CHANGELOG.rst").read_bytes() != (source / "CHANGELOG.rst").read_bytes():
        raise Refused("CHANGELOG.rst is not what changelogs/changelog.yaml makes: run make changelog and commit it")
    notes = str(made / "RELEASE_NOTES.md")
    tool(source, *changelog, notes, "--output-format", "md", "--only-latest", version)

    files = {path.name: path.read_bytes() for path in sorted(made.iterdir())}
    for name, content in files.items():
        if name.endswith(".tar.gz"):
            files[name] = repacked(content, epoch, collection if name.startswith("ccm-core-") else by_name)
        elif name.endswith(".whl"):
            files[name] = repacked_wheel(content, epoch)
    return files


Members = list[tuple[tarfile.TarInfo, bytes]]


def by_name(members: Members) -> Members:
    return sorted(members, key=lambda member: member[0].name)


def collection(members: Members) -> Members:
    """The same for a collection: its list of files is sorted too, and comes first, as ansible-galaxy has it."""
    content = {info.name: data for info, data in members}
    listing = json.loads(content[LISTING])
    listing["files"].sort(key=lambda entry: entry["name"])
    content[LISTING] = json.dumps(listing, indent=True).encode()
    manifest = json.loads(content[MANIFEST])
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(content[LISTING]).hexdigest()
    content[MANIFEST] = json.dumps(manifest, indent=True).encode()
    first = {MANIFEST: 0, LISTING: 1}
    ordered = sorted(members, key=lambda member: (first.get(member[0].name, 2), member[0].name))
    return [(info, content[info.name]) for info, _data in ordered]


def repacked(archive: bytes, epoch: int, order: Callable[[Members], Members]) -> bytes:
    """Return a .tar.gz with the same files, and with one time, no owners, plain modes and a given order."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as old:
        members: Members = []
        for info in old.getmembers():
            stream = old.extractfile(info) if info.isfile() else None
            members.append((info, stream.read() if stream else b""))
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as new:
        for old_info, data in order(members):
            info = tarfile.TarInfo(old_info.name)
            info.type, info.linkname, info.size, info.mtime = old_info.type, old_info.linkname, len(data), epoch
            info.mode = 0o755 if info.isdir() or old_info.mode & 0o100 else 0o644
            new.addfile(info, io.BytesIO(data))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=epoch) as stream:
        stream.write(tar.getvalue())
    return packed.getvalue()


def repacked_wheel(archive: bytes, epoch: int) -> bytes:
    """Return a wheel with the same files in the same order, and with one time and plain modes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for old_info in old.infolist():
            info = zipfile.ZipInfo(old_info.filename, time.gmtime(epoch)[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3  # Unix, which has modes
            mode = 0o755 if (old_info.external_attr >> 16) & 0o100 else 0o644
            info.external_attr = (stat.S_IFREG | mode) << 16
            new.writestr(info, old.read(old_info))
    return packed.getvalue()


def sums(files: Mapping[str, bytes]) -> bytes:
    """The content of SHA256SUMS, as sha256sum --check reads it."""
    lines = [f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items())]
    return "".join(lines).encode()
