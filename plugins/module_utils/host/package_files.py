# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of installed packages, for all of them in one go."""

from __future__ import annotations

import os

from .errors import HostError
from .queries import query
from .results import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

_DPKG = "/var/lib/dpkg/info"


def files_of_packages(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the paths of files and directories by the names of packages; a package that is not installed has none.

    It never fails: where lists cannot be read, nothing is known.
    """
    wanted = dict.fromkeys(names)
    try:
        lists = sorted(os.listdir(_DPKG))
    except OSError:
        return _rpm_lists(list(wanted))
    found: dict[str, list[str]] = {}
    for file in lists:
        # NAME.list, or NAME:ARCHITECTURE.list
        stem, _dot, suffix = file.rpartition(".")
        name = stem.partition(":")[0]
        if suffix == "list" and name in wanted and name not in found:
            found[name] = _lines(f"{_DPKG}/{file}")
    return {name: files for name, files in found.items() if files}


def _lines(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []


def _rpm_lists(names: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        done = query(["rpm", "-q", "--queryformat", "[%{=NAME}\\t%{FILENAMES}\\n]", "--", *names])
    except HostError:
        return found
    for line in decode(done.stdout).splitlines():
        name, tab, path = line.partition("\t")
        if tab:
            found.setdefault(name, []).append(path)
    return found
