# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of Debian unpacked as tar and unzip do: python -m tests.fetched.archives [--archives N]

Packages and their sources are chosen at random and fetched by apt, with lists of its own. Compared are the tars in
packages, the tarballs of sources, and the jars and wheels in packages: names, kinds, modes, owners and contents.
Without what it needs, or without network, nothing is compared, and the reason is printed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from ccm.host.archives.entry import ArchiveError
from ccm.host.archives.unpack import unpack
from ccm.host.machine import Machine
from ccm.host.reading import Reader
from ccm.resources.archive_addresses import archive_kind

from tests.generated.archives import compare
from tests.seed import SEED
from tests.unit.layout import ROOT

NEEDED = ("apt-get", "bash", "tar", "unzip", "xz", "bzip2", "zstd")
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
MIRROR = '. extensions/molecule/hosts/mirror; echo "$(mirror)"; . /etc/os-release; echo "$VERSION_CODENAME"'
#: Names of packages that are chosen from: those with jars, those with wheels, and all others.
CHOICES = ("^lib[a-z0-9-]+-java$", "^python3?-[a-z0-9-]+-whl$", "^[a-z0-9]+$")
LARGEST = 4 << 20
#: What is refused here and not by tar: docs/differences.md.
REFUSED = ("it is a character device", "it is a block device", "it is a named pipe", "its name holds '..'")
ZIPS = (".jar", ".whl", ".zip")


class Unavailable(Exception):
    """Nothing can be fetched; the text is the reason."""


class Apt:
    """Apt with its lists, sources and downloads below `folder`."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("lists/partial", "cache/archives/partial", "fetched"):
            (folder / name).mkdir(parents=True)
        uri, release = ran(["bash", "-c", MIRROR], ROOT).split() or ("", "")
        signed = f"[signed-by={KEYS}] " if os.path.exists(KEYS) else ""
        lines = [f"{kind} {signed}{uri} {release} main\n" for kind in ("deb", "deb-src")]
        (folder / "sources.list").write_text("".join(lines), encoding="utf-8")
        settings = {
            "Dir::Etc::sourcelist": folder / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": folder / "lists",
            "Dir::Cache": folder / "cache",
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
        }
        self._options = [f"-o{key}={value}" for key, value in settings.items()]
        self.get("update", "-q", "--error-on=any")

    def get(self, *words):
        return ran(["apt-get", *self._options, "-q", *words], self.folder / "fetched")

    def names(self, pattern):
        found = ran(["apt-cache", *self._options, "search", "--names-only", pattern], self.folder)
        return sorted({line.split()[0] for line in found.splitlines()})

    def fetched(self, *words):
        """Fetch files that are there and small enough; return their paths, which are valid until the next call."""
        for path in (self.folder / "fetched").iterdir():
            path.unlink()
        try:
            listed = [line.split() for line in self.get(*words, "--print-uris").splitlines() if line.startswith("'")]
            if not listed or any(int(fields[2]) > LARGEST for fields in listed):
                return []
            self.get(*words)
        except Unavailable:
            return []
        return sorted((self.folder / "fetched").iterdir())


def ran(command, folder):
    """Run a command; return its output. Raises Unavailable."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise Unavailable(f"{' '.join(map(str, command[:1]))} fails: {last}")
    return done.stdout


def members(package, folder):
    """Write the tars in a package of Debian, which is an archive of ar, into a directory; yield their paths."""
    data = package.read_bytes()
    at = len(b"!<arch>\n")
    while at + 60 <= len(data):
        name, size = data[at : at + 16].decode().strip().rstrip("/"), int(data[at + 48 : at + 58])
        at += 60
        if ".tar" in name:
            path = folder / f"{package.stem}-{name}"
            path.write_bytes(data[at : at + size])
            yield path
        at += size + size % 2


def archives(apt, rng, folder):
    """Yield paths of archives, without end as long as there are packages."""
    left = [rng.sample(names, len(names)) for names in map(apt.names, CHOICES)]
    while any(left):
        for names in left:
            name = names.pop() if names else ""
            if not name:
                continue
            for package in apt.fetched("download", name):
                for path in members(package, folder):
                    yield path
                    yield from zips(path, folder)
                    path.unlink()
            for source in apt.fetched("source", "--download-only", name):
                if archive_kind(source.name):
                    yield source


def zips(path, folder):
    """Yield the zips in a tar."""
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        subprocess.run(["tar", "-xf", path, "-C", inside], check=True)
        found = [each for each in sorted(pathlib.Path(inside).rglob("*")) if each.suffix in ZIPS]
        yield from (each for each in found if each.is_file() and not each.is_symlink())


def compared(path, box):
    """Unpack an archive here and by tar or unzip; return how both ended. Raises AssertionError."""
    kind = "zip" if path.suffix in ZIPS else archive_kind(path.name)
    ours, theirs = box / "ours", box / "theirs"
    for place in (ours, theirs):
        place.mkdir(parents=True)
    tool = ["unzip", "-o", "-q", "-d", theirs, path] if kind == "zip" else ["tar", "-xf", path, "-C", theirs]
    done = subprocess.run(tool, env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True, text=True, check=False)
    try:
        unpack(Reader(str(path)), kind, str(ours), "", lambda notice: None, owners=Machine().owners)
    except ArchiveError as error:
        if done.returncode != 0 or any(text in str(error) for text in REFUSED):
            return "refused"
        raise AssertionError(f"only here: {error}") from None
    # 1 is a warning of unzip.
    assert done.returncode in ((0, 1) if kind == "zip" else (0,)), f"not by {tool[0]}: {done.stderr}"
    compare(ours, theirs, times=False)
    return kind


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archives", type=int, default=200)
    parser.add_argument("--seed", type=int, default=SEED, help="of what is chosen at random (CCM_SEED)")
    options = parser.parse_args()
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        print(f"left out: real archives need {' '.join(missing)}")
        return
    counts = {}
    with tempfile.TemporaryDirectory(prefix="ccm-archives-") as scratch:
        folder = pathlib.Path(scratch)
        try:
            apt = Apt(folder / "apt")
        except Unavailable as error:
            print(f"left out: real archives, because {error}")
            return
        for path in archives(apt, random.Random(options.seed), folder):
            try:
                how = compared(path, folder / "box")
            except BaseException:
                print(f"archive {path.name}", file=sys.stderr)
                raise
            shutil.rmtree(folder / "box")
            counts[how] = counts.get(how, 0) + 1
            if sum(counts.values()) == options.archives:
                break
    if not counts:
        print("left out: real archives, because none could be fetched")
        return
    if sum(counts.values()) < options.archives:
        sys.exit(f"only {sum(counts.values())} of {options.archives} real archives could be fetched")
    told = ", ".join(f"{count} {how}" for how, count in sorted(counts.items()))
    print(f"real archives: {sum(counts.values())} left what tar and unzip leave: {told}", flush=True)


if __name__ == "__main__":
    main()
