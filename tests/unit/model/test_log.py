# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A log with fields of its own."""

from __future__ import annotations

import pytest
from ccm.model.log import BoundLog, Log


class Recorded(Log):
    """Keeps all lines that it receives."""

    def __init__(self):
        self.told = []

    def write(self, level, message, fields):
        self.told.append((level, message, fields))

    def doing(self, what):
        self.told.append(("doing", what))

    def progress(self, done, total):
        self.told.append(("progress", done, total))

    def before_waiting(self):
        self.told.append(("waiting",))


@pytest.mark.parametrize("level", ["debug", "info", "warn", "error"])
def test_bound_fields_come_before_those_of_the_line(level):
    log = Recorded()
    bound = BoundLog(BoundLog(log, run=1), resource="exec#a")
    getattr(bound, level)("Message", cause=None)
    assert log.told == [(level.upper(), "Message", (("run", 1), ("resource", "exec#a"), ("cause", None)))]


def test_lines_of_other_levels_are_dropped_before_they_are_written():
    log = Recorded()
    log.levels, log.shows_progress = ("WARN",), True
    bound = BoundLog(log, run=1)
    for each in (log, bound):
        for level in ("debug", "info", "warn", "error"):
            getattr(each, level)(level)
    assert [line[:2] for line in log.told] == [("WARN", "warn")] * 2
    assert bound.shows_progress
    assert not BoundLog(Log()).shows_progress


def test_what_is_no_line_reaches_the_log():
    log = Recorded()
    bound = BoundLog(log, run=1)
    bound.doing("Downloading")
    bound.progress(5, None)
    bound.before_waiting()
    assert log.told == [("doing", "Downloading"), ("progress", 5, None), ("waiting",)]
