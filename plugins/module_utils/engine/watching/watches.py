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
from ...host.polled_paths import PolledPaths
from ...host.watched_paths import WatchedPaths
from ...lang.shellwords import ShellWordsError, split
from ...redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Protocol, Sequence

    from ...host.event_loop import EventLoop
    from ...model.log import Log
    from .program import Sources

    class Units(Protocol):
        """A source of changes of units, which calls back with the names of those that may have changed."""

        def watch(self, names: Iterable[str]) -> None: ...

        def close(self) -> None: ...

    #: Receives a place, how long to wait for more of its changes in ns, what notifies it, and whether it is only to be
    #: checked: what changed is something of the manifest that it applies, or it is not known whether anything did.
    Changed = Callable[[int, int, str, bool], None]
    OpenUnits = Callable[["EventLoop", Callable[[Iterable[str]], None]], Units]

SECOND = 1_000_000_000
#: Changes in trees come in groups, and one file is written in several steps: how long to wait for the rest, in ns.
SETTLE = SECOND // 10
#: How often paths are looked at that cannot be watched, in seconds.
POLL_SECONDS = 30.0
#: How long to collect notices where they come faster than they are read, in seconds.
_PAUSE = 0.002
_RESTART_SECONDS, _LONGEST_RESTART_SECONDS = 1.0, 60.0
WATCHED_FILE = "meta.watch_files"
WATCHED_COMMAND = "meta.watch_command"
# What is watched for a place has one of these kinds. The keys of paths and units are numbers made from both.
_PATH, _TREE, _FILE, _UNIT, _PATH_BELOW, _TREE_BELOW, _UNIT_BELOW, _COMMAND = _KINDS = range(8)
_TREES = (_TREE, _TREE_BELOW)
_UNITS = (_UNIT, _UNIT_BELOW)
_BELOW = (_PATH_BELOW, _TREE_BELOW, _UNIT_BELOW)
_SETTLING = (*_TREES, _FILE)


def _wanted(sources: Sources) -> list[tuple[int, str]]:
    """Return what is to be watched, each with its kind.

    A file that notifies a resource of an applied manifest counts as one of what applies it, which is not refreshed.
    """
    path, tree, unit, file = (
        (_PATH_BELOW, _TREE_BELOW, _UNIT_BELOW, _PATH) if sources.is_below else (_PATH, _TREE, _UNIT, _FILE)
    )
    found = []
    for kind, names in ((path, sources.paths), (tree, sources.trees), (file, sources.files)):
        found += [(kind, os.path.normpath(name)) for name in names]
    found += [(unit, name) for name in sources.units]
    if sources.command and not sources.is_below:
        found.append((_COMMAND, sources.command))
    return found


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
        self._keys_of_units: dict[str, set[int]] = {}
        self._commands: dict[int, RunningCommand] = {}
        # How long a command that ended without a line waited before it was started again, in seconds.
        self._pauses: dict[int, float] = {}
        self._armed: dict[int, set[tuple[int, str]]] = {}
        self._polled = PolledPaths()
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
        return sorted({without_text_secrets(name) for _kind, name in self._armed.get(place, ())})

    def has(self, place: int, sources: Sources) -> bool:
        """Return whether all of it is watched for a place. Any thread may call it."""
        return self._armed.get(place, set()).issuperset(_wanted(sources))

    def add(self, place: int, sources: Sources) -> bool:
        """Watch more for a place; return whether any of it was not watched before. It is when this returns."""
        return self._add(place, _wanted(sources))

    def add_paths(self, place: int, paths: Iterable[str], trees: Iterable[str]) -> None:
        """Watch paths and trees for a place that is not one of a resource."""
        found = ((kind, path) for kind, some in ((_PATH, paths), (_TREE, trees)) for path in some)
        self._add(place, [(kind, os.path.normpath(path)) for kind, path in found])

    def remove(self, places: Iterable[int]) -> None:
        """Watch nothing for these places any more."""
        gone = set(places)
        keys = {place * len(_KINDS) + kind for place in gone for kind in _KINDS}
        self._paths.remove(keys)
        self._polled.remove(keys)
        for place in gone:
            self._armed.pop(place, None)
            command = self._commands.pop(place, None)
            if command:
                self._end_command(command)
        for unit in list(self._keys_of_units):
            self._keys_of_units[unit] -= keys
            if not self._keys_of_units[unit]:
                del self._keys_of_units[unit]

    def close(self) -> None:
        """End all watches and the commands."""
        self.remove(list(self._armed))
        self._loop.remove_reader(self._kernel.fd)
        self._kernel.close()
        if self._units:
            self._units.close()

    def poll(self) -> None:
        """Look at all that cannot be watched, and do so again after a while."""
        for key, has_changed in self._polled.look():
            place, kind = divmod(key, len(_KINDS))
            if has_changed:
                self._key_changed(key)
            elif place >= 0 and kind != _FILE:
                self._changed(place, 0, "", True)
        self._is_polling = bool(self._polled)
        if self._is_polling:
            self._loop.call_after(POLL_SECONDS, self.poll)

    def _add(self, place: int, wanted: Sequence[tuple[int, str]]) -> bool:
        known = self._armed.setdefault(place, set())
        new = [each for each in wanted if each not in known]
        units = []
        for kind, name in new:
            known.add((kind, name))
            if kind == _COMMAND:
                self._start_command(place, name)
            elif kind in _UNITS:
                self._keys_of_units.setdefault(name, set()).add(place * len(_KINDS) + kind)
                units.append(name)
            else:
                self._add_path(name, place * len(_KINDS) + kind, is_tree=kind in _TREES)
        if units and self._open_units:
            self._units = self._units or self._open_units(self._loop, self._units_changed)
            self._units.watch(units)
        self._note_unwatched()
        return bool(new)

    def _add_path(self, path: str, key: int, *, is_tree: bool) -> None:
        self._paths.add(path, key, is_tree=is_tree)
        silent = next((name for point, name in self._silent if _is_below(path, point)), "")
        if silent:
            self._poll_instead(path, key, is_tree, f"the file system {silent} reports no changes")

    def _note_unwatched(self) -> None:
        if self._paths.unwatched:
            reasons = dict(self._paths.unwatched)
            self._paths.unwatched.clear()
            for key, path, is_tree in self._paths.paths_of(reasons):
                self._poll_instead(path, key, is_tree, reasons[key])

    def _poll_instead(self, path: str, key: int, is_tree: bool, reason: str) -> None:
        if reason not in self._reasons:
            self._reasons.add(reason)
            self._report.warn(f"Some paths cannot be watched, and are checked every {POLL_SECONDS:g} s", reason=reason)
        self._polled.add(path, key, is_tree=is_tree)
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
            # On a file system of a network what this host changes is reported, too: it is not to count twice.
            self._polled.renew(key)
            self._key_changed(key)
        self._note_unwatched()

    def _key_changed(self, key: int) -> None:
        place, kind = divmod(key, len(_KINDS))
        settle = SETTLE if kind in _SETTLING else 0
        self._changed(place, settle, WATCHED_FILE if kind == _FILE else "", kind in _BELOW)

    def _units_changed(self, names: Iterable[str]) -> None:
        for name in names:
            for key in self._keys_of_units.get(name, ()):
                self._key_changed(key)

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
            self._changed(place, 0, WATCHED_COMMAND, False)

    def _restart_command(self, place: int, command: str) -> None:
        if place in self._armed and place not in self._commands:
            self._start_command(place, command)

    def _end_command(self, running: RunningCommand) -> None:
        self._loop.remove_reader(running.fd)
        running.end()


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")
