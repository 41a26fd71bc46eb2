# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The commands that this process runs, in whichever thread."""

from __future__ import annotations

import contextlib
import os


def signal_commands(number: int) -> None:
    """Send a signal to each child process and its process group, which commands have of their own."""
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
                children = file.read().split()
        except OSError:
            continue  # the thread ended
        for child in children:
            with contextlib.suppress(OSError):
                os.killpg(int(child), number)
