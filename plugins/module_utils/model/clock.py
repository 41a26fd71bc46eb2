# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Times and event ids as events carry them."""

from __future__ import annotations

import os
import time

_KSUID_EPOCH = 1400000000
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_LENGTH = 27
_RANDOM_BITS = 96
_LARGEST_ID = (1 << 160) - 1
_last_id = 0


def timestamp(nanoseconds: int | None = None) -> str:
    """A point in time (ns since 1970, default: now) as RFC 3339 in UTC with nanoseconds, trailing zeros cut."""
    seconds, fraction = divmod(time.time_ns() if nanoseconds is None else nanoseconds, 1_000_000_000)
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
    return f"{text}.{fraction:09d}".rstrip("0").rstrip(".") + "Z" if fraction else text + "Z"


def new_event_id(after: str = "") -> str:
    """A KSUID (27 characters of base62) that sorts after every id made before it, and after that of another process.

    Four bytes of seconds, then four of nanoseconds within the second, then twelve random ones; within one process an
    id is never smaller than the last (decisions.md Q56), nor than `after` when the clock was set back since.
    """
    global _last_id
    seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
    random = int.from_bytes(os.urandom(_RANDOM_BITS // 8), "big")
    number = ((seconds - _KSUID_EPOCH) << 128) | (nanoseconds << _RANDOM_BITS) | random
    if after:
        next_number = (((_number(after) >> _RANDOM_BITS) + 1) << _RANDOM_BITS) | random
        if number < next_number <= _LARGEST_ID:
            number = next_number
    if number <= _last_id:
        number = _last_id + 1
    _last_id = number
    return _base62(number)


def _number(event_id: str) -> int:
    number = 0
    for digit in event_id:
        number = number * len(_DIGITS) + _DIGITS.index(digit)
    return number


def _base62(number: int) -> str:
    digits = []
    for _place in range(_ID_LENGTH):
        number, digit = divmod(number, 62)
        digits.append(_DIGITS[digit])
    return "".join(reversed(digits))
