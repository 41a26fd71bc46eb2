# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Spans of time as text, as Go writes them."""

from __future__ import annotations


def format_go(nanoseconds: int) -> str:
    """Return a span as Go's ``Duration.String`` shows it: ``1h30m0s``, ``1.5s``, ``14ms``, ``1.5µs``, ``0s``."""
    sign = "-" if nanoseconds < 0 else ""
    span = abs(nanoseconds)
    if span == 0:
        return "0s"
    if span < 1000:
        return f"{sign}{span}ns"
    if span < 10**6:
        return sign + _decimal(span, 10**3) + "µs"
    if span < 10**9:
        return sign + _decimal(span, 10**6) + "ms"
    minutes, rest = divmod(span, 60 * 10**9)
    text = _decimal(rest, 10**9) + "s"
    if minutes:
        hours, minutes = divmod(minutes, 60)
        text = f"{minutes}m{text}"
        if hours:
            text = f"{hours}h{text}"
    return sign + text


def _decimal(value: int, unit: int) -> str:
    whole, rest = divmod(value, unit)
    if not rest:
        return str(whole)
    return f"{whole}." + str(unit + rest)[1:].rstrip("0")
