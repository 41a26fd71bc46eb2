# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is watched for the resources of a manifest: paths, units of systemd, and the output of commands."""

from __future__ import annotations

import os
import time
from functools import partial

from ...host.errors import HostError, errno_of, reason_of
from ...host.inotify import Inotify
from ...host.mounts import silent_filesystems
from ...host.output_lines import RunningCommand
from ...host.watched_paths import WatchedPaths
from ...lang.shellwords import ShellWordsError, split
from ...redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Protocol

    from ...host.event_loop import EventLoop
    from ...model.log import Log
    from .program import Sources

    class Units(Protocol):
        """A source of changes of units, which calls back with the names of those that may have changed."""

        def watch(self, names: Iterable[str]) -> None: ...

        def close(self) -> None: ...

    #: Receives a place, how long to wait for more of its changes in ns, and what notifies it.
    Changed = Callable[[int, int, str], None]
    OpenUnits = Callable[["EventLoop", Callable[[Iterable[str]], None]], Units]

SECOND = 1_000_000_000
#: Changes in trees come in groups, and one file is written in several steps: how long to wait for the rest, in ns.
SETTLE = SECOND // 10
#: How often paths are looked at that cannot be watched, in seconds.
POLL_SECONDS = 30.0
#: How long to collect notices where they come faster than they are read, in seconds.
_PAUSE = 0.002
_RESTART_SECONDS, _LONGEST_RESTART_SECONDS = 1.0, 60.0
# The keys of paths are numbers: for each place one for its paths, its trees, and the files that notify it.
_PATH, _TREE, _FILE = 0, 1, 2
_KINDS = 3
WATCHED_FILE = "meta.watch_files"
WATCHED_COMMAND = "meta.watch_command"


class Watches:
    """All that is watched, with one descriptor of the kernel for paths.

    `changed` is called for changes; places below 0 are those of files that are not for a resource.
    """

    def __init__(self, loop: EventLoop, changed: Changed, report: Log, open_units: OpenUnits | None) -> None:
        self._loop = loop
        self._changed = changed
        self._report = report
        self._open_units = open_units
        self._kernel = Inotify()
        self._paths = WatchedPaths(self._kernel)
        self._silent = silent_filesystems()
        self._units: Units | None = None
        self._places_of_units: dict[str, set[int]] = {}
        self._commands: dict[int, RunningCommand] = {}
        # How long a command that ended without a line waited before it was started again, in seconds.
        self._pauses: dict[int, float] = {}
        self._armed: dict[int, set[str]] = {}
        self._polled: set[int] = set()
        self._is_polling = False
        self._reasons: set[str] = set()
        self._last_read = 0.0
        loop.add_reader(self._kernel.fd, self._read)

    @property
    def degraded(self) -> list[str]:
        """Why some of it is only looked at now and then."""
        return sorted(self._reasons)

    def how(self, place: int) -> list[str]:
        """Return what is watched for a place, in words."""
        return sorted(map(without_text_secrets, self._armed.get(place, ())))

    def add(self, place: int, sources: Sources) -> bool:
        """Watch more for a place; return whether any of it was not watched before. It is when this returns."""
        known = self._armed.setdefault(place, set())
        before = len(known)
        self._add_paths(place, sources.paths, _PATH, known)
        self._add_paths(place, sources.trees, _TREE, known)
        self._add_paths(place, sources.files, _FILE, known)
        new = [unit for unit in sources.units if unit not in known]
        for unit in new:
            known.add(unit)
            self._places_of_units.setdefault(unit, set()).add(place)
        if new and self._open_units:
            self._units = self._units or self._open_units(self._loop, self._units_changed)
            self._units.watch(new)
        if sources.command and sources.command not in known:
            known.add(sources.command)
            self._start_command(place, sources.command)
        return len(known) > before

    def add_paths(self, place: int, paths: Iterable[str], trees: Iterable[str]) -> None:
        """Watch paths and trees for a place that is not one of a resource."""
        known = self._armed.setdefault(place, set())
        self._add_paths(place, paths, _PATH, known)
        self._add_paths(place, trees, _TREE, known)

    def remove(self, places: Iterable[int]) -> None:
        """Watch nothing for these places any more."""
        gone = set(places)
        self._paths.remove(place * _KINDS + kind for place in gone for kind in (_PATH, _TREE, _FILE))
        for place in gone:
            self._armed.pop(place, None)
            self._polled.discard(place)
            command = self._commands.pop(place, None)
            if command:
                self._end_command(command)
        for unit in list(self._places_of_units):
            self._places_of_units[unit] -= gone
            if not self._places_of_units[unit]:
                del self._places_of_units[unit]

    def close(self) -> None:
        """End all watches and the commands."""
        self.remove(list(self._armed))
        self._loop.remove_reader(self._kernel.fd)
        self._kernel.close()
        if self._units:
            self._units.close()

    def poll(self) -> None:
        """Report a change of all that cannot be watched, and do so again after a while."""
        for place in sorted(self._polled):
            self._changed(place, 0, "")
        self._is_polling = bool(self._polled)
        if self._is_polling:
            self._loop.call_after(POLL_SECONDS, self.poll)

    def _add_paths(self, place: int, paths: Iterable[str], kind: int, known: set[str]) -> None:
        for path in paths:
            path = os.path.normpath(path)
            known.add(path)
            self._paths.add(path, place * _KINDS + kind, is_tree=kind == _TREE)
            silent = next((name for point, name in self._silent if _is_below(path, point)), "")
            if silent:
                self._poll_instead(place, f"the file system {silent} reports no changes")
        self._note_unwatched()

    def _note_unwatched(self) -> None:
        for key, reason in self._paths.unwatched.items():
            self._poll_instead(key // _KINDS, reason)
        self._paths.unwatched.clear()

    def _poll_instead(self, place: int, reason: str) -> None:
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._report.warn(f"Some paths cannot be watched, and are checked every {POLL_SECONDS:g} s", reason=reason)
        if place not in self._polled and place >= 0:
            self._polled.add(place)
            if not self._is_polling:
                self._is_polling = True
                self._loop.call_after(POLL_SECONDS, self.poll)

    def _read(self) -> None:
        # Many changes of others in the same directories are read together.
        now = time.monotonic()
        if now - self._last_read < _PAUSE:
            time.sleep(_PAUSE)
        self._last_read = time.monotonic()
        for key in self._paths.changed(self._kernel.read()):
            place, kind = divmod(key, _KINDS)
            self._changed(place, 0 if kind == _PATH else SETTLE, WATCHED_FILE if kind == _FILE else "")
        self._note_unwatched()

    def _units_changed(self, names: Iterable[str]) -> None:
        for name in names:
            for place in self._places_of_units.get(name, ()):
                self._changed(place, 0, "")

    def _start_command(self, place: int, command: str) -> None:
        try:
            running = RunningCommand(split(command))
        except (ShellWordsError, HostError, OSError) as error:
            reason = reason_of(errno_of(error)) if isinstance(error, OSError) else str(error)
            self._report.warn(
                "A command that is watched cannot run", command=without_text_secrets(command), reason=reason
            )
            self._loop.call_after(_LONGEST_RESTART_SECONDS, partial(self._restart_command, place, command))
            return
        self._commands[place] = running
        self._loop.add_reader(running.fd, partial(self._command_wrote, place, command, running))

    def _command_wrote(self, place: int, command: str, running: RunningCommand) -> None:
        lines = running.read()
        if lines is None:
            self._end_command(running)
            self._commands.pop(place, None)
            self._report.warn(
                "A command that is watched ended, and is started again", command=without_text_secrets(command)
            )
            pause = self._pauses[place] = min(
                self._pauses.get(place, _RESTART_SECONDS / 2) * 2, _LONGEST_RESTART_SECONDS
            )
            self._loop.call_after(pause, partial(self._restart_command, place, command))
        elif lines:
            self._pauses.pop(place, None)
            self._changed(place, 0, WATCHED_COMMAND)

    def _restart_command(self, place: int, command: str) -> None:
        if place in self._armed and place not in self._commands:
            self._start_command(place, command)

    def _end_command(self, running: RunningCommand) -> None:
        self._loop.remove_reader(running.fd)
        running.end()


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")
