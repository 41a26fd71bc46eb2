# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The apt provider: parsing of the output of its programs, and locks. tests/hosts has the other tests."""

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
from ccm.resources.package import locks
from ccm.resources.package.apt_candidates import Candidates
from ccm.resources.package.apt_provided import VirtualNames
from ccm.resources.package.dnf_marks import Holds

from tests.patience import PATIENCE
from tests.tools.no_processes import starts_processes

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
UNNAMED = 'open("/proc/self/comm", "w").write(chr(0))'


def replace_outputs(monkeypatch, answers):
    """Replace the calls of apt's programs by outputs, chosen by the last argument; return the list of calls."""
    calls = []

    def answer_of(_machine, argv, environment):
        calls.append(argv)
        return Result(0, answers.get(argv[-1], "").encode(), b"")

    monkeypatch.setattr(Machine, "query", answer_of)
    return calls


POLICY = "zsh:\n  Installed: (none)\n  Candidate: 5.9-4\n  Version table:\nmta:\n  Candidate: (none)\n"


def test_all_candidates_are_queried_in_one_call(monkeypatch):
    calls = replace_outputs(monkeypatch, {"mta": POLICY})
    candidates = Candidates(Machine(), ["zsh", "mta"])
    assert candidates.of("zsh") == "5.9-4"
    with pytest.raises(ResourceFailed, match="no installation candidate for mta"):
        candidates.of("mta")
    assert calls == [["apt-cache", "policy", "zsh", "mta"]]


def test_a_candidate_missing_from_the_common_output_is_queried_alone(monkeypatch):
    calls = replace_outputs(monkeypatch, {"other": POLICY, "vim:i386": "vim:i386:\n  Candidate: 9.0-1\n"})
    assert Candidates(Machine(), ["zsh", "other"]).of("vim:i386") == "9.0-1"
    assert calls[-1] == ["apt-cache", "policy", "vim:i386"]


def test_candidates_are_queried_again_after_a_change_of_the_host(monkeypatch):
    calls = replace_outputs(monkeypatch, {"zsh": POLICY})
    machine = Machine()
    candidates = Candidates(machine, ["zsh"])
    candidates.of("zsh")
    candidates.of("zsh")
    machine.record_change()
    candidates.of("zsh")
    assert len(calls) == len(("before", "after"))


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        pytest.param(lambda machine: Candidates(machine, ["zsh", "mta"]).of, "zsh", id="candidates"),
        pytest.param(lambda machine: VirtualNames(machine, ["mta"]).has, "mta", id="virtual names"),
        pytest.param(lambda machine: Holds(machine, machine.query).mark, "zsh", id="holds"),
    ],
)
def test_an_answer_during_which_another_thread_changes_the_host_is_asked_for_again(monkeypatch, asked, name):
    machine, answers = Machine(), [POLICY, POLICY]

    def answer(changing, _argv, _environment=()):
        changing.record_change()
        return Result(0, answers.pop().encode(), b"")

    monkeypatch.setattr(Machine, "query", answer)
    ask = asked(machine)
    ask(name)
    ask(name)
    assert answers == []


@contextlib.contextmanager
def lock_holder(path, before=""):
    """Start a process that holds a lock after it ran the lines `before`."""
    with subprocess.Popen(
        [sys.executable, "-c", before + HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            process.stdout.readline()
            yield process
        finally:
            process.kill()


@pytest.fixture
@starts_processes
def held_lock(tmp_path):
    """A lock that another process holds, and the process."""
    path = str(tmp_path / "lock")
    with lock_holder(path) as process:
        yield path, process


def test_the_holder_of_a_lock_is_found(held_lock, tmp_path):
    path, process = held_lock
    assert locks.holder(path) == process.pid
    free = tmp_path / "free"
    free.write_text("")
    assert locks.holder(str(free)) is None
    assert locks.holder(str(tmp_path / "nowhere")) is None


def test_a_test_of_a_lock_does_not_change_it(held_lock):
    path, process = held_lock
    locks.holder(path)
    with open(path, "w", encoding="utf-8") as file, pytest.raises(OSError, match="unavailable"):
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert process.poll() is None


def test_a_lock_is_waited_for_until_it_is_free(held_lock, recorded_log):
    path, process = held_lock
    process.stdin.close()
    locks.LockWaiter([path], Machine(), int(PATIENCE * 1e9), recorded_log).wait()
    assert locks.holder(path) is None


def test_a_lock_that_stays_held_is_reported_with_holder_and_timeout(held_lock, recorded_log):
    path, process = held_lock
    for timeout, duration in ((100_000_000, "100ms"), (300_000_000, "300ms")):
        start = time.monotonic_ns()
        with pytest.raises(ResourceFailed, match=rf"\(pid {process.pid}\) still holds {path} after {duration}"):
            locks.LockWaiter([path], Machine(), timeout, recorded_log).wait()
        assert time.monotonic_ns() - start >= timeout
    assert [line.rpartition(", for ")[2] for line in recorded_log.messages] == ["at most 100ms", "at most 300ms"]


def test_a_lock_that_stayed_held_is_waited_for_again(held_lock, recorded_log):
    path, process = held_lock
    with pytest.raises(ResourceFailed):
        locks.LockWaiter([path], Machine(), 100_000_000, recorded_log).wait()
    process.stdin.close()
    locks.LockWaiter([path], Machine(), int(PATIENCE * 1e9), recorded_log).wait()
    assert locks.holder(path) is None


def messages_of_wait(path, log):
    with pytest.raises(ResourceFailed) as caught:
        locks.LockWaiter([path], Machine(), 100_000_000, log).wait()
    return [*log.messages, str(caught.value)]


def messages_about(who, path):
    return [f"Waiting for {who}, which holds {path}, for at most 100ms", f"{who} still holds {path} after 100ms"]


@pytest.mark.starts_processes
def test_a_holder_without_a_name_is_reported_with_its_number(tmp_path, recorded_log):
    path = str(tmp_path / "lock")
    with lock_holder(path, UNNAMED) as process:
        assert messages_of_wait(path, recorded_log) == messages_about(f"a process (pid {process.pid})", path)


def test_a_holder_without_a_process_number_is_reported_as_unknown(tmp_path, recorded_log):
    path = str(tmp_path / "lock")
    with open(path, "w", encoding="utf-8") as file:
        # A lock of an open file description has no process number, like a lock of a process outside of the container.
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        assert messages_of_wait(path, recorded_log) == messages_about("a process that is not visible from here", path)
