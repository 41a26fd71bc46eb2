# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls in a thread beside the calling one: results, limits, and what goes on after them."""

from __future__ import annotations

import signal
import threading
import time

import pytest
from ccm.host.call_threads import Call, CallThread, NotEnded, current_call, current_calls, is_given_up
from ccm.host.command_errors import CommandError
from ccm.host.errors import HostError
from ccm.host.given_up import calls_that_go_on, cut_calls, waits_for_call
from ccm.host.machine import OF_THREAD, Machine
from ccm.host.queries import query

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
