# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Writes how long each task took, one JSON object a line, to the file that CCM_TIMES names."""

from __future__ import annotations

import json
import os
import time

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: times
type: notification
short_description: Records the times of tasks for benchmarks
description: Appends one JSON object for each task to the file named in the environment variable CCM_TIMES.
"""


class CallbackModule(CallbackBase):
    """Times from the start of a task to its result."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "times"
    CALLBACK_NEEDS_ENABLED = True

    _begun = 0.0

    def v2_playbook_on_task_start(self, task, is_conditional):
        """A task begins."""
        self._begun = time.perf_counter()

    def v2_runner_on_ok(self, result):
        """A task was ok or changed."""
        line = {"task": result.task.get_name(), "seconds": time.perf_counter() - self._begun}
        with open(os.environ["CCM_TIMES"], "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
