# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals end a program of the tests as an exception does, so that it ends what it started and removes what it made."""

from __future__ import annotations

import signal
import sys
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def unwind() -> None:
    """Have the first of these signals raise SystemExit; later ones do not disturb that. Ignored ones stay ignored."""
    for number in ENDING:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise)


def _raise(number: int, _frame: FrameType | None) -> None:
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)
