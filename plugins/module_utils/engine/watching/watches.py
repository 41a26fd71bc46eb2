# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches paths, units of systemd, and the output of commands for the resources of a manifest."""

from __future__ import annotations

import os
import time
from functools import partial

from ...host.inotify import Inotify
from ...host.mounts import MountChanges, ResolvedDirectories, silent_filesystems
from ...host.reading import NOTHING
from ...host.watched_paths import ABOVE, CLOSED, ENTRY, LOST, REMOVED, WRITTEN, WatchedPaths, entry_at
from ...model.facets import POLL_SECONDS
from ...redaction.replacement import REDACTED
from ...redaction.texts import without_text_secrets
from .event_sources import EventSources
from .notifying_files import NotifyingFiles
from .one_watch import COMMAND, FILE, PATH, PATHS, TREE, UNIT, OneWatch, wanted_watches
from .polls import Polls
from .schedule import SECOND
from .watched_command import WatchedCommand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Mapping, Optional, Protocol, Sequence, Tuple

    from ...host.event_loop import EventLoop
    from ...model.log import Log
    from .schedule import Watched
    from .step import Events, Seen, Sources

    class Units(Protocol):
        """A source of changes of units, which calls back with the names of units that may have changed."""

        @property
        def degraded(self) -> str: ...

        def watch(self, names: Iterable[str]) -> None: ...

        def close(self) -> None: ...

    #: A resource, None for the manifest itself, and the name of its child, "" for the resource itself.
    Key = Tuple[Optional[Watched], str]
    #: Receives a key, how long to wait for more of its changes in ns, the setting of `meta` that notifies it, and
    #: whether it is only to be checked, because it is not known whether anything changed.
    Changed = Callable[[Key, int, str, bool], None]
    OpenUnits = Callable[["EventLoop", Callable[[Iterable[str]], None]], Units]

#: Changes in trees come in groups, and one file is written in several steps: how long to wait for the rest, in ns.
SETTLE = SECOND // 10
#: How long to collect notices that come faster than they are read, in seconds.
_PAUSE = 0.002
#: How long to wait for the end of writing in place, in ns.
_WRITING = SECOND // 200
#: After so long files that changed are looked at, in seconds.
_LOOK_AFTER = 1.0
#: The clock of ctime has no smaller steps than that, in ns.
_TICK = SECOND // 50
_EVENTS = "events of its provider"
WATCHED_FILE = "meta.watch_files"
WATCHED_COMMAND = "meta.watch_command"


def _mount_changes() -> MountChanges | None:
    """Return the source of changes of mounts, None where the kernel has none."""
    try:
        return MountChanges()
    except OSError:
        return None


class Watches:
    """The watches for the keys of resources, with one descriptor of the kernel for paths; `changed` gets changes.

    While a step runs, changes of paths are held back. After it, a change is dropped when the check of the resource saw
    the entry that is there now: the step itself made it.
    """

    def __init__(self, loop: EventLoop, changed: Changed, report: Log, open_units: OpenUnits | None) -> None:
        self._loop = loop
        self._changed = changed
        self._report = report
        self._open_units = open_units
        self._kernel = Inotify()
        self._paths = WatchedPaths(self._kernel)
        self._silent = silent_filesystems()
        self._resolved = ResolvedDirectories()
        self._units: Units | None = None
        self._keys_of_units: dict[str, set[Key]] = {}
        # The keys whose watches are not shown.
        self._hidden: set[Key] = set()
        self._watches: dict[Key, dict[tuple[int, str], OneWatch]] = {}
        self._last_number = 0
        self._by_number: dict[int, OneWatch] = {}
        self._commands: set[WatchedCommand] = set()
        # The watches that have a reason not to be as wanted.
        self._failing: set[OneWatch] = set()
        self._polls = Polls(loop, self._looked_at)
        self._files = NotifyingFiles(partial(loop.call_after, _LOOK_AFTER, self._look_at_files))
        self._events = EventSources(loop, changed, report)
        self._last_read = 0.0
        self._is_holding = self._is_closed = False
        # The numbers of paths that changed while a step runs, with what happened.
        self._held: dict[int, int] = {}
        # The periods in which the kernel may have lost notices.
        self._lost: list[tuple[int, int]] = []
        loop.add_reader(self._kernel.fd, self._read)
        self._mounts = _mount_changes()
        if self._mounts:
            loop.add_reader(self._mounts.fileno(), self._mounted)

    @property
    def degraded(self) -> list[str]:
        """The reasons why some names are polled, or not watched at all."""
        others = [self._units.degraded if self._units else "", *(command.refused for command in self._commands)]
        return sorted(self._reasons().union(others, self._events.degraded).difference(("",)))

    def how(self, key: Key) -> list[str]:
        """Return the names that are watched for a key."""
        if key in self._hidden:
            return [REDACTED]
        names = {without_text_secrets(name) for _kind, name in self._watches.get(key, ())}
        return sorted(names.union([_EVENTS] if self._events.is_open(key) else ()))

    def has(self, key: Key, sources: Sources, *, only: bool) -> bool:
        """Return whether all sources are watched for a key, and with `only` nothing else. Any thread may call it."""
        watched, wanted = self._watches.get(key, {}).keys(), wanted_watches(sources)
        return (watched == wanted if only else watched >= wanted) and self._events.has(key, sources.events)

    def add(self, key: Key, sources: Sources, *, only: bool = False) -> None:
        """Watch more for a key, with `only` nothing else any more. The watches are active when this returns."""
        known, wanted = self._watches.setdefault(key, {}), wanted_watches(sources)
        if sources.is_hidden:
            self._hidden.add(key)
        elif only:
            self._hidden.discard(key)
        units = []
        for kind, name in wanted - known.keys():
            self._last_number += 1
            seconds = sources.poll_seconds if kind in (PATH, TREE) else POLL_SECONDS
            watch = known[kind, name] = OneWatch(key, kind, name, self._last_number, seconds)
            if kind == COMMAND:
                wrote = partial(self._changed, key, 0, WATCHED_COMMAND, False)
                watch.command = WatchedCommand(name, self._loop, wrote, self._report)
                self._commands.add(watch.command)
            elif kind == UNIT:
                self._keys_of_units.setdefault(name, set()).add(key)
                units.append(name)
            else:
                self._add_path(watch)
        if units and self._open_units:
            self._units = self._units or self._open_units(self._loop, self._units_changed)
            self._units.watch(units)
        self._note_unwatched()
        if sources.events and self.lacks_events(key, sources.events):
            self._events.add(key, sources.events)
        if only:
            self._events.end([key] if sources.events is None else ())
            self._end([known.pop(each) for each in known.keys() - wanted])

    def lacks_events(self, key: Key, events: Events) -> bool:
        """Return whether a source of these events is to be opened. Any thread may call it."""
        return not self._events.has(key, events)

    def end_events(self, key: Key) -> None:
        """Close the source of events of a key, before another one is opened."""
        self._events.end([key])

    def remove(self, keys: Iterable[Key]) -> None:
        """Remove the watches of these keys."""
        gone = list(keys)
        self._hidden.difference_update(gone)
        self._events.forget(gone)
        self._end([watch for key in gone for watch in self._watches.pop(key, {}).values()])

    def _end(self, watches: Sequence[OneWatch]) -> None:
        numbers = [watch.number for watch in watches if watch.kind in PATHS]
        self._paths.remove(numbers)
        self._polls.remove(numbers)
        self._files.remove(numbers)
        if numbers:
            self._resolved.forget()
        self._failing.difference_update(watches)
        for watch in watches:
            if watch.command:
                watch.command.ask_to_end()
        for watch in watches:
            self._by_number.pop(watch.number, None)
            if watch.command:
                self._commands.discard(watch.command)
                watch.command.end()
            if watch.kind == UNIT:
                self._keys_of_units[watch.name].discard(watch.key)
                if not self._keys_of_units[watch.name]:
                    del self._keys_of_units[watch.name]

    def renew(self, keys: Iterable[Key]) -> set[Key]:
        """Retry the watches of these keys that failed; return the keys of paths that are watched now."""
        refused = []
        for watch in [watch for key in keys for watch in self._watches.get(key, {}).values()]:
            if watch.command:
                watch.command.renew()
            elif watch.refused:
                refused.append(watch)
        if not refused:
            return set()
        self._paths.renew()
        renewed = [watch for watch in refused if watch.number not in self._paths.unwatched]
        for watch in renewed:
            watch.refused = ""
            if not watch.lasting:
                self._failing.discard(watch)
                self._polls.remove([watch.number])
        self._note_unwatched()
        return {watch.key for watch in renewed}

    def close(self) -> None:
        """End all watches and the commands."""
        self._is_closed = True
        self.remove(list(self._watches))
        self._loop.remove_reader(self._kernel.fd)
        self._kernel.close()
        if self._mounts:
            self._loop.remove_reader(self._mounts.fileno())
            self._mounts.close()
        if self._units:
            self._units.close()

    def _add_path(self, watch: OneWatch) -> None:
        self._by_number[watch.number] = watch
        self._paths.add(watch.name, watch.number, is_tree=watch.kind != PATH)
        if watch.kind == FILE:
            self._files.add(watch.name, watch.number)
        self._poll_where_silent(watch)

    def _poll_where_silent(self, watch: OneWatch) -> None:
        resolved = self._resolved.resolved(watch.name, is_directory=watch.kind != PATH)
        for point, name in self._silent:
            if f"{resolved}/".startswith(f"{point.rstrip('/')}/"):
                self._poll(watch, f"the file system {name} reports no changes")
                return

    def _note_unwatched(self) -> None:
        for number, reason in self._paths.unwatched.items():
            self._poll(self._by_number[number], reason, may_end=True)
        for number in self._paths.too_deep:
            self._poll(self._by_number[number], "directories in it are nested too deeply")
        self._paths.unwatched.clear()
        self._paths.too_deep.clear()

    def _poll(self, watch: OneWatch, reason: str, *, may_end: bool = False) -> None:
        """Poll a path, as long as it is watched or, with `may_end`, until the kernel gives a watch for it."""
        if reason not in self._reasons(watch.seconds):
            message = f"Some paths cannot be watched, and are checked every {watch.seconds:g} s"
            self._report.warn(message, reason=reason)
        if may_end:
            watch.refused = reason
        else:
            watch.lasting.add(reason)
        self._failing.add(watch)
        self._polls.add(watch.name, watch.number, watch.seconds, is_tree=watch.kind != PATH)

    def _reasons(self, seconds: float | None = None) -> set[str]:
        """Return the reasons why paths are polled, with `seconds` only those at this interval."""
        failing = (watch for watch in self._failing if seconds in (None, watch.seconds))
        return {reason for watch in failing for reason in (watch.refused, *watch.lasting) if reason}

    def _read(self) -> None:
        # Many changes in the same directories are read together.
        if time.monotonic() - self._last_read < _PAUSE:
            time.sleep(_PAUSE)
        self._last_read = time.monotonic()
        self._take()
        if not self._is_holding:
            self._lost.clear()

    def _take(self) -> None:
        """Note what the kernel reports of paths."""
        drained_at = self._kernel.drained_at
        found = self._paths.read()
        if any(what & LOST for what in found.values()):
            self._lost.append((drained_at, time.monotonic_ns()))
        self._note(found)

    def _look_at_files(self) -> None:
        if self._is_closed:
            return
        if self._is_holding:
            self._loop.call_after(_LOOK_AFTER, self._look_at_files)
        else:
            self._files.look(self._read)

    def _mounted(self) -> None:
        """Follow mounts over directories that are watched, and their ends."""
        points = self._mounts.read() if self._mounts else ()
        self._silent = silent_filesystems()
        self._resolved.forget()
        for watch in self._by_number.values():
            self._poll_where_silent(watch)
        self._note(self._paths.mounted(points))

    def _note(self, found: Mapping[int, int]) -> None:
        """Note what happened to the paths of these numbers."""
        replaced = [number for number, what in found.items() if what & (ABOVE | LOST)]
        if replaced:
            self._resolved.forget()
        for number in replaced:
            self._poll_where_silent(self._by_number[number])
        for number, what in found.items():
            # A network file system also reports changes by this host, which must not count twice.
            if number in self._polls:
                self._looked_at(number, self._polls.renew(number))
            elif self._is_holding:
                self._held[number] = what | self._held.get(number, 0)
            else:
                self._judge(number, what)
        self._note_unwatched()

    def hold(self) -> None:
        """Hold changes of paths back: a step begins."""
        self._is_holding = True

    def release(self, seen: Iterable[tuple[Key, Seen]]) -> None:
        """Note what the checks of a step saw, and report what changed meanwhile, or since then."""
        self._take()
        for key, each in seen:
            watched = self._watches.get(key, {})
            watch = watched.get((PATH, each.path)) or watched.get((PATH, os.path.normpath(each.path)))
            if watch:
                watch.entry, watch.seen_after, watch.seen_before = each.entry, each.begin, each.end
        held, self._held, self._is_holding = self._held, {}, False
        for number, what in held.items():
            if number in self._by_number:
                self._judge(number, what)
        self._lost.clear()

    def _judge(self, number: int, what: int) -> None:
        """Report a change of a path, unless it shows that it still is what the last check saw, or as it was before."""
        watch = self._by_number[number]
        if watch.kind == FILE:
            if what & (ENTRY | WRITTEN | CLOSED):
                self._files.note(number)
            elif not self._files.has_changed(number):
                return
            is_certain = True
        else:
            is_replaced = what & ABOVE or (what & REMOVED and watch.entry != NOTHING)
            is_certain = bool(is_replaced or what & WRITTEN or (what & LOST and self._may_be_lost(watch)))
        if is_certain or watch.entry is None or entry_at(watch.name) != watch.entry:
            self._looked_at(number, True, is_written=what & (WRITTEN | CLOSED) == WRITTEN)

    def _may_be_lost(self, watch: OneWatch) -> bool:
        """Return whether a notice may be lost that its entry does not show: of content that was written in place."""
        return any(watch.seen_after <= end and begin <= watch.seen_before + _TICK for begin, end in self._lost)

    def _looked_at(self, number: int, has_changed: bool, *, is_written: bool = False) -> None:
        watch = self._by_number[number]
        if has_changed:
            settle = SETTLE if watch.kind != PATH else _WRITING if is_written else 0
            because_of = WATCHED_FILE if watch.kind == FILE else ""
            self._changed(watch.key, settle, because_of, False)
        elif watch.kind != FILE:
            self._changed(watch.key, 0, "", True)

    def _units_changed(self, names: Iterable[str]) -> None:
        for name in names:
            for key in self._keys_of_units.get(name, ()):
                self._changed(key, 0, "", False)
