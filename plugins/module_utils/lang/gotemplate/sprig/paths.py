# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Parts of paths, by text alone. Paths of this system and paths with slashes are the same here."""

from __future__ import annotations

from ...paths import base, clean
from ..function import Function


def _dir(path: str) -> str:
    return clean(path[: path.rfind("/") + 1])


def _ext(path: str) -> str:
    name = path.rpartition("/")[2]
    dot = name.rfind(".")
    return name[dot:] if dot >= 0 else ""


_BASE = Function(base, "string")
_CLEAN = Function(clean, "string")
_DIR = Function(_dir, "string")
_EXT = Function(_ext, "string")
_IS_ABSOLUTE = Function(lambda path: path.startswith("/"), "string")

FUNCTIONS = {
    "base": _BASE,
    "osBase": _BASE,
    "clean": _CLEAN,
    "osClean": _CLEAN,
    "dir": _DIR,
    "osDir": _DIR,
    "ext": _EXT,
    "osExt": _EXT,
    "isAbs": _IS_ABSOLUTE,
    "osIsAbs": _IS_ABSOLUTE,
}
