# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals that would end this process, blocked during a step that must not be interrupted."""

from __future__ import annotations

import _signal

# SIGHUP, SIGINT, SIGQUIT and SIGTERM, by Linux's numbers.
_ENDING = (1, 2, 3, 15)


def current() -> set[int]:
    """Return the signals that are blocked now."""
    found: set[int] = _signal.pthread_sigmask(_signal.SIG_BLOCK, ())
    return found


def hold() -> set[int]:
    """Block the signals that would end this process; return those blocked before.

    An exception of the handler of a signal just before is raised; then they are blocked as well.
    """
    found: set[int] = _signal.pthread_sigmask(_signal.SIG_BLOCK, _ENDING)
    return found


def release(before: set[int]) -> None:
    """Block only the signals that were blocked before. Raises what the handlers of pending ones raise."""
    _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
