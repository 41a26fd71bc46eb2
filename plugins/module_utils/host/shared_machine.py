# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A machine that the threads of one run share."""

from __future__ import annotations

import threading

from .machine import Machine


class SharedMachine(Machine):
    """`machine`, with its state, for several threads: a thread waits while another one does the postponed steps."""

    def __init__(self, machine: Machine) -> None:
        self.__dict__ = machine.__dict__
        self._lock = threading.RLock()

    def run_postponed(self) -> None:
        """Do the postponed steps."""
        with self._lock:
            super().run_postponed()
