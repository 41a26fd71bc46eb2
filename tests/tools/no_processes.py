# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leave out the tests that start a process: pytest -p tests.tools.no_processes ...

They have the mark `starts_processes`, which a file, a class, a test or a case may carry, or use a fixture with the
decorator `starts_processes`. An unmarked test that starts a process fails at its end and says so. The process is
started as in any other run: nothing is raised in the code under test.
"""

from __future__ import annotations

import os
import sys

import pytest

STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
ADVICE = "mark it starts_processes, or do without the process (CONTRIBUTING.md, Tests)"


def starts_processes(function):
    """Mark the function of a fixture, below `@pytest.fixture`; pytest allows no marks there."""
    function.starts_processes = True
    return function


def is_marked(item):
    fixtures = item._fixtureinfo.name2fixturedefs.values()
    return item.get_closest_marker("starts_processes") or any(
        hasattr(definitions[-1].func, "starts_processes") for definitions in fixtures
    )


class Notes:
    """The processes that a test has started, in any thread."""

    def __init__(self):
        self.started = []
        self.pid = os.getpid()
        sys.addaudithook(self.audit)

    def audit(self, event, arguments):
        if event in STARTS and os.getpid() == self.pid:
            self.started.append(" ".join([event, *map(repr, arguments[:1])]))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        before = len(self.started)
        try:
            return (yield)
        finally:
            self.started[before:] = [f"{each} in the fixture {fixturedef.argname}" for each in self.started[before:]]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self):
        self.started.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        """Fail a test that passed, and name what it started; name it beside the error of a test that failed."""
        report = yield
        if self.started and call.when != "setup":
            sentence = f"it starts a process ({self.started[0]}): {ADVICE}"
            self.started.clear()
            if report.passed:
                report.outcome = "failed"
                report.longrepr = sentence
            else:
                report.sections.append(("starts a process", sentence))
        return report


def pytest_configure(config):
    config.pluginmanager.register(Notes())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    kept, left_out = [], []
    for item in items:
        (left_out if is_marked(item) else kept).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left_out)
