# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Warnings about files of facts, the same in each task: action plugins show each once for a host and a play."""

from __future__ import annotations

from .result import TaskLog, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .ansible_module import TaskResult

FACT_WARNINGS = "fact_warnings"


class FactsLog(TaskLog):
    """The log for reading facts."""

    def part_of_result(self) -> TaskResult:
        """Return the part of a result that has the warnings."""
        return {FACT_WARNINGS: plain(self.warnings)} if self.warnings else {}
