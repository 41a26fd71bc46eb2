# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The two logs, byte for byte."""

from __future__ import annotations

import io
import json
import sys
import time

import pytest
from ccm.cli.console import ProgramLog, UserLog, run_time, table
from ccm.cli.output import json_line
from ccm.cli.progress import Progress
from ccm.cli.quiet_log import QuietLog
from ccm.model.log import BoundLog


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_lines_of_the_user_log():
    out = io.StringIO()
    log = UserLog(out)
    log.info("Executing manifest", manifest="m.yaml", resources=2)
    log.warn("file#/a changed", ensure="present", noop="Would have created the file")
    log.error("exec#x failed", errors="one, two")
    log.debug("nobody sees this")
    assert out.getvalue() == (
        " INFO  Executing manifest manifest=m.yaml resources=2\n"
        " WARN  file#/a changed ensure=present noop=Would have created the file\n"
        " ERROR exec#x failed errors=one, two\n"
    )


def test_debug_lines_on_request():
    out = io.StringIO()
    BoundLog(UserLog(out, debug=True), a=1).debug("seen", b=2)
    assert out.getvalue() == " DEBUG seen a=1 b=2\n"


def test_colours_are_only_for_terminals(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    UserLog(out).error("bad", errors="x", ensure="y")
    assert out.getvalue() == " \x1b[41;97mERROR\x1b[0m bad \x1b[31merrors=\x1b[0mx \x1b[36mensure=\x1b[0my\n"
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    UserLog(out).info("plain", a=1)
    assert out.getvalue() == " INFO  plain a=1\n"


def test_the_advice_of_an_error_is_a_line_of_its_own_on_terminals(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    fields = [("errors", "x"), ("error_advice", "write\x1b y"), ("error_position", "m.yaml:1:2")]
    out, pipe = Terminal(), io.StringIO()
    UserLog(out).write("ERROR", "bad", fields)
    UserLog(pipe).write("ERROR", "bad", fields)
    assert out.getvalue() == " ERROR bad errors=x\n  at m.yaml:1:2\n  write\\x1b y\n"
    assert pipe.getvalue() == " ERROR bad errors=x\n  at m.yaml:1:2\n"
    out = Terminal()
    UserLog(out, form=json_line).write("ERROR", "bad", fields)
    assert json.loads(out.getvalue())["fields"]["error_advice"] == "write\x1b y"


class CountingStream(io.StringIO):
    flushed = 0

    def flush(self):
        self.flushed += 1


def test_lines_are_written_together_without_a_terminal():
    out = CountingStream()
    log = UserLog(out)
    for number in range(1000):
        log.info("line", number=number)
    assert out.flushed < 20


def test_the_log_is_flushed_before_an_action(capsys):
    out = CountingStream()
    log = UserLog(out)
    program = ProgramLog(log)
    log.info("first")
    log.info("second")
    before = out.flushed
    program.info("Acting")
    assert out.flushed == before
    log.doing("exec#a: execute")
    assert out.flushed == before + 1
    assert capsys.readouterr().err == ""


def test_lines_of_both_logs_are_in_their_order(monkeypatch):
    order = []
    out, error = CountingStream(), CountingStream()
    monkeypatch.setattr(out, "flush", lambda: order.append("out"))
    monkeypatch.setattr(error, "write", lambda _text: order.append("err"))
    monkeypatch.setattr(sys, "stderr", error)
    program = ProgramLog(UserLog(out), "INFO")
    program.info("Acting")
    program.debug("not shown")
    assert order == ["out", "err"]


def test_a_log_says_as_data_what_it_shows():
    out = io.StringIO()
    log, line = UserLog(out), Progress(io.StringIO())
    assert (log.levels, log.shows_progress) == (("INFO", "WARN", "ERROR"), False)
    assert (ProgramLog(log).levels, UserLog(out, debug=True, line=line).shows_progress) == (("WARN", "ERROR"), True)
    told = UserLog(out, line=line)
    for quiet, levels in ((QuietLog(told), ()), (QuietLog(told, warns=True), ("WARN",))):
        assert (quiet.levels, quiet.shows_progress) == (levels, True)


@pytest.mark.parametrize(
    ("level", "expected"),
    [("DEBUG", ["a", "b", "c", "d"]), ("INFO", ["b", "c", "d"]), ("WARN", ["c", "d"])],
)
def test_levels_of_the_program_log(capsys, level, expected):
    log = ProgramLog(UserLog(io.StringIO()), level)
    log.debug("a")
    log.info("b")
    log.warn("c")
    log.error("d")
    assert [line.rpartition("=")[2] for line in capsys.readouterr().err.splitlines()] == expected


def test_the_program_log_is_logfmt(capsys):
    ProgramLog(UserLog(io.StringIO())).error("two words", plain=1, quoted="a=b", line="x\ny", empty="")
    line = capsys.readouterr().err
    stamp, _blank, rest = line.partition(" ")
    assert stamp.startswith("time=20")
    assert stamp.endswith("Z")
    assert rest == 'level=ERROR msg="two words" plain=1 quoted="a=b" line="x\\ny" empty=""\n'


def test_a_table_aligns_its_labels():
    assert table("Title", [("Run Time", "1ms"), ("Total Resources", 3)]) == (
        "Title\n\n             Run Time: 1ms\n      Total Resources: 3\n"
    )


@pytest.mark.parametrize(
    ("nanoseconds", "text"), [(0, "0s"), (499_999, "0s"), (500_000, "1ms"), (1_500_400_000, "1.5s")]
)
def test_times_are_rounded_to_milliseconds(nanoseconds, text):
    assert run_time(nanoseconds) == text


class Unread(io.StringIO):
    """A stream that is no longer read: what is written to it fails when it is flushed."""

    def flush(self):
        raise BrokenPipeError


def test_all_output_is_written_before_a_wait(monkeypatch):
    streams = [CountingStream() for _stream in range(3)]
    monkeypatch.setattr(sys, "stdout", streams[1])
    monkeypatch.setattr(sys, "stderr", streams[2])
    ProgramLog(UserLog(streams[0])).before_waiting()
    assert [stream.flushed for stream in streams] == [1, 1, 1]


def test_what_is_no_longer_read_fails_with_the_next_line_and_not_before_a_wait():
    log = UserLog(Unread())
    log.before_waiting()
    with pytest.raises(BrokenPipeError):
        log.info("line")
    with pytest.raises(BrokenPipeError):
        log.write_out()


def test_a_run_that_waits_for_nothing_writes_its_lines_now_and_then(monkeypatch):
    out, now = CountingStream(), [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    log = UserLog(out)
    flushed = []
    for seconds in (0, 0.05, 0.1, 0.05, 60):
        now[0] += seconds
        log.info("line")
        flushed.append(out.flushed)
    assert flushed == [1, 1, 2, 2, 3]
