# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and events of a resource are kept together until it is done."""

from __future__ import annotations

import pytest
from ccm.engine.recording import Recording
from ccm.testing import RecordedLog

from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import loaded, ran


@pytest.mark.starts_processes
def test_the_lines_of_two_resources_are_not_mixed():
    resources = "\n".join(
        f"- exec: {{name: sh -c 'echo {number}; sleep 0.05; echo {number}', logoutput: true}}" for number in range(6)
    )
    _events, log = ran(loaded(resources, parallel="6"))
    said = [line for line in log if line in "012345"]
    assert sorted(said) == sorted("001122334455")
    assert said[::2] == said[1::2]


class Noting(Recorder):
    """Notes each call with its name."""

    def __init__(self, calls, name):
        super().__init__()
        self.calls = calls
        self.name = name

    def begun(self, resource):
        self.calls.append((self.name, "begun", resource))

    def decided(self, found):
        self.calls.append((self.name, "decided", found.refresh))

    def finished(self, event):
        self.calls.append((self.name, "finished", event))


def test_calls_are_made_later_in_their_order_and_once():
    recording, log, calls = Recording(), RecordedLog(), []
    sinks = recording.sinks((Noting(calls, "one"), Noting(calls, "other")))
    recorded = recording.log(log)
    for sink in sinks:
        sink.begun("a")
    recorded.warn("between", size=1)
    for sink in sinks:
        sink.finished("b")
    recording.add(lambda: calls.append("last"))
    assert (calls, log.lines) == ([], [])
    recording.replay()
    both = ("one", "other")
    expected = [*((name, "begun", "a") for name in both), *((name, "finished", "b") for name in both), "last"]
    assert calls == expected
    assert log.lines == [("WARN", "between", {"size": 1})]
    recording.replay()
    assert len(calls) == 5


def test_a_decision_is_kept_as_it_was():
    class Found:
        refresh = True

    recording, calls = Recording(), []
    (sink,), found = recording.sinks((Noting(calls, "one"),)), Found()
    sink.decided(found)
    found.refresh = False
    recording.replay()
    assert calls == [("one", "decided", True)]


def test_differences_are_made_where_a_sink_shows_them():
    sinks = [Recorder(), Recorder()]
    sinks[0].shows_differences, sinks[1].shows_differences = False, True
    assert [sink.shows_differences for sink in Recording().sinks(sinks)] == [False, True]


def test_lines_are_written_out_before_a_wait_at_once():
    waits = []

    class WaitingLog(RecordedLog):
        def before_waiting(self):
            waits.append(True)

    Recording().log(WaitingLog()).before_waiting()
    assert waits == [True]


def test_lines_that_the_log_drops_are_not_recorded():
    recording, log = Recording(), RecordedLog()
    log.levels = ("WARN",)
    recorded = recording.log(log)
    recorded.info("dropped")
    recorded.warn("kept")
    log.levels = ("INFO", "WARN")
    recording.replay()
    assert log.messages == ["kept"]
