# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that must not interrupt a step: their handlers are called at its end."""

from __future__ import annotations

import _signal
import signal
import threading

import pytest
from ccm.host.deferred_signals import DeferredSignals


@pytest.fixture
def handled():
    """The signals that were handled, in their order."""
    found = []
    numbers = (signal.SIGUSR1, signal.SIGUSR2)
    before = [signal.signal(number, lambda number, frame: found.append((number, bool(frame)))) for number in numbers]
    yield found
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def test_handlers_are_called_at_the_end_in_the_order_of_the_signals(handled):
    former = signal.getsignal(signal.SIGUSR1)
    with DeferredSignals():
        for number in (signal.SIGUSR2, signal.SIGUSR1):
            signal.raise_signal(number)
        assert handled == []
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()
    assert handled == [(signal.SIGUSR2, True), (signal.SIGUSR1, True)]
    assert signal.getsignal(signal.SIGUSR1) is former


def test_what_a_handler_raises_is_raised_at_the_end(handled):
    steps = []
    with pytest.raises(KeyboardInterrupt), DeferredSignals():
        signal.raise_signal(signal.SIGINT)
        steps.append("done")
    assert steps == ["done"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_signal_stays_ignored():
    former = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        with DeferredSignals():
            assert signal.getsignal(signal.SIGUSR1) == signal.SIG_IGN
            signal.raise_signal(signal.SIGUSR1)
    finally:
        signal.signal(signal.SIGUSR1, former)


def test_other_threads_defer_nothing(handled):
    former, seen = signal.getsignal(signal.SIGUSR1), []

    def work():
        with DeferredSignals():
            seen.append(signal.getsignal(signal.SIGUSR1))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [former]


@pytest.mark.parametrize("moment", ["begin", "end"])
def test_a_handler_that_raises_while_handlers_are_set_leaves_all_of_them_in_force(handled, monkeypatch, moment):
    """The signal arrives while some signals have their former handlers, and others handlers that defer."""
    deferred, set_handler = DeferredSignals(), _signal.signal

    def interrupted(number, handler):
        is_now = handler == deferred._receive if moment == "begin" else deferred._is_over
        if number == signal.SIGUSR2 and is_now:
            monkeypatch.undo()
            set_handler(signal.SIGUSR2, signal.default_int_handler)
            signal.raise_signal(signal.SIGUSR2)
        return set_handler(number, handler)

    monkeypatch.setattr("ccm.host.deferred_signals._signal.signal", interrupted)
    with pytest.raises(KeyboardInterrupt), deferred:
        pass
    signal.raise_signal(signal.SIGUSR1)
    assert handled == [(signal.SIGUSR1, True)]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
