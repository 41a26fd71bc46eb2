# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop of `ccm watch` is woken by threads that may outlive it."""

from __future__ import annotations

import os
import threading

from ccm.host.event_loop import EventLoop

from tests.patience import PATIENCE


def test_waking_a_closed_loop_writes_nothing_to_a_file_with_its_descriptor(tmp_path):
    before = set(os.listdir("/proc/self/fd"))
    loop = EventLoop(lambda: None)
    own = {
        int(number) for number in set(os.listdir("/proc/self/fd")) - before if os.path.exists(f"/proc/self/fd/{number}")
    }
    loop.close()
    opened = os.open(tmp_path / "file", os.O_CREAT | os.O_WRONLY)
    for descriptor in own - {opened}:
        os.dup2(opened, descriptor)
    try:
        loop.wake()
        assert (tmp_path / "file").read_bytes() == b""
    finally:
        for descriptor in own | {opened}:
            os.close(descriptor)


def test_a_thread_may_wake_a_loop_while_it_is_closed():
    for _round in range(200):
        loop, begun, has_closed, raised = EventLoop(lambda: None), threading.Event(), threading.Event(), []

        def wake(loop=loop, begun=begun, has_closed=has_closed, raised=raised):
            try:
                while not has_closed.is_set():
                    loop.wake()
                    begun.set()
                loop.wake()
            except BaseException as error:
                raised.append(error)

        thread = threading.Thread(target=wake)
        thread.start()
        assert begun.wait(PATIENCE)
        loop.close()
        has_closed.set()
        thread.join(PATIENCE)
        assert raised == []
