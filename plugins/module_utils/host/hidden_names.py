# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names of hidden files, without the code that makes them."""

from __future__ import annotations

import os

MARK = ".ccm-"
FIRST = "new"
_LONGEST_STEM = 200


def stem_for(name: str) -> str:
    """Return how the names of the hidden files for the file `name` begin."""
    if len(name) * 4 > _LONGEST_STEM:
        name = os.fsdecode(os.fsencode(name)[:_LONGEST_STEM])
    return f".{name}{MARK}"


def hidden_name(name: str) -> str:
    """Return the usual name of the hidden file for the file `name`."""
    return stem_for(name) + FIRST


def has_unfinished(path: str) -> bool:
    """Return whether a process is writing the file at `path`, or was killed while it did."""
    directory, name = os.path.split(path)
    return path.startswith("/") and os.path.lexists(f"{directory}/{hidden_name(name)}")
