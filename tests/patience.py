# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a test waits for what must come: one time for all tests, far above what a busy machine needs.

A test waits for what is said or done, never for a fixed time, and asserts no other upper limit of time than this one.
"""

from __future__ import annotations

import time

from tests.tools.environment import number

#: In seconds. CCM_PATIENCE is for machines that are slower still.
PATIENCE = number("CCM_PATIENCE", 60)
#: How long a whole test may take, in seconds: it may wait for several things.
LIMIT = 5 * PATIENCE
#: Between two looks at what is waited for, in seconds.
_PAUSE = 0.002


def wait_until(condition):
    """Wait until a condition holds; the test fails when it does not in time."""
    repeat_until(condition, lambda: None)


def repeat_until(condition, act):
    """Do something again and again until a condition holds; the test fails when it does not in time."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"it did not happen in {PATIENCE:g} s")
        act()
        pause()


def pause():
    """Let others work for a moment, in a loop that something else ends."""
    time.sleep(_PAUSE)
