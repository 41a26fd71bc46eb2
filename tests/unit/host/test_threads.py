# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads that exclude each other by names."""

from __future__ import annotations

import concurrent.futures
import sys

from ccm.host import threads
from ccm.host.threads import Threads


class Interruption(Exception):
    """What a signal raises."""


class Interrupting:
    """Interrupts the file that takes the locks at its line `at`, counted as they run."""

    def __init__(self, at):
        self.left = at

    def __call__(self, frame, event, _argument):
        if frame.f_code.co_filename != threads.__file__:
            return None
        self.left -= event == "line"
        if self.left < 0:
            sys.settrace(None)
            raise Interruption
        return self


def is_interrupted(taking, at):
    """Take two names and release them, with an interruption at a line before both are taken; return if there is one."""
    tracing = sys.gettrace()
    try:
        sys.settrace(Interrupting(at))
        with taking.exclusive(("one", "two")):
            sys.settrace(tracing)
            return False
    except Interruption:
        return True
    finally:
        sys.settrace(tracing)


def test_an_interruption_at_any_moment_before_all_names_are_taken_releases_those_taken():
    at, interrupted = 0, True
    with concurrent.futures.ThreadPoolExecutor(1) as other_thread:
        while interrupted:
            taking = Threads()
            interrupted = is_interrupted(taking, at)
            for lock in taking._locks.values():
                assert other_thread.submit(lock.acquire, False).result(), at
            at += 1
    assert at > 10
