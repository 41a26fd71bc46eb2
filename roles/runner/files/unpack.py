# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Install a wheel of pure Python into the virtual environment whose Python runs this: unpack.py WHEEL

What pip would do, for hosts without it: an earlier version is removed, scripts get the path of this Python, and RECORD
names all files, so that pip can replace or remove them. What the wheel needs must be there.
"""

from __future__ import annotations

import compileall
import csv
import os
import pathlib
import shutil
import sys
import sysconfig
import zipfile
from importlib.util import cache_from_source

PACKAGES = pathlib.Path(sysconfig.get_path("purelib"))
SCRIPTS = pathlib.Path(sysconfig.get_path("scripts"))


def main(wheel: pathlib.Path) -> None:
    """Remove what is installed and install the wheel."""
    name, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as archive:
        for about in PACKAGES.glob(f"{name}-*.dist-info"):
            remove(about)
        archive.extractall(PACKAGES)
    data = PACKAGES / f"{name}-{version}.data"
    for script in sorted(data.glob("scripts/*")):
        install_script(script)
    shutil.rmtree(data, ignore_errors=True)
    record(PACKAGES / f"{name}-{version}.dist-info", data.name)
    compileall.compile_dir(str(PACKAGES), quiet=1)


def remove(about: pathlib.Path) -> None:
    """Remove the files that a RECORD names, their compiled forms, and the directories that this empties."""
    folders = set()
    for path in recorded(about):
        for file in (path, pathlib.Path(cache_from_source(str(path)))):
            if file.exists():
                file.unlink()
            folders.update(folder for folder in file.parents if PACKAGES in folder.parents)
    for folder in sorted(folders, reverse=True):
        if folder.is_dir() and not os.listdir(folder):
            folder.rmdir()
    shutil.rmtree(about, ignore_errors=True)


def recorded(about: pathlib.Path) -> list[pathlib.Path]:
    """Return the files that RECORD names."""
    try:
        text = (about / "RECORD").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return [pathlib.Path(os.path.normpath(PACKAGES / row[0])) for row in csv.reader(text.splitlines()) if row]


def install_script(script: pathlib.Path) -> None:
    """Put a script beside this Python, which then runs it."""
    first, rest = script.read_text(encoding="utf-8").split("\n", 1)
    if first.startswith("#!python"):
        first = f"#!{sys.executable}"
    target = SCRIPTS / script.name
    target.with_name(f".{script.name}.new").write_text(f"{first}\n{rest}", encoding="utf-8")
    target.with_name(f".{script.name}.new").chmod(0o755)
    target.with_name(f".{script.name}.new").replace(target)


def record(about: pathlib.Path, data: str) -> None:
    """Write down where scripts are, and who installed this."""
    with open(about / "RECORD", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    for row in rows:
        if row[0].startswith(f"{data}/scripts/"):
            row[:] = [os.path.relpath(SCRIPTS / pathlib.PurePath(row[0]).name, PACKAGES), "", ""]
    (about / "INSTALLER").write_text("ccm.core.runner\n", encoding="utf-8")
    rows.append([f"{about.name}/INSTALLER", "", ""])
    with open(about / "RECORD", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
