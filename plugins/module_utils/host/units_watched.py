# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of units of systemd: by signals of D-Bus with the package jeepney, else by asking systemctl now and then."""

from __future__ import annotations

import socket

from .errors import HostError, errno_of, reason_of
from .queries import query
from .results import decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Protocol

    from .event_loop import EventLoop

    Changed = Callable[[Iterable[str]], None]

    class Log(Protocol):
        """What receives warnings."""

        def warn(self, message: str, **fields: str) -> None: ...


_SYSTEMD = "org.freedesktop.systemd1"
_MANAGER_PATH = "/org/freedesktop/systemd1"
_MANAGER = "org.freedesktop.systemd1.Manager"
_UNIT = "org.freedesktop.systemd1.Unit"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_SIGNAL = 4
_ERROR = 3
#: Above this number of units all are listened to: a bus allows some hundred rules for each connection.
_MOST_RULES = 200
_ANSWER_SECONDS = 5.0
_RECONNECT_SECONDS = 1.0
_POLL_SECONDS = 5.0
_NO_JEEPNEY = "the Python package jeepney is not installed"
_SHOWN = "Id,ActiveState,SubState,UnitFileState,NeedDaemonReload,MainPID,InvocationID"


def open_units(log: Log) -> Callable[[EventLoop, Changed], UnitSignals | UnitPolling]:
    """Return what makes a source of changes of units; `log` receives why it is not the best one."""

    def opened(loop: EventLoop, changed: Changed) -> UnitSignals | UnitPolling:
        try:
            import jeepney.io.blocking
        except ImportError:
            log.warn(
                f"Services are checked every {_POLL_SECONDS:g} s only",
                reason=_NO_JEEPNEY,
            )
            return UnitPolling(loop, changed)
        return UnitSignals(loop, changed, log, jeepney)

    return opened


class UnitSignals:
    """Listens to systemd on the bus of the system; connects again, and reports all units, after either restarted."""

    def __init__(self, loop: EventLoop, changed: Changed, log: Log, jeepney: Any) -> None:
        self._loop = loop
        self._changed = changed
        self._log = log
        self._jeepney = jeepney
        self._names: set[str] = set()
        self._by_path: dict[str, set[str]] = {}
        self._connection: Any = None
        self._is_warned = False
        #: Why no changes are reported, "" while they are.
        self.degraded = ""
        self._connect()

    def watch(self, names: Iterable[str]) -> None:
        """Report changes of these units too.

        Another one may have changed while systemd was asked for them, so all are reported.
        """
        new = set(names) - self._names
        had_any = bool(self._names)
        self._names |= new
        if self._connection is not None and new:
            self._loop.before_waiting()
            try:
                self._listen(new)
            except (OSError, ValueError):
                self._lost()
            if had_any:
                self._changed(self._names)

    def close(self) -> None:
        """End the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            self._loop.remove_reader(connection.sock.fileno())
            connection.close()
        self._names.clear()

    def _connect(self) -> None:
        self._loop.before_waiting()
        try:
            self._connection = self._jeepney.io.blocking.open_dbus_connection(bus="SYSTEM")
            self._by_path.clear()
            if self._call(_MANAGER_PATH, _MANAGER, "Subscribe") is None:
                raise ValueError
            self._match(interface=_MANAGER, member="Reloading", path=_MANAGER_PATH)
            self._match(interface=_MANAGER, member="UnitFilesChanged", path=_MANAGER_PATH)
            owner = self._jeepney.MatchRule(
                type="signal",
                sender="org.freedesktop.DBus",
                interface="org.freedesktop.DBus",
                member="NameOwnerChanged",
                path="/org/freedesktop/DBus",
            )
            owner.add_arg_condition(0, _SYSTEMD)
            self._add_match(owner)
            self._listen(self._names)
            self._loop.add_reader(self._connection.sock.fileno(), self._read)
            self._is_warned = False
            self.degraded = ""
            self._changed(self._names)
        except OSError as error:
            self._wait_for_systemd(f"the bus of the system cannot be reached: {reason_of(errno_of(error))}")
        except (ValueError, KeyError):
            self._wait_for_systemd("it does not answer")

    def _wait_for_systemd(self, reason: str) -> None:
        if not self._is_warned:
            self._is_warned = True
            self._log.warn("Services are not watched until systemd answers on D-Bus", reason=reason)
        self.degraded = f"services are not watched: {reason}"
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        self._loop.call_after(_RECONNECT_SECONDS, self._connect_again)

    def _connect_again(self) -> None:
        if self._names and self._connection is None:
            self._connect()

    def _lost(self) -> None:
        if self._connection is not None:
            self._loop.remove_reader(self._connection.sock.fileno())
        self._wait_for_systemd("the connection was closed")

    def _listen(self, names: Iterable[str]) -> None:
        """Have systemd load units, which it sends no signals of otherwise, and their signals sent here."""
        for name in sorted(names):
            reply = self._call(_MANAGER_PATH, _MANAGER, "LoadUnit", "s", (name,))
            if reply is None:
                continue
            path = reply[0]
            is_new = path not in self._by_path
            self._by_path.setdefault(path, set()).add(name)
            if is_new and len(self._by_path) <= _MOST_RULES:
                self._match(interface=_PROPERTIES, member="PropertiesChanged", path=path)
            elif is_new and len(self._by_path) == _MOST_RULES + 1:
                rule = self._jeepney.MatchRule(
                    type="signal",
                    sender=_SYSTEMD,
                    interface=_PROPERTIES,
                    member="PropertiesChanged",
                    path_namespace=f"{_MANAGER_PATH}/unit",
                )
                self._add_match(rule)

    def _match(self, **conditions: str) -> None:
        self._add_match(self._jeepney.MatchRule(type="signal", sender=_SYSTEMD, **conditions))

    def _add_match(self, rule: Any) -> None:
        message = self._jeepney.message_bus.AddMatch(rule)
        self._connection.send_and_get_reply(message, timeout=_ANSWER_SECONDS)

    def _call(self, path: str, interface: str, method: str, signature: str = "", body: tuple[str, ...] = ()) -> Any:
        """Return what a method answers, None for an error."""
        address = self._jeepney.DBusAddress(path, bus_name=_SYSTEMD, interface=interface)
        message = self._jeepney.new_method_call(address, method, signature or None, body)
        reply = self._connection.send_and_get_reply(message, timeout=_ANSWER_SECONDS)
        return None if reply.header.message_type.value == _ERROR else reply.body

    def _read(self) -> None:
        found: set[str] = set()
        try:
            while self._connection is not None:
                self._note(self._connection.receive(timeout=0), found)
        except (TimeoutError, socket.timeout):
            pass
        except (OSError, ValueError, EOFError):
            self._lost()
        if found:
            self._changed(found)

    def _note(self, message: Any, found: set[str]) -> None:
        fields = {key.name: value for key, value in message.header.fields.items()}
        if message.header.message_type.value != _SIGNAL:
            return
        member = fields.get("member")
        if member == "PropertiesChanged":
            if message.body[0] == _UNIT:
                found.update(self._by_path.get(str(fields.get("path")), ()))
        elif member == "NameOwnerChanged":
            if message.body[2]:
                self._lost()
        elif member == "UnitFilesChanged" or (member == "Reloading" and not message.body[0]):
            found.update(self._names)


class UnitPolling:
    """Asks systemctl for the state of all units now and then, and reports changed units."""

    def __init__(self, loop: EventLoop, changed: Changed) -> None:
        self._loop = loop
        self._changed = changed
        self._names: list[str] = []
        self._seen: dict[str, str] = {}
        self.degraded = f"services are checked every {_POLL_SECONDS:g} s only: {_NO_JEEPNEY}"
        loop.call_after(_POLL_SECONDS, self._poll)

    def watch(self, names: Iterable[str]) -> None:
        """Report changes of these units too."""
        self._names = sorted({*self._names, *names})
        self._seen = {**self._states(), **self._seen}

    def close(self) -> None:
        """Ask no more."""
        self._names = []

    def _poll(self) -> None:
        if not self._names:
            return
        before, self._seen = self._seen, self._states()
        changed = [name for name in self._names if before.get(name) != self._seen.get(name)]
        if changed:
            self._changed(changed)
        self._loop.call_after(_POLL_SECONDS, self._poll)

    def _states(self) -> dict[str, str]:
        self._loop.before_waiting()
        try:
            result = query(["systemctl", "show", f"--property={_SHOWN}", "--", *self._names])
        except HostError:
            return self._seen
        blocks = decode(result.stdout).strip("\n").split("\n\n")
        return dict(zip(self._names, blocks))
