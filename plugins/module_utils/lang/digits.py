# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole numbers as text."""

from __future__ import annotations

# More mean nothing in any setting, and Python refuses to convert thousands of them.
_MOST_DIGITS = 12


def whole_number(text: str) -> int | None:
    """Return the number that digits are; None for other text, and for more than twelve digits."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None
