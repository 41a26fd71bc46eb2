# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Times and ids of events."""

from __future__ import annotations

import os
import time

_KSUID_EPOCH = 1400000000
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 27
RANDOM_BITS = 96
#: CLOCK_REALTIME_COARSE of Linux.
_CLOCK_OF_FILES = 5


def timestamp(nanoseconds: int | None = None) -> str:
    """Return a point in time (ns since 1970, default: now) as RFC 3339 in UTC with nanoseconds, trailing zeros cut."""
    seconds, fraction = divmod(time.time_ns() if nanoseconds is None else nanoseconds, 1_000_000_000)
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{text}.{fraction:09d}".rstrip("0").rstrip(".") + "Z" if fraction else text + "Z"


def change_time() -> int:
    """Return the ctime of a file that changes now, in ns since 1970: the kernel's clock of files has larger steps."""
    return time.clock_gettime_ns(_CLOCK_OF_FILES)


def event_moment() -> int:
    """Return the part of an event id that is its time: four bytes of seconds, four of nanoseconds within the second."""
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    return ((seconds - _KSUID_EPOCH) << 32) | nanoseconds


def new_event_id(moment: int | None = None) -> str:
    """Return a KSUID of a moment, by default now, 27 characters of base62. Twelve bytes after the time are random.

    Ids sort by time; a session ensures that they do when the clock is set back (decisions.md Q56).
    """
    random = int.from_bytes(os.urandom(RANDOM_BITS // 8), "big")
    return base62(((event_moment() if moment is None else moment) << RANDOM_BITS) | random)


def base62(number: int) -> str:
    """Return an event id as text."""
    digits = []
    for _place in range(_ID_LENGTH):
        number, digit = divmod(number, 62)
        digits.append(DIGITS[digit])
    return "".join(reversed(digits))


_LARGEST = (1 << 160) - 1


def id_after(event_id: str, earlier: str) -> str:
    """Return an id that sorts after `earlier`, with the random part of `event_id`.

    Returns `event_id` when there is no later one.
    """
    random = _number(event_id) % (1 << RANDOM_BITS)
    number = (((_number(earlier) >> RANDOM_BITS) + 1) << RANDOM_BITS) | random
    return base62(number) if number <= _LARGEST else event_id


def _number(event_id: str) -> int:
    number = 0
    for digit in event_id:
        number = number * len(DIGITS) + DIGITS.index(digit)
    return number
