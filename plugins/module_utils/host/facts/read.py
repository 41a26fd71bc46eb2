# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading the small files of facts; the result for an unreadable one is None.

As in the original, `HOST_PROC`, `HOST_SYS`, `HOST_ETC`, `HOST_DEV` and `HOST_ROOT` in the environment name the mounted
trees of another machine, for a runner inside a container that describes its host.
"""

from __future__ import annotations

import os

_TREES = {"proc": "HOST_PROC", "sys": "HOST_SYS", "etc": "HOST_ETC", "dev": "HOST_DEV"}


def located(path: str) -> str:
    """Return the path on this machine of an absolute path of the described machine."""
    _root, top, *rest = path.split("/", 2)
    if top in _TREES:
        tree = os.environ.get(_TREES[top])
        return "/".join([tree, *rest]) if tree else path
    tree = os.environ.get("HOST_ROOT") if top == ".dockerenv" else None
    return tree + path if tree else path


def read_text(path: str, errors: str = "replace") -> str | None:
    """Return the text of a file.

    None where it is missing or unreadable. `errors` is the decoder's handling of bad UTF-8.
    """
    try:
        with open(located(path), "rb") as file:
            return file.read().decode("utf-8", errors)
    except OSError:
        return None


def exists(path: str) -> bool:
    """Return whether the path exists, links followed."""
    return os.path.exists(located(path))


def first_line(text: str | None) -> str:
    """Return the first line without its end; "" for no text."""
    return text.split("\n", 1)[0] if text else ""


def unsigned(text: str) -> int | None:
    """Return a number of decimal digits that fits 64 bits; None for anything else."""
    if not (text.isascii() and text.isdigit()) or len(text) > 20:
        return None
    number = int(text)
    return number if number < 1 << 64 else None
