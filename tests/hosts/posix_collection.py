# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection ansible.posix, fetched once per machine with pip, from the package of collections."""

from __future__ import annotations

import fcntl
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

from extensions.molecule.hosts.host import ROOTS

PINNED = pathlib.Path(__file__).parent / "requirements.txt"
PART = "ansible_collections/ansible/posix/"


class Unavailable(Exception):
    """The collection cannot be fetched; the text is the reason."""


def posix_collection(cache=ROOTS):
    """Return a directory in which Ansible finds ansible.posix; fetch it where the cache has none of this version.

    It is unpacked beside its place and renamed when it is whole. Raises Unavailable.
    """
    [pinned] = [line for line in PINNED.read_text("utf-8").splitlines() if not line.startswith("#")]
    place = cache / f"posix-of-{pinned.replace('==', '-')}"
    if place.is_dir():
        return place
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / ".posix.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.is_dir():
            _fetch(pinned, place)
    return place


def _fetch(pinned, place):
    with tempfile.TemporaryDirectory(prefix=".posix-", dir=place.parent) as folder:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        options = ["--no-cache-dir", "--only-binary", ":all:", "--dest", folder, pinned]
        done = subprocess.run([*download, *options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise Unavailable(f"pip cannot download {pinned}, which has the collection ansible.posix: {last}")
        [wheel] = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            names = [name for name in packed.namelist() if name.startswith(PART)]
            packed.extractall(f"{folder}/whole", names)
        os.chmod(f"{folder}/whole", 0o755)
        os.rename(f"{folder}/whole", place)
