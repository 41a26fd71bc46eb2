# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count the blocks of the documentation that tests have run: a plugin of pytest for `make guides`.

The fixture `ran` notes them. The end says how many were found and run, and fails where one was not, except text and
what this machine does not have (`needs`).
"""

from __future__ import annotations

import pytest

from .blocks import PAGES, Block, blocks

#: The property of a test that names a block.
BLOCK = "block"


class Count:
    """The blocks of tests that passed, and of tests that were left out with a reason."""

    def __init__(self) -> None:
        self.run: set[str] = set()
        self.left_out: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found = {str(value) for name, value in report.user_properties if name == BLOCK}
        if report.when == "call" and report.passed:
            self.run |= found
        elif report.skipped:
            self.left_out |= found

    def missing(self) -> list[Block]:
        """Return the blocks that no test ran, and none left out."""
        code = [block for page in PAGES for block in blocks(page) if block.words != ("text",)]
        return [block for block in code if str(block) not in self.run | self.left_out]

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.missing() and not session.exitstatus and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        every = [block for page in PAGES for block in blocks(page)]
        texts = sum(block.words == ("text",) for block in every)
        missing = self.missing()
        left_out = len(self.left_out - self.run)
        ran = len(every) - texts - len(missing) - left_out
        terminalreporter.write_line(
            f"blocks: {len(every)} found in {len(PAGES)} pages, {texts} of them text; {ran} run, {left_out} left out"
        )
        for block in missing:
            terminalreporter.write_line(f"not run: {block}: ```{' '.join(block.words)}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Count(), "count-of-blocks")
