# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leave out the tests that start a process: pytest -p tests.tools.no_processes ...

Which they are is found out by running them: the first attempt to start a process ends the test, which then counts as
skipped. So no list and no marker has to be kept.
"""

from __future__ import annotations

import sys

import pytest

STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
REASON = "it starts a process: make test runs it"


class Guard:
    """Whether processes may be started now, and whether that was tried."""

    def __init__(self):
        self.closed = False
        self.tried = False

    def audit(self, event, _arguments):
        """Skip the test that is about to start a process: this run is a first, fast one of the tests that start none.

        Nothing goes untested: `make test` runs all unit tests after it (tests/tools/steps).
        """
        if self.closed and event in STARTS:
            self.tried = True
            # Skipped because of what the test does, on every machine alike: this fast run is for tests that start no
            # process. The test is not lost: the full run of make test comes without this plugin, and runs it.
            pytest.skip(REASON)

    def watch(self):
        """Hold what yields within to starting none."""
        former, self.closed = self.closed, True
        try:
            return (yield)
        finally:
            self.closed = former


guard = Guard()
sys.addaudithook(guard.audit)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup():
    return (yield from guard.watch())


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call():
    return (yield from guard.watch())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    guard.tried = False
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test that goes on after the attempt, in another thread or because it catches everything, is skipped too."""
    report = yield
    if guard.tried and call.when != "teardown" and report.outcome != "skipped":
        report.outcome = "skipped"
        report.longrepr = (str(item.path), None, f"Skipped: {REASON}")
    return report
