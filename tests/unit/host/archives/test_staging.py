# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hidden directory for unpacking, when signals arrive during its removal."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

import pytest
from ccm.host import signals, trees
from ccm.host.archives.staging import Staging

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)


class SignalArrived(BaseException):
    """A signal arrived."""


@pytest.fixture
def signal_handlers():
    """Signal handlers like the command's: each raises an exception."""

    def end(number, _frame):
        raise SignalArrived(number)

    former = {number: signal.signal(number, end) for number in ENDING}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


def open_below(directory):
    """Return the open file descriptors of this process below a directory."""
    links = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"/proc/self/fd/{name}"))
    return [link for link in links if link.startswith(str(directory))]


def unpack(directory):
    """Return the error of a function with a tree of some hundred directories in the hidden directory."""
    base = os.open(directory, os.O_RDONLY)
    try:
        with Staging(base, str(directory)) as staging:
            for number in range(100):
                os.makedirs(f"/proc/self/fd/{staging.fd}/{number}/below")
            raise ValueError
    finally:
        os.close(base)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_during_the_removal_is_handled_after_it(tmp_path, monkeypatch, signal_handlers, number):
    def killing(remove, name, fd):
        removed.append(name)
        if len(removed) in (50, 75):
            signal.pthread_kill(threading.get_ident(), number)
        unless_gone(remove, name, fd)

    removed = []
    unless_gone = trees._ignoring_missing
    monkeypatch.setattr(trees, "_ignoring_missing", killing)
    with pytest.raises(SignalArrived):
        unpack(tmp_path)
    assert len(removed) > 200
    assert os.listdir(tmp_path) == []
    assert open_below(tmp_path) == []
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def test_a_signal_just_before_the_removal_does_not_prevent_it(tmp_path, monkeypatch, signal_handlers):
    def hold():
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        return held()

    held = signals.hold
    monkeypatch.setattr(signals, "hold", hold)
    with pytest.raises(SignalArrived):
        unpack(tmp_path)
    assert os.listdir(tmp_path) == []
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def test_a_signal_that_was_blocked_before_stays_blocked(tmp_path, signal_handlers):
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
    try:
        with pytest.raises(ValueError, match=r"^$"):
            unpack(tmp_path)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == {signal.SIGHUP}
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGHUP,))
