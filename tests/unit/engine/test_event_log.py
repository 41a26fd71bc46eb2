# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of the log for an event."""

from __future__ import annotations

import io

import pytest
from ccm.cli.console import UserLog
from ccm.engine.event_log import log_event
from ccm.engine.transaction import run_transaction
from ccm.testing import RecordedLog

from .lamp_type import context, lamp


def line_of(log):
    """Return the first line with its fields, as it is printed."""
    _level, message, fields = log.lines[0]
    out = io.StringIO()
    UserLog(out).write("INFO", message, tuple(fields.items()))
    return out.getvalue()[len(" INFO  ") : -1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\n WARN  file#/etc/passwd changed", r"a\n WARN  file#/etc/passwd changed"),
        ("a\r\x9b\u202eb", r"a\r\u009b\u202eb"),
        ("caf\u00e9 \u65e5", "caf\u00e9 \u65e5"),
    ],
)
@pytest.mark.parametrize("attribute", ["name", "alias"])
def test_names_do_not_end_the_line_or_send_escapes_to_the_terminal(name, expected, attribute):
    log = RecordedLog()
    resource = lamp(name) if attribute == "name" else lamp("hall", alias=name)
    log_event(run_transaction(resource, context()), log)
    label = expected if attribute == "name" else f"{expected} (alias)"
    assert line_of(log).startswith(f"lamp#{label} changed ensure=on ")


def test_errors_do_not_send_escapes_to_the_terminal():
    log = RecordedLog()
    event = run_transaction(lamp("hall"), context())
    event.fail("one\ntwo \x1b[31m")
    log_event(event, log)
    assert line_of(log).endswith(r"errors=one" + "\n" + r"two \x1b[31m")
