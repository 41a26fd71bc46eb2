# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the apt provider makes of its tools' words, and of locks; tests/hosts has the rest."""

import contextlib
import fcntl
import struct
import subprocess
import sys
import time

import pytest
from ccm.host.machine import Machine
from ccm.host.results import Result
from ccm.model.errors import ResourceFailed
from ccm.resources.package import apt_tools, holders
from ccm.resources.package.apt_candidates import Candidates
from ccm.resources.package.apt_tools import details, last_words, lines_of

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
UNNAMED = 'open("/proc/self/comm", "w").write(chr(0))'


def answering(monkeypatch, answers):
    """Have apt's tools answer by their last argument; returns what they were asked."""
    asked = []

    def ask(argv, environment):
        asked.append(argv)
        return Result(0, answers.get(argv[-1], "").encode(), b"")

    monkeypatch.setattr(apt_tools.asking, "ask", ask)
    return asked


POLICY = "zsh:\n  Installed: (none)\n  Candidate: 5.9-4\n  Version table:\nmta:\n  Candidate: (none)\n"


def test_asks_for_all_candidates_at_once(monkeypatch):
    asked = answering(monkeypatch, {"mta": POLICY})
    candidates = Candidates(Machine(), ["zsh", "mta"])
    assert candidates.of("zsh") == "5.9-4"
    with pytest.raises(ResourceFailed, match="no installation candidate for mta"):
        candidates.of("mta")
    assert asked == [["apt-cache", "policy", "zsh", "mta"]]


def test_asks_alone_for_what_the_answer_for_all_leaves_out(monkeypatch):
    asked = answering(monkeypatch, {"other": POLICY, "vim:i386": "vim:i386:\n  Candidate: 9.0-1\n"})
    assert Candidates(Machine(), ["zsh", "other"]).of("vim:i386") == "9.0-1"
    assert asked[-1] == ["apt-cache", "policy", "vim:i386"]


def test_asks_again_when_the_machine_may_have_changed(monkeypatch):
    asked = answering(monkeypatch, {"zsh": POLICY})
    machine = Machine()
    candidates = Candidates(machine, ["zsh"])
    candidates.of("zsh")
    candidates.of("zsh")
    machine.record_change()
    candidates.of("zsh")
    assert len(asked) == len(("before", "after"))


def test_the_last_words_are_three_lines():
    assert last_words(["a", "b", "c", "d"]) == "b / c / d"
    assert last_words([]) == ""
    assert lines_of(b" a \n\n b\n") == ["a", "b"]


def test_tells_what_lies_behind_an_error():
    unmet = (
        b"The following packages have unmet dependencies:\n a : Depends: b but it is\n      Recommends: c\nOther\n x\n"
    )
    assert details(unmet) == ["a : Depends: b but it is", "Recommends: c"]
    dpkg = b"Setting up a\ndpkg: error processing package a (--configure):\n it failed\nErrors were encountered:\n a\n"
    assert details(dpkg) == ["dpkg: error processing package a (--configure): it failed"]


@contextlib.contextmanager
def holding(path, before=""):
    """A process that holds a lock, having done something `before`."""
    with subprocess.Popen(
        [sys.executable, "-c", before + HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            process.stdout.readline()
            yield process
        finally:
            process.kill()


@pytest.fixture
def held(tmp_path):
    """A lock that another process holds, and the process."""
    path = str(tmp_path / "lock")
    with holding(path) as process:
        yield path, process


def test_knows_who_holds_a_lock(held, tmp_path):
    path, process = held
    assert holders.holder(path) == process.pid
    free = tmp_path / "free"
    free.write_text("")
    assert holders.holder(str(free)) is None
    assert holders.holder(str(tmp_path / "nowhere")) is None


def test_looking_at_a_lock_leaves_it_as_it_is(held):
    path, process = held
    holders.holder(path)
    with open(path, "w", encoding="utf-8") as file, pytest.raises(OSError, match="unavailable"):
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert process.poll() is None


def test_waits_until_a_lock_is_free(held, lines):
    path, process = held
    process.stdin.close()
    holders.LockWaiter([path], 10_000_000_000, lines).wait()
    assert holders.holder(path) is None


def test_names_who_it_waited_for_in_vain_each_time_for_as_long_as_it_says(held, lines):
    path, process = held
    for timeout, shown in ((100_000_000, "100ms"), (300_000_000, "300ms")):
        start = time.monotonic_ns()
        with pytest.raises(ResourceFailed, match=rf"\(pid {process.pid}\) still holds {path} after {shown}"):
            holders.LockWaiter([path], timeout, lines).wait()
        assert time.monotonic_ns() - start >= timeout
    assert [line.rpartition(", for ")[2] for line in lines.seen] == ["at most 100ms", "at most 300ms"]


def test_waits_once_more_for_a_lock_that_it_waited_for_in_vain(held, lines):
    path, process = held
    with pytest.raises(ResourceFailed):
        holders.LockWaiter([path], 100_000_000, lines).wait()
    process.stdin.close()
    holders.LockWaiter([path], 10_000_000_000, lines).wait()
    assert holders.holder(path) is None


def waited_in_vain(path, log):
    with pytest.raises(ResourceFailed) as caught:
        holders.LockWaiter([path], 100_000_000, log).wait()
    return [*log.seen, str(caught.value)]


def of_holder(who, path):
    return [f"Waiting for {who}, which holds {path}, for at most 100ms", f"{who} still holds {path} after 100ms"]


def test_a_holder_without_a_name_is_told_by_its_number(tmp_path, lines):
    path = str(tmp_path / "lock")
    with holding(path, UNNAMED) as process:
        assert waited_in_vain(path, lines) == of_holder(f"a process (pid {process.pid})", path)


def test_a_holder_that_has_no_number_here_is_told_as_such(tmp_path, lines):
    path = str(tmp_path / "lock")
    with open(path, "w", encoding="utf-8") as file:
        # A lock that belongs to an open file has no process, as one of a process outside of a container has none.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        assert waited_in_vain(path, lines) == of_holder("a process that is not visible from here", path)
