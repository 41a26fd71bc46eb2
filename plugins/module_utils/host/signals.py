# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals that would end this process, held back while something may not be broken off."""

from __future__ import annotations

import _signal

# SIGHUP, SIGINT, SIGQUIT and SIGTERM, by Linux's numbers.
_ENDING = (1, 2, 3, 15)


def current() -> set[int]:
    """Return the signals that are held back now."""
    found: set[int] = _signal.pthread_sigmask(_signal.SIG_BLOCK, ())
    return found


def hold() -> set[int]:
    """Hold back what would end us; what was held back before.

    It raises what the handler of a signal raises that came just before; then they are held back as well.
    """
    found: set[int] = _signal.pthread_sigmask(_signal.SIG_BLOCK, _ENDING)
    return found


def release(before: set[int]) -> None:
    """Hold back only what was held back before. Raises what the handlers of those that came meanwhile raise."""
    _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
