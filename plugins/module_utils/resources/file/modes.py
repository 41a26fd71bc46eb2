# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Modes of files and directories as they are written (behaviour.md 7)."""

from __future__ import annotations

from ...model.errors import InvalidResource

_HIGHEST_MODE = 0o7777


def directory_mode(mode: str) -> str:
    """Return the mode of a directory: users who may read or write may enter as well (behaviour.md 7)."""
    bits = int(mode, 8)
    return f"{bits | (bits >> 1 | bits >> 2) & 0o111:04o}"


def keeps_special_bits(mode: str) -> bool:
    """Return whether a directory that is to have this mode, four octal digits, keeps its set-id and sticky bits."""
    return mode[0] == "0"


def normal_mode(mode: str) -> str:
    """Return a mode as four octal digits: 644, 00644 and 0o644 are 0644 (decisions.md Q8). Raises InvalidResource."""
    digits = mode[2:] if mode[:2] in ("0o", "0O") else mode
    problem = ""
    if not digits or set(digits) - set("01234567"):
        problem = "is not a valid octal number"
    elif int(digits, 8) > _HIGHEST_MODE:
        problem = "exceeds maximum value 7777"
    elif len(digits) < 3:
        problem = "is not a valid octal number: it has fewer than three digits"
    if problem:
        raise InvalidResource(
            f'mode "{mode}" {problem}', property="mode", value=mode, advice="write it like 0644, from 0000 to 7777"
        )
    return f"{int(digits, 8):04o}"
