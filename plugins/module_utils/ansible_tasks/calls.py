# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of types of other packages that go on when a task ends: they end with its process."""

from __future__ import annotations

import os
import sys
import threading
import time

from ..host.given_up import current_calls
from ..host.threads import start_thread
from ..lang.controls import escaped
from ..redaction.texts import without_text_secrets
from .result import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from .ansible_module import AnsibleModule

# How often to look whether the program of the process has ended, and how long Python may take after that, in seconds.
_PAUSE, _FAREWELL = 0.05, 1.0


def end_with_calls(module: AnsibleModule, status: int) -> None:
    """Warn of the calls that go on, and have the process end with this exit status all the same."""
    for call in current_calls():
        module.warn(plain(escaped(without_text_secrets(f"the process ends while this still runs: {call}"))))
    end_in_time(status)


def end_in_time(status: int) -> None:
    """Have the process end with this exit status where calls go on.

    Python waits at its end for threads that they may have started, for example those of concurrent.futures. The program
    itself ends before, as what Ansible runs around the module removes its files.
    """
    if not current_calls():
        return
    program = _program()

    def end() -> None:
        while _program() is program:
            time.sleep(_PAUSE)
        time.sleep(_FAREWELL)
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)

    start_thread(end)


def _program() -> FrameType | None:
    """Return the first frame of the main thread: at the end of Python it is another one.

    A thread is no sign of it: Python waits for those of concurrent.futures before the main thread counts as ended.
    """
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None and frame.f_back is not None:
        frame = frame.f_back
    return frame
