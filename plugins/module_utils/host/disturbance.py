# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How often this process did what may have changed the machine."""

from __future__ import annotations

_times = 0


def note() -> None:
    """Say that the machine may have changed."""
    global _times
    _times += 1


def count() -> int:
    """How often that was said; what was seen at another count may be outdated."""
    return _times
