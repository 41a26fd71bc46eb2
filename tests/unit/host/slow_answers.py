# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers of a web server that take longer than any time limit of a test."""

from __future__ import annotations

import contextlib
import select

#: More headers are an error of their own.
_MOST_PARTS = 90


def send_slowly(handler, lead, part=b""):
    """Send a beginning, and a part every 50 ms, until the other side ends the connection."""
    with contextlib.suppress(OSError):
        handler.wfile.write(lead)
        for _part in range(_MOST_PARTS):
            handler.wfile.write(part)
            handler.wfile.flush()
            if select.select([handler.connection], [], [], 0.05)[0]:
                return
        handler.connection.recv(1)
