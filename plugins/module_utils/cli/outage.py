# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The reasons of an outage that were logged."""

from __future__ import annotations


class Outage:
    """Keeps the reasons of an outage that were logged, so that each is logged once until it is over."""

    def __init__(self) -> None:
        self._reasons: set[str] = set()

    def is_new(self, reason: str) -> bool:
        """Return whether a reason, "" for none, was not logged yet, and take it as logged."""
        is_new = bool(reason) and reason not in self._reasons
        if is_new:
            self._reasons.add(reason)
        return is_new

    def is_over(self, reason: str) -> bool:
        """Return whether there is no reason any more after one was logged, and forget the reasons."""
        is_over = not reason and bool(self._reasons)
        if is_over:
            self._reasons.clear()
        return is_over
