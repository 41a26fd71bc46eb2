# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Spans of time from text: the durations of manifests and flags, and Go's own durations. All spans are nanoseconds."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Iterator

_MAX = (1 << 63) - 1
_LIMIT = 1 << 63
_HOUR = 3600 * 10**9
_UNITS = {
    "ns": 1,
    "us": 1000,
    "µs": 1000,  # micro sign
    "μs": 1000,  # Greek mu
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": _HOUR,
}
#: Hours in the units that manifests have on top of Go's, as the factors that are multiplied one after the other.
_LONG = {
    "d": (24, 1),
    "D": (24, 1),
    "w": (7, 24),
    "W": (7, 24),
    "M": (24, 30),
    "y": (24, 365),
    "Y": (24, 365),
}
_INVALID = "invalid duration"


class DurationError(Exception):
    """Text that is no duration; the message is CCM's own."""


def parse(text: str) -> int:
    """Return the nanoseconds of a duration of a manifest or a flag: ``1h30m``, ``1.5d``, ``2w``, ``-5s``, ``0``.

    Groups of number and unit are summed and anything between them is skipped; a sign counts only on the first group.
    Days, weeks, months (30 d) and years (365 d) are cut to whole hours. Raises DurationError (``invalid duration``,
    ``invalid duration: <reason>``), also for spans beyond 292 years. Rule: behaviour.md 2.8.
    """
    if text == "0":
        return 0
    total = 0
    negative = found = False
    for group in _groups(r"([-+]?)([0-9.]+)([a-zA-Z]*)", text):
        sign, amount, unit = group.groups()
        if not unit:
            continue
        if not found:
            found = True
            negative = sign == "-"
        total += _group(amount, unit)
        if total > _MAX:
            raise DurationError(_INVALID + ": value out of range")
    if not found:
        raise DurationError(_INVALID)
    return -total if negative else total


def _groups(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Return where a pattern is found in a text."""
    import re

    return re.finditer(pattern, text)


def _group(amount: str, unit: str) -> int:
    factors = _LONG.get(unit)
    if factors is not None:
        return int(_number(amount) * factors[0] * factors[1]) * _HOUR
    if unit not in _UNITS:
        raise DurationError(f"{_INVALID}: invalid unit {unit}")
    try:
        return parse_go(amount + unit)
    except DurationError as error:
        raise DurationError(f"{_INVALID}: {error}") from None


def _number(text: str) -> float:
    """Return digits with a point in single precision, which is what the original calculates with."""
    if text.count(".") > 1 or text == ".":
        raise DurationError(f'{_INVALID}: strconv.ParseFloat: parsing "{text}": invalid syntax')
    value = float(text)
    if value < 1 << 24 and value == int(value):
        return value
    from struct import pack, unpack

    try:
        single: float = unpack("f", pack("f", value))[0]
        if single - single == 0:
            return single
    except OverflowError:
        pass
    raise DurationError(f'{_INVALID}: strconv.ParseFloat: parsing "{text}": value out of range')


def parse_go(text: str) -> int:
    """Return the nanoseconds of a duration as Go's ``time.ParseDuration`` reads it (units ``ns us µs ms s m h``).

    Raises DurationError with Go's texts: ``time: invalid duration "x"``, ``time: missing unit in duration "5"``,
    ``time: unknown unit "q" in duration "5q"``.
    """
    rest = text[1:] if text[:1] in ("-", "+") else text
    negative = text[:1] == "-"
    if rest == "0":
        return 0
    invalid = "time: invalid duration " + quote(text)
    if not rest:
        raise DurationError(invalid)
    total = 0
    # The last group that is found is the empty one at the end.
    for match in _groups(r"([0-9]*)(\.?)([0-9]*)([^0-9.]*)", rest):
        if match.start() == len(rest):
            break
        if not (match.group(1) or match.group(3)):
            raise DurationError(invalid)
        whole, fraction, unit = match.group(1).lstrip("0"), match.group(3), match.group(4)
        if len(whole) > 19 or int(whole or "0") > _LIMIT:
            raise DurationError(invalid)
        if not unit:
            raise DurationError("time: missing unit in duration " + quote(text))
        if unit not in _UNITS:
            raise DurationError(f"time: unknown unit {quote(unit)} in duration {quote(text)}")
        total += int(whole or "0") * _UNITS[unit] + _fraction(fraction, _UNITS[unit])
        if total > _LIMIT:
            raise DurationError(invalid)
    if negative:
        return -total
    if total > _MAX:
        raise DurationError(invalid)
    return total


def _fraction(digits: str, unit: int) -> int:
    value, scale = 0, 1.0
    for digit in digits:
        longer = value * 10 + int(digit)
        if value > _MAX // 10 or longer > _LIMIT:
            break
        value, scale = longer, scale * 10
    return int(value * (unit / scale))


def quote(text: str) -> str:
    """Return ``text`` in double quotes as Go's package ``time`` does: each byte that is not ASCII as ``\\xNN``."""
    quoted: list[str] = []
    for char in text:
        if char < " " or char >= "\x80":
            quoted.extend(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogateescape"))
        else:
            quoted.append("\\" + char if char in '"\\' else char)
    return '"' + "".join(quoted) + '"'
