# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ccm as users install it, as a layer for hosts: from a wheel, for the host's own Python, compiled."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

from extensions.molecule.hosts.host import ROOTS, build

CHECKOUT = pathlib.Path(__file__).parents[2]
PLACE = ROOTS / "command"
PARTS = ("pyproject.toml", "README.md", "bin", "plugins/module_utils")
# $1 base, $2 layer, $3 work directory: compile in the base with the layer over it, by its own Python.
COMPILE = """
mkdir "$3/work" "$3/root"
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2,workdir=$3/work" "$3/root"
chroot "$3/root" python3 -m compileall -q /usr/local/lib
"""


def command_layer(base):
    """A directory with /usr/local/bin/ccm and its package for hosts over `base`, made at most once per source."""
    build(base)
    PLACE.mkdir(parents=True, exist_ok=True)
    recipe = (ROOTS / base / "etc/ccm-test-base").read_text(encoding="ascii").strip()
    layer = PLACE / f"{base}-{source_hash()}-{recipe}"
    with locked(PLACE / "lock"):
        if layer.exists():
            os.utime(layer)
            return layer
        remove_old()
        with tempfile.TemporaryDirectory(dir=PLACE) as scratch:
            beside = pathlib.Path(scratch, "layer")
            unpack(wheel(scratch), beside, next((ROOTS / base / "usr/lib").glob("python3.*")).name)
            script = ["sh", "-ec", COMPILE, "sh", str(ROOTS / base), str(beside), scratch]
            subprocess.run(["unshare", "--mount", "--propagation=private", *script], check=True)
            beside.rename(layer)
    return layer


def source_hash():
    found = hashlib.sha256(pathlib.Path(__file__).read_bytes())
    for part in PARTS:
        place = CHECKOUT / part
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and "__pycache__" not in path.parts:
                found.update(f"{path.relative_to(CHECKOUT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def wheel(scratch):
    """Build the wheel from a copy of the sources; a build in the checkout would leave folders in it."""
    copy = pathlib.Path(scratch, "source")
    for part in PARTS:
        target = copy / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (CHECKOUT / part).is_dir():
            shutil.copytree(CHECKOUT / part, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(CHECKOUT / part, target)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", scratch, str(copy)], check=True)
    return next(pathlib.Path(scratch).glob("*.whl"))


def unpack(archive, layer, python):
    """Lay a wheel out as an installer does."""
    packages = layer / "usr/local/lib" / python / "dist-packages"
    commands = layer / "usr/local/bin"
    for folder in (packages, commands):
        folder.mkdir(parents=True)
    with zipfile.ZipFile(archive) as wheel_file:
        wheel_file.extractall(packages)
    scripts = next(packages.glob("*.data/scripts"))
    for script in scripts.iterdir():
        first, rest = script.read_text(encoding="utf-8").split("\n", 1)
        if not first.startswith("#!python"):
            raise ValueError(f"{script.name} of the wheel begins with {first}")
        (commands / script.name).write_text("#!/usr/bin/python3\n" + rest, encoding="utf-8")
        (commands / script.name).chmod(0o755)
    shutil.rmtree(scripts.parent)


@contextlib.contextmanager
def locked(path):
    with open(path, "w", encoding="ascii") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def remove_old():
    """Remove layers that no run of the last day used; a host may still use a younger one."""
    for layer in PLACE.glob("*-*-*"):
        if time.time() - layer.stat().st_mtime > 24 * 3600:
            shutil.rmtree(layer)
