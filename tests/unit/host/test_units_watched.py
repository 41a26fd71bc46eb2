# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of units without systemd and jeepney, and with a bus of the tests; tests/hosts/test_watch.py has systemd."""

from __future__ import annotations

import importlib
import resource
import socket
import sys
from time import monotonic_ns
from typing import ClassVar

import pytest
from ccm.host import units_watched
from ccm.host.errors import HostError
from ccm.host.event_loop import EventLoop
from ccm.host.inotify import Inotify

from tests.patience import repeat_until


class Log:
    def __init__(self):
        self.lines = []

    def warn(self, message, **fields):
        self.lines.append((message, fields))


@pytest.fixture
def loop():
    loop = EventLoop(lambda: None)
    yield loop
    loop.close()


def turn_until(loop, condition):
    """Let the loop call what waits for it until a condition holds."""
    repeat_until(condition, lambda: loop.sleep(monotonic_ns() + 20_000_000))


def test_without_a_bus_it_tries_again_and_says_so_once(loop, monkeypatch, tmp_path):
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path}/missing")
    monkeypatch.setattr(units_watched, "_RECONNECT_SECONDS", 0.01)
    tried, connect = [], units_watched.UnitSignals._connect

    def connecting(self):
        tried.append(True)
        connect(self)

    monkeypatch.setattr(units_watched.UnitSignals, "_connect", connecting)
    log, changed = Log(), []
    units = units_watched.open_units(log)(loop, changed.append)
    units.watch(["a.service"])
    turn_until(loop, lambda: len(tried) >= 3)
    units.close()
    assert [message for message, _fields in log.lines] == ["Services are not watched until systemd answers on D-Bus"]
    assert changed == []


class Bus:
    """A connection to a bus with systemd: it passes on the signals for which a rule was added."""

    opened: ClassVar[list[Bus]] = []

    def __init__(self, bus):
        self.sock, self._other = socket.socketpair()
        self.sock.setblocking(False)
        self._rules, self._signals = [], []
        self.opened.append(self)

    def send_and_get_reply(self, message, timeout):
        jeepney = sys.modules["jeepney"]
        if message.header.fields[jeepney.HeaderFields.member] == "AddMatch":
            self._rules.append(message.body[0])
        unit = "".join(message.body or ()).partition(".")[0]
        message.header.serial = 1
        return jeepney.new_method_return(message, "o", (f"/org/freedesktop/systemd1/unit/{unit}",))

    def emit(self, path, interface, member, *body):
        """Have a signal arrive, if it was asked for."""
        jeepney = sys.modules["jeepney"]
        wanted = (f"path='{path}'", f"interface='{interface}'", f"member='{member}'")
        if any(all(part in rule for part in wanted) for rule in self._rules):
            emitter = jeepney.DBusAddress(path, interface=interface)
            self._signals.append(jeepney.new_signal(emitter, member, None, body))
            self._other.send(b"x")

    def receive(self, timeout):
        if not self._signals:
            raise TimeoutError
        self.sock.recv(1)
        return self._signals.pop(0)

    def close(self):
        self.sock.close()
        self._other.close()


MANAGER = ("/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")
UNIT = "org.freedesktop.systemd1.Unit"
ALL = {"a.service", "b.service"}


@pytest.fixture
def bus(loop, monkeypatch):
    """Return what emits a signal, and returns the units that are reported because of it."""
    blocking = importlib.import_module("jeepney.io.blocking")
    monkeypatch.setattr(Bus, "opened", [])
    monkeypatch.setattr(blocking, "open_dbus_connection", Bus)
    monkeypatch.setattr(units_watched, "_RECONNECT_SECONDS", 0.01)
    changed = set()
    units = units_watched.open_units(Log())(loop, changed.update)
    units.watch(sorted(ALL))

    def emitted(*signal):
        changed.clear()
        Bus.opened[-1].emit(*signal)
        turn_until(loop, lambda: not Bus.opened[-1]._signals and not loop._timers)
        return changed

    yield emitted
    units.close()


def properties_changed(unit):
    return f"/org/freedesktop/systemd1/unit/{unit}", "org.freedesktop.DBus.Properties", "PropertiesChanged", UNIT


def test_signals_of_a_unit_report_it_and_those_of_systemd_all(bus):
    assert bus(*properties_changed("a")) == {"a.service"}
    assert bus(*MANAGER, "UnitFilesChanged") == ALL
    assert bus(*MANAGER, "Reloading", True) == set()
    assert bus(*MANAGER, "Reloading", False) == ALL


def test_when_systemd_is_another_one_it_connects_again_and_reports_all(bus):
    owner = ("/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged", "org.freedesktop.systemd1")
    assert bus(*owner, ":1.2", "") == set()
    assert bus(*owner, "", ":1.3") == ALL
    assert len(Bus.opened) == 2
    assert bus(*properties_changed("b")) == {"b.service"}


def test_without_jeepney_it_asks_systemctl(loop, monkeypatch):
    monkeypatch.setitem(sys.modules, "jeepney", None)
    monkeypatch.setattr(units_watched, "_POLL_SECONDS", 0.01)
    states = ["active", "active", "failed", "failed", "failed", "failed"]
    monkeypatch.setattr(units_watched.UnitPolling, "_states", lambda self: {"a.service": states.pop(0)})
    log, changed = Log(), []
    units = units_watched.open_units(log)(loop, changed.append)
    units.watch(["a.service"])
    turn_until(loop, lambda: len(states) <= 2)
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
