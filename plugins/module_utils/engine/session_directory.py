# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A session in a directory, one file per event, shared by processes (behaviour.md 17)."""

from __future__ import annotations

import json
import os
import stat

from ..host.errors import errno_of, reason_of
from ..host.hidden_files import HiddenFile, is_hidden
from ..lang.go.json import marshal
from ..model import protocols
from ..model.clock import id_after, new_event_id, timestamp
from ..model.errors import SessionError
from ..redaction.texts import without_text_secrets
from .recorded_event import event_of, recorded_time
from .session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from ..model.event import Event
    from ..model.values import Data

#: Size in bytes of the largest file that is read as an event: a foreign file must not fill the memory.
LARGEST_EVENT = 64 << 20
_SUFFIX = ".event"
#: An event is first written to a hidden file; this text is part of its name.
_HIDDEN = "event"
#: Ends the name of the note that a resource is about to change; its process removes it with the event.
_CHANGING = ".changing"
_OPEN_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


class DirectorySession(Session):
    """A session in `directory`, which must exist. Files that are no events are ignored."""

    def __init__(self, directory: str) -> None:
        super().__init__()
        self.directory = os.path.abspath(directory)
        self._newest_id = ""
        self._read: set[str] = set()
        self._mtime_after_write: int | None = None
        self._noted: dict[tuple[str, str], str] = {}

    def require_directory(self) -> None:
        """Raise SessionError when the directory does not exist."""
        if not os.path.isdir(self.directory):
            raise self._missing()

    def start(self) -> None:
        """Begin the session of a manifest's run. Raises SessionError when the directory does not exist."""
        super().start()
        event_id = self.later_id(new_event_id())
        record: Data = {"protocol": protocols.SESSION_START, "event_id": event_id, "timestamp": timestamp(self.started)}
        self._write(event_id, record)

    def record(self, event: Event) -> None:
        """Write an event to its file, and keep it as a session in memory does. Raises SessionError."""
        event.event_id = self.later_id(event.event_id)
        self._write(event.event_id, event.as_dict())
        self.remember(event)
        noted = self._noted.pop(self.key(event.type, event.name), "")
        if noted:
            self._remove(noted)

    def note_change(self, type_name: str, name: str) -> None:
        """Note on disk that a resource is about to change. Raises SessionError."""
        with self._lock:
            key = self.key(type_name, name)
            if key not in self._noted:
                event_id = self.later_id(new_event_id())
                self._noted[key] = event_id + _CHANGING
                self._write(event_id, {"type": key[0], "name": key[1]}, _CHANGING)

    def last_change(self, type_name: str, name: str) -> str:
        """Return the id of the last change of a resource, "" for none; a killed process may leave no event of it."""
        key = self.key(type_name, name)
        changed = [each.event_id for each in self._events_of(key) if each.changed and not each.noop]
        noted = [file for file in _named(self.directory, _CHANGING) if file not in self._noted.values()]
        for file in noted:
            record = _read_record(os.path.join(self.directory, file))
            if (record.get("type"), record.get("name")) == key:
                changed.append(file[: -len(_CHANGING)])
        return max(changed, default="")

    def last_managed(self, type_name: str, name: str) -> str:
        """Return the id of the last event of a resource that was brought to its state, "" when there is none."""
        managed = self._events_of(self.key(type_name, name))
        return max((each.event_id for each in managed if not (each.failed or each.skipped or each.noop)), default="")

    def _events_of(self, key: tuple[str, str]) -> Iterator[Event]:
        return (each for each in self.events() if key in self._keys_of(each))

    def events(self) -> Iterable[Event]:
        """Return all events of all processes, the oldest first."""
        with self._lock:
            self._catch_up()
            return sorted(self._events, key=lambda event: event.event_id)

    def last_events(self) -> dict[tuple[str, str], Event]:
        """Return the last event of each resource of all processes by its keys."""
        self._catch_up()
        return super().last_events()

    def key(self, type_name: str, name: str) -> tuple[str, str]:
        """Return the key that all events of one resource share in files: names without secrets."""
        return type_name, without_text_secrets(name)

    def later_id(self, event_id: str) -> str:
        """Return an id that sorts after all ids of the directory: `event_id` itself unless the clock was set back."""
        changed = _changed_at(self.directory)
        if changed is None:
            return event_id  # the write will fail and report the reason
        if changed != self._mtime_after_write:
            self._newest_id = max(_named(self.directory, _SUFFIX), default="")[: -len(_SUFFIX)]
        if event_id <= self._newest_id:
            event_id = id_after(event_id, self._newest_id)
        self._newest_id = event_id
        return event_id

    def _catch_up(self) -> None:
        fresh = sorted(name for name in _named(self.directory, _SUFFIX) if name not in self._read)
        if not fresh:
            return
        for name in fresh:
            self._read.add(name)
            self._take(_read_record(os.path.join(self.directory, name)))
        self._events.sort(key=lambda event: event.event_id)
        self._known = 0

    def _take(self, record: Data) -> None:
        try:
            if record.get("protocol") == protocols.SESSION_START:
                self.started = max(self.started or 0, recorded_time(record))
            elif record.get("protocol") == protocols.EVENT:
                self._events.append(event_of(record))
        except ValueError:
            return

    def _remove(self, name: str) -> None:
        try:
            os.unlink(os.path.join(self.directory, name))
        except OSError:
            return  # what it says was recorded as an event
        self._mtime_after_write = _changed_at(self.directory)

    def _write(self, event_id: str, record: Data, suffix: str = _SUFFIX) -> None:
        name = event_id + suffix
        text = marshal(record, indent="  ", sort_keys=False) + "\n"
        try:
            directory = os.open(self.directory, _OPEN_FLAGS)
            try:
                with HiddenFile(directory, _HIDDEN) as file:
                    with open(file.fd, "w", encoding="utf-8", closefd=False) as stream:
                        stream.write(text)
                    if suffix == _CHANGING:
                        os.fsync(file.fd)
                    file.close_written()
                    file.put_in_place(name)
            finally:
                os.close(directory)
        except FileNotFoundError:
            raise self._missing() from None
        except (OSError, ValueError) as error:
            raise SessionError(
                f"session store {self.directory} cannot be written: {reason_of(errno_of(error))}"
            ) from None
        self._read.add(name)
        self._mtime_after_write = _changed_at(self.directory)

    def _missing(self) -> SessionError:
        return SessionError(f"session store {self.directory} does not exist", advice="make one with: ccm session new")


def _changed_at(directory: str) -> int | None:
    """Return when a name in a directory last changed, in ns since 1970; None if no directory is found there."""
    try:
        found = os.stat(directory)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns if stat.S_ISDIR(found.st_mode) else None


def _named(directory: str, suffix: str) -> list[str]:
    """Return the names in a directory that are an event id and this suffix. Raises SessionError."""
    try:
        names = os.listdir(directory)
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise SessionError(f"session store {directory} cannot be read: {reason_of(errno_of(error))}") from None
    return [name for name in names if name.endswith(suffix) and is_event_id(name[: -len(suffix)])]


def _read_record(path: str) -> Data:
    if not os.path.isfile(path):
        return {}  # a FIFO or a device would block
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST_EVENT + 1)
        if len(text) > LARGEST_EVENT:
            return {}
        record = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def is_event_id(text: str) -> bool:
    """Return whether `text` can be an event id: 27 characters of base62."""
    return len(text) == 27 and text.isascii() and text.isalnum()


def is_session_file(name: str) -> bool:
    """Return whether a name belongs to a session's file: an event, a note, or a file that a killed writer left."""
    stem, dot, end = name.partition(".")
    return is_hidden(name) or (is_event_id(stem) and dot + end in (_SUFFIX, _CHANGING))
