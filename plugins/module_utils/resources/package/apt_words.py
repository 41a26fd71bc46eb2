# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What apt-get or dpkg said last, for the reason of a failure."""

from __future__ import annotations

from ...host.results import decode, in_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

_MOST = 3
_UNMET = "unmet dependencies:"
_DPKG = "dpkg: error processing "


def lines_of(output: bytes) -> list[str]:
    """The lines of what a program wrote, without blanks around, empty ones left out."""
    return [line.strip() for line in decode(output).splitlines() if line.strip()]


def last_words(lines: Sequence[str]) -> str:
    """The last lines, at most three, in one."""
    return in_one_line(lines[-_MOST:])


def details(output: bytes) -> list[str]:
    """What says more than errors do: which dependencies cannot be met, and why dpkg could not process a package.

    dpkg breaks its sentence off after a colon and ends it in the next line.
    """
    found: list[str] = []
    before = ""
    is_unmet = False
    for line in decode(output).splitlines():
        text = " ".join(line.split())
        if is_unmet and line.startswith(" "):
            found.append(text)
        elif before.startswith(_DPKG) and line.startswith(" "):
            found.append(f"{before} {text}")
        is_unmet = text.endswith(_UNMET) or (is_unmet and line.startswith(" "))
        before = text
    return found
