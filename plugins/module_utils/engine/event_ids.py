# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Event ids that sort after others although the clock was set back (decisions.md Q56)."""

from __future__ import annotations

from ..model.clock import DIGITS, RANDOM_BITS, base62

_LARGEST = (1 << 160) - 1


def id_after(event_id: str, earlier: str) -> str:
    """An id that sorts after `earlier`, with the random part of `event_id`; that itself when there is none later."""
    random = _number(event_id) % (1 << RANDOM_BITS)
    number = (((_number(earlier) >> RANDOM_BITS) + 1) << RANDOM_BITS) | random
    return base62(number) if number <= _LARGEST else event_id


def _number(event_id: str) -> int:
    number = 0
    for digit in event_id:
        number = number * len(DIGITS) + DIGITS.index(digit)
    return number
