# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls in a thread beside the calling one: results, limits, and what goes on after them."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time

import pytest
from ccm.host import call_threads
from ccm.host.call_threads import Call, CallThread, NotEnded, current_call, current_calls, is_given_up
from ccm.host.command_errors import CommandError
from ccm.host.errors import HostError
from ccm.host.given_up import calls_that_go_on, cut_calls, waits_for_call
from ccm.host.machine import OF_THREAD, Machine
from ccm.host.queries import query
from ccm.host.threads import Threads

from tests.patience import PATIENCE, wait_until

SECOND = 1_000_000_000


class Blocked:
    """A call that goes on until the end of the `with`."""

    def __init__(self):
        self._goes_on = threading.Event()
        self.has_begun = threading.Event()
        self.found = []

    def __call__(self):
        self.has_begun.set()
        self._goes_on.wait(PATIENCE)
        self.found.append(is_given_up())

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self._goes_on.set()
        wait_until(lambda: calls_that_go_on() == [])


def test_results_and_errors_are_passed_on():
    assert Call().make(lambda: 5, 60) == 5
    with pytest.raises(KeyError, match="one"):
        Call().make(lambda: {}["one"], 60)
    with pytest.raises(SystemExit):
        Call().make(lambda: exec("raise SystemExit"), 60)


def test_all_calls_of_a_thread_are_made_in_one_other_thread():
    """A connection that belongs to its thread can be used in the next call."""
    found = {Call().make(threading.get_ident, 60) for _call in range(5)}
    assert len(found) == 1
    assert found != {threading.get_ident()}


def test_a_thread_ends_with_the_thread_that_it_is_beside():
    found = []
    caller = threading.Thread(target=lambda: found.append(Call().make(threading.current_thread, 60)))
    caller.start()
    caller.join()
    found[0].join(PATIENCE)
    assert not found[0].is_alive()


def test_a_call_that_takes_too_long_is_given_up():
    with Blocked() as blocked:
        call = Call()
        with pytest.raises(NotEnded, match=r"^did not end within 0.05 seconds$") as ended:
            call.make(blocked, 0.05)
        assert (ended.value.was_late, call.goes_on, calls_that_go_on()) == (False, True, [call])
        # Others are made in another thread meanwhile.
        assert Call().make(lambda: 5, 60) == 5
    assert (call.goes_on, call.fault, blocked.found) == (False, "did not end within 0.05 seconds", [True])


def test_a_thread_ends_after_a_call_that_was_given_up():
    with Blocked() as blocked, pytest.raises(NotEnded):
        Call().make(blocked, 0.05)
    idle = [thread for thread in threading.enumerate() if isinstance(thread, CallThread)]
    Call().make(lambda: None, 60)
    wait_until(lambda: len([each for each in idle if each.is_alive()]) <= 1)


def test_the_deadline_of_the_thread_counts():
    OF_THREAD.deadline = time.monotonic_ns() + SECOND // 20
    with Blocked() as blocked, pytest.raises(NotEnded, match=r"within the 0.0[0-9]* seconds left") as ended:
        Call().make(blocked, 60)
    assert ended.value.was_late


def test_after_the_deadline_there_is_time_to_clean_up():
    OF_THREAD.deadline = time.monotonic_ns() - SECOND
    assert Call().make(lambda: Machine().deadline - time.monotonic_ns() > 0, 60)
    with pytest.raises(NotEnded, match=r"within 0.05 seconds"), Blocked() as blocked:
        Call().make(blocked, 0.05)


def test_a_call_within_a_call_that_ends_earlier_needs_no_thread():
    def inner():
        return Call().make(threading.get_ident, 60) == threading.get_ident()

    assert Call().make(inner, 30)
    assert not Call().make(inner, 90)


def test_a_call_within_a_call_may_end_earlier():
    with Blocked() as blocked:

        def inner():
            with pytest.raises(NotEnded, match=r"within 0.05 seconds"):
                Call().make(blocked, 0.05)
            return current_call().goes_on

        assert Call().make(inner, 60) is False


@pytest.mark.starts_processes
@pytest.mark.parametrize("run", [lambda: query(["sleep", "1000"]), lambda: Machine().run(["sleep", "1000"])])
def test_its_commands_are_ended(run):
    """It ends by that, so that nothing goes on."""
    failed = []

    def work():
        try:
            run()
        except (CommandError, HostError) as error:
            failed.append(error)
            raise

    call = Call()
    with pytest.raises(NotEnded, match=r"within 0.1 seconds"):
        call.make(work, 0.1)
    wait_until(lambda: len(failed) == 1 and not call.goes_on)


@pytest.mark.starts_processes
def test_a_call_that_was_given_up_starts_no_command(tmp_path):
    with Blocked() as blocked:

        def work():
            blocked()
            Machine().run(["touch", str(tmp_path / "made")])

        with pytest.raises(NotEnded):
            Call().make(work, 0.05)
    assert not (tmp_path / "made").exists()


@pytest.mark.starts_processes
def test_commands_that_must_not_be_interrupted_are_waited_for(tmp_path, monkeypatch):
    """Also after the limit; what the call does after them is given up."""
    monkeypatch.setattr(call_threads, "_FAREWELL", 0.001)
    end, made = tmp_path / "end", tmp_path / "made"
    script = f"while ! test -e {end}; do sleep 0.02; done; touch {made}"
    call = Call()

    def end_after_limit():
        wait_until(lambda: call.fault)
        end.touch()

    threading.Thread(target=end_after_limit).start()
    with pytest.raises(NotEnded, match=r"within 0.5 seconds"):
        call.make(lambda: Machine().run(["sh", "-c", script], on_interruption=lambda: None), 0.5)
    assert made.exists()
    wait_until(lambda: calls_that_go_on() == [])


def test_a_call_whose_thread_is_late_is_not_made_after_it_was_given_up(monkeypatch):
    """Until then it is among those that go on."""
    run, begins, worked = CallThread.run, threading.Event(), []

    def run_late(thread):
        begins.wait(PATIENCE)
        run(thread)

    monkeypatch.setattr(CallThread, "run", run_late)
    monkeypatch.setattr(call_threads.OF_CALLER, "beside", None)
    call = Call()
    with pytest.raises(NotEnded):
        call.make(lambda: worked.append(1), 0.05)
    assert calls_that_go_on() == [call]
    begins.set()
    wait_until(lambda: not call.goes_on)
    assert (worked, calls_that_go_on()) == ([], [])


def test_an_interruption_while_a_thread_is_made_leaves_nothing(monkeypatch):
    def interrupted(_thread):
        raise Signalled

    monkeypatch.setattr(CallThread, "__init__", interrupted)
    monkeypatch.setattr(call_threads.OF_CALLER, "beside", None)
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    with pytest.raises(Signalled):
        Call().make(lambda: None, 60)
    gc.collect()
    assert lost == []


@pytest.mark.parametrize("is_begun", [False, True])
def test_calls_wait_for_their_turn_no_longer_than_python_lets_them(monkeypatch, is_begun):
    """Types may be imported before a run with threads begins, or by a manifest that it applies."""
    before = sys.getswitchinterval()
    if is_begun:
        monkeypatch.delitem(sys.modules, call_threads.__name__)
    monkeypatch.setattr(call_threads.OF_CALLER, "beside", None)
    threads = Threads()
    threads.begin()
    try:
        assert (sys.getswitchinterval() > before) == is_begun
        Call().make(lambda: None, 60)
        assert sys.getswitchinterval() == before
    finally:
        threads.end()
    assert sys.getswitchinterval() == before


def test_all_calls_can_be_given_up():
    with Blocked() as blocked:
        found = []

        def caller():
            with pytest.raises(NotEnded, match=r"^did not end before the run$") as ended:
                Call().make(blocked, 60)
            found.append(ended.value.was_late)

        thread = threading.Thread(target=caller)
        thread.start()
        blocked.has_begun.wait(PATIENCE)
        assert (len(current_calls()), calls_that_go_on()) == (1, [])
        cut_calls()
        thread.join()
        assert found == [False]
        assert len(calls_that_go_on()) == 1


class Signalled(BaseException):
    pass


def test_a_signal_ends_the_wait():
    waited = []

    def end(_number, _frame):
        waited.append(waits_for_call())
        raise Signalled

    former = signal.signal(signal.SIGUSR1, end)
    try:
        with Blocked() as blocked:
            main = threading.get_ident()

            def send():
                blocked.has_begun.wait(PATIENCE)
                signal.pthread_kill(main, signal.SIGUSR1)

            threading.Thread(target=send).start()
            call = Call()
            with pytest.raises(Signalled):
                call.make(blocked, 60)
            assert (waited, waits_for_call(), call.goes_on) == ([True], False, True)
    finally:
        signal.signal(signal.SIGUSR1, former)


def test_a_signal_just_before_the_wait_is_noticed():
    """It does not end the wait, but is handled after it: each is short."""
    call, waits = Call(), []
    news = call._news

    class News:
        put = news.put

        @staticmethod
        def get(timeout):
            waits.append(timeout)
            return news.get(timeout=timeout)

    call._news = News()
    with Blocked() as blocked, pytest.raises(NotEnded, match=r"within 1.2 seconds"):
        call.make(blocked, 1.2)
    assert max(waits) < 1


def test_without_a_thread_there_is_an_error(monkeypatch):
    def start(_thread):
        raise RuntimeError("can't start new thread")

    found = []

    def caller():
        # The thread of the test may have one beside it already; this one has none.
        monkeypatch.setattr(CallThread, "start", start)
        try:
            Call().make(lambda: None, 60)
        except HostError as error:
            found.append(str(error))

    thread = threading.Thread(target=caller)
    thread.start()
    thread.join()
    assert found == ["could not start a thread: resource temporarily unavailable"]
