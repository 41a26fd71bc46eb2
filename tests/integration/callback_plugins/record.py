# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes what each task gave and how long it took, one JSON object a line, to the file that CCM_RECORD names."""

from __future__ import annotations

import json
import os
import time

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record
type: notification
short_description: Records the results and times of tasks for tests and benchmarks
description: Appends one JSON object for each result to the file named in the environment variable CCM_RECORD.
"""


class CallbackModule(CallbackBase):
    """Takes every result as it comes."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "record"
    CALLBACK_NEEDS_ENABLED = True

    _begun = 0.0

    def v2_playbook_on_task_start(self, task, is_conditional):
        """A task begins."""
        self._begun = time.perf_counter()

    def _record(self, outcome, result):
        seconds = time.perf_counter() - self._begun
        if result.result.get("results") is not None:
            return
        kept = json.loads(json.dumps(result.result, default=str))
        line = {"task": result.task.get_name(), "outcome": outcome, "seconds": seconds, "result": kept}
        with open(os.environ["CCM_RECORD"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def v2_runner_on_ok(self, result):
        """A task was ok or changed."""
        self._record("changed" if result.is_changed() else "ok", result)

    def v2_runner_item_on_ok(self, result):
        """One turn of a loop was ok or changed."""
        self.v2_runner_on_ok(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        """A task failed."""
        self._record("failed", result)

    def v2_runner_item_on_failed(self, result):
        """One turn of a loop failed."""
        self._record("failed", result)

    def v2_runner_on_skipped(self, result):
        """A task was skipped."""
        self._record("skipped", result)

    def v2_runner_on_unreachable(self, result):
        """The node could not be reached."""
        self._record("unreachable", result)
