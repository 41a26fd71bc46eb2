# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done without systemd, and without jeepney; tests/hosts/test_watch.py has both."""

from __future__ import annotations

import resource
import sys
from time import monotonic_ns

import pytest
from ccm.host import units_watched
from ccm.host.errors import HostError
from ccm.host.event_loop import EventLoop
from ccm.host.inotify import Inotify


class Log:
    def __init__(self):
        self.lines = []

    def warn(self, message, **fields):
        self.lines.append((message, fields))


@pytest.fixture
def loop():
    loop = EventLoop()
    yield loop
    loop.close()


def test_without_a_bus_it_tries_again_and_says_so_once(loop, monkeypatch, tmp_path):
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/missing")
    monkeypatch.setattr(units_watched, "_RECONNECT_SECONDS", 0.01)
    log, changed = Log(), []
    units = units_watched.open_units(log)(loop, changed.append)
    units.watch(["a.service"])
    for _time in range(3):
        loop.sleep(monotonic_ns() + 50_000_000)
    units.close()
    assert [message for message, _fields in log.lines] == ["Services are not watched until systemd answers on D-Bus"]
    assert changed == []


def test_without_jeepney_it_asks_systemctl(loop, monkeypatch):
    monkeypatch.setitem(sys.modules, "jeepney", None)
    monkeypatch.setattr(units_watched, "_POLL_SECONDS", 0.05)
    states = iter(["active", "active", "failed", "failed", "failed", "failed"])
    monkeypatch.setattr(units_watched.UnitPolling, "_states", lambda self: {"a.service": next(states)})
    log, changed = Log(), []
    units = units_watched.open_units(log)(loop, changed.append)
    units.watch(["a.service"])
    for _time in range(4):
        loop.sleep(monotonic_ns() + 60_000_000)
    units.close()
    assert changed == [["a.service"]]
    assert log.lines[0][1] == {"reason": "the Python package jeepney is not installed"}


def test_a_kernel_without_descriptors_for_paths_is_an_error():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        with pytest.raises(HostError, match="too many open files"):
            Inotify()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
