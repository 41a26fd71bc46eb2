# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much work a call is, in lines of Python that run: the same on any machine, however busy it is.

What regular expressions and other parts of C do within a line is not counted: tests/bench/growth.py compares its times.
"""

from __future__ import annotations

import sys


def work_of(call):
    """Return the number of lines that a call runs."""
    count = 0

    def trace(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return trace

    former = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(former)
    return count


def assert_linear(work, size):
    """Check that `work(size)` returns a call that needs about four times the steps for four times the size."""
    small, large = work_of(work(size)), work_of(work(4 * size))
    assert large <= 5 * small, (small, large)
