# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line that the log has for an event."""

from __future__ import annotations

import pytest
from ccm.engine.status_line import log_event
from ccm.engine.transaction import run_transaction
from ccm.model.log import Log

from .lamp_type import context, lamp


class Lines(Log):
    def __init__(self):
        self.lines = []

    def write(self, level, message, fields):
        self.lines.append(message + "".join(f" {key}={value}" for key, value in fields))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\n WARN  file#/etc/passwd changed", r"a\n WARN  file#/etc/passwd changed"),
        ("a\r\x9b\u202eb", r"a\r\u009b\u202eb"),
        ("caf\u00e9 \u65e5", "caf\u00e9 \u65e5"),
    ],
)
@pytest.mark.parametrize("given", ["name", "alias"])
def test_names_neither_end_the_line_nor_reach_the_terminal(name, shown, given):
    log = Lines()
    resource = lamp(name) if given == "name" else lamp("hall", alias=name)
    log_event(run_transaction(resource, context()), log)
    label = shown if given == "name" else f"{shown} (alias)"
    assert log.lines[0].startswith(f"lamp#{label} changed ensure=on ")


def test_errors_do_not_reach_the_terminal():
    log = Lines()
    event = run_transaction(lamp("hall"), context())
    event.fail("one\ntwo \x1b[31m")
    log_event(event, log)
    assert log.lines[0].endswith(r"errors=one" + "\n" + r"two \x1b[31m")
