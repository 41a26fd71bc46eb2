# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The changes that this process may have made to the machine, counted."""

from __future__ import annotations

_generation = 0


def record() -> None:
    """Record that the machine may have changed."""
    global _generation
    _generation += 1


def generation() -> int:
    """Return a number that grows with each change; what was seen at a smaller one may be outdated."""
    return _generation
