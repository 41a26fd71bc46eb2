# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sets of characters.

A set is a tuple of code points in ascending order at which membership changes: at even places a run of members begins,
at odd places it ends (the first code point that is no longer a member). `[a-c]` is (0x61, 0x64). A character belongs
to the set if an odd number of entries is not above it, which one bisection finds.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Tuple

    CharSet = Tuple[int, ...]

#: One more than the last code point.
LIMIT = 0x110000

EMPTY: CharSet = ()
ANY: CharSet = (0, LIMIT)
ANY_BUT_NEWLINE: CharSet = (0, 0x0A, 0x0B, LIMIT)

#: The letter of a class escape: the set (ASCII only).
PERL_CLASSES: dict[str, CharSet] = {
    "d": (0x30, 0x3A),
    "s": (0x09, 0x0B, 0x0C, 0x0E, 0x20, 0x21),
    "w": (0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B),
}

#: The name in [[:name:]]: the set (ASCII only).
POSIX_CLASSES: dict[str, CharSet] = {
    "alnum": (0x30, 0x3A, 0x41, 0x5B, 0x61, 0x7B),
    "alpha": (0x41, 0x5B, 0x61, 0x7B),
    "ascii": (0x00, 0x80),
    "blank": (0x09, 0x0A, 0x20, 0x21),
    "cntrl": (0x00, 0x20, 0x7F, 0x80),
    "digit": (0x30, 0x3A),
    "graph": (0x21, 0x7F),
    "lower": (0x61, 0x7B),
    "print": (0x20, 0x7F),
    "punct": (0x21, 0x30, 0x3A, 0x41, 0x5B, 0x61, 0x7B, 0x7F),
    "space": (0x09, 0x0E, 0x20, 0x21),
    "upper": (0x41, 0x5B),
    "word": (0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B),
    "xdigit": (0x30, 0x3A, 0x41, 0x47, 0x61, 0x67),
}


def single(code: int) -> CharSet:
    """Return the set of one code point."""
    return (code, code + 1)


def runs(chars: CharSet) -> Iterable[tuple[int, int]]:
    """Return the set as (first, last) pairs, last included."""
    return ((chars[i], chars[i + 1] - 1) for i in range(0, len(chars), 2))


def from_runs(pairs: Iterable[tuple[int, int]]) -> CharSet:
    """Return the set of all (first, last) pairs, last included; they may overlap and come in any order."""
    merged: list[int] = []
    for first, last in sorted(pairs):
        if merged and first <= merged[-1]:
            if last >= merged[-1]:
                merged[-1] = last + 1
        else:
            merged += (first, last + 1)
    return tuple(merged)


def union(sets: Iterable[CharSet]) -> CharSet:
    """Return the characters that are in any of the sets."""
    distinct = set(sets)
    if len(distinct) == 1:
        return distinct.pop()
    return from_runs(pair for chars in distinct for pair in runs(chars))


def negate(chars: CharSet) -> CharSet:
    """Return the characters that are not in the set."""
    below = chars[1:] if chars[:1] == (0,) else (0, *chars)
    return below[:-1] if below[-1:] == (LIMIT,) else (*below, LIMIT)
