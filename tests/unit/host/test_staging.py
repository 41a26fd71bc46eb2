# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hidden directory for unpacking, when signals come while it is removed."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

import pytest
from ccm.host import signals, trees
from ccm.host.archives.staging import Staging

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)


class Ended(BaseException):
    """A signal came."""


@pytest.fixture
def handled():
    """Handlers as the command has them: each raises."""

    def end(number, _frame):
        raise Ended(number)

    former = {number: signal.signal(number, end) for number in ENDING}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


def open_below(directory):
    """What this process has open of a directory."""
    links = []
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"/proc/self/fd/{name}"))
    return [link for link in links if link.startswith(str(directory))]


def unpack(directory):
    """What fails with a tree of some thousand directories in the hidden directory."""
    base = os.open(directory, os.O_RDONLY)
    try:
        with Staging(base, str(directory)) as staging:
            for number in range(2000):
                os.makedirs(f"/proc/self/fd/{staging.fd}/{number}/below")
            raise ValueError
    finally:
        os.close(base)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_during_the_removal_is_heeded_after_it(tmp_path, monkeypatch, handled, number):
    def killing(remove, name, fd):
        removed.append(name)
        if len(removed) in (1000, 1500):
            signal.pthread_kill(threading.get_ident(), number)
        unless_gone(remove, name, fd)

    removed = []
    unless_gone = trees._unless_gone
    monkeypatch.setattr(trees, "_unless_gone", killing)
    with pytest.raises(Ended):
        unpack(tmp_path)
    assert len(removed) > 4000
    assert os.listdir(tmp_path) == []
    assert open_below(tmp_path) == []
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def test_a_signal_just_before_the_removal_does_not_prevent_it(tmp_path, monkeypatch, handled):
    def hold():
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        return held()

    held = signals.hold
    monkeypatch.setattr(signals, "hold", hold)
    with pytest.raises(Ended):
        unpack(tmp_path)
    assert os.listdir(tmp_path) == []
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def test_what_was_held_back_before_stays_so(tmp_path, handled):
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGHUP,))
    try:
        with pytest.raises(ValueError, match=r"^$"):
            unpack(tmp_path)
        assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == {signal.SIGHUP}
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGHUP,))
