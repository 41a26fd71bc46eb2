# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Watches paths, units of systemd, and the output of commands for the resources of a manifest."""

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
from ...redaction.replacement import REDACTED
from ...redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Collection, Iterable, Protocol

    from ...host.event_loop import EventLoop
    from ...model.log import Log
    from .program import Sources

    class Units(Protocol):
        """A source of changes of units, which calls back with the names of units that may have changed."""

        @property
        def degraded(self) -> str: ...

        def watch(self, names: Iterable[str]) -> None: ...

        def close(self) -> None: ...

    #: Receives a key, how long to wait for more of its changes in ns, the setting of `meta` that notifies it, and
    #: whether it is only to be checked, because it is not known whether anything changed.
    Changed = Callable[[int, int, str, bool], None]
    OpenUnits = Callable[["EventLoop", Callable[[Iterable[str]], None]], Units]

SECOND = 1_000_000_000
#: Changes in trees come in groups, and one file is written in several steps: how long to wait for the rest, in ns.
SETTLE = SECOND // 10
#: How often paths are looked at that cannot be watched, in seconds.
POLL_SECONDS = 30.0
#: How long to collect notices that come faster than they are read, in seconds.
_PAUSE = 0.002
_RESTART_SECONDS, _LONGEST_RESTART_SECONDS = 1.0, 60.0
WATCHED_FILE = "meta.watch_files"
WATCHED_COMMAND = "meta.watch_command"
# The kinds of watches; the key of a path is a number made from the key of its resource and the kind. A file that
# notifies may be a directory: then all files below it notify.
_PATH, _TREE, _FILE, _UNIT, _COMMAND = range(5)
_PATHS = (_PATH, _TREE, _FILE)


def _wanted(sources: Sources) -> list[tuple[int, str]]:
    """Return the names of the wanted watches, each with its kind."""
    found = []
    for kind, names in ((_PATH, sources.paths), (_TREE, sources.trees), (_FILE, sources.files)):
        found += [(kind, os.path.normpath(name)) for name in names]
    found += [(_UNIT, name) for name in sources.units]
    if sources.command:
        found.append((_COMMAND, sources.command))
    return found


class Watches:
    """The watches for the keys of resources, with one descriptor of the kernel for paths.

    `changed` is called for changes; keys below 0 belong to the files of the manifest.
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
        # The keys whose watches are not shown.
        self._hidden: set[int] = set()
        # The reasons why commands do not run.
        self._broken: dict[int, str] = {}
        # How long a command that ended without a line waited before it was started again, in seconds.
        self._pauses: dict[int, float] = {}
        # The next starts of commands that do not run.
        self._planned: dict[int, object] = {}
        self._armed: dict[int, set[tuple[int, str]]] = {}
        self._polled = PolledPaths()
        self._is_polling = False
        # By the keys of polled paths, the reasons: the errors of the kernel, which may give a watch later, and the
        # reasons that last.
        self._refused: dict[int, str] = {}
        self._lasting: dict[int, set[str]] = {}
        self._last_read = 0.0
        loop.add_reader(self._kernel.fd, self._read)

    @property
    def degraded(self) -> list[str]:
        """The reasons why some names are polled, or not watched at all."""
        units = self._units.degraded if self._units else ""
        return sorted({*self._reasons(), *self._broken.values(), *([units] if units else ())})

    def how(self, key: int) -> list[str]:
        """Return the names that are watched for a key."""
        if key in self._hidden:
            return [REDACTED]
        return sorted({without_text_secrets(name) for _kind, name in self._armed.get(key, ())})

    def has(self, key: int, sources: Sources) -> bool:
        """Return whether all sources are watched for a key, and for a child nothing else. Any thread may call it."""
        armed, wanted = self._armed.get(key, set()), set(_wanted(sources))
        return armed == wanted if sources.child else armed >= wanted

    def add(self, key: int, sources: Sources) -> None:
        """Watch more for a key. The watches are active when this returns."""
        if sources.is_hidden:
            self._hidden.add(key)
        known = self._armed.setdefault(key, set())
        units = []
        for kind, name in _wanted(sources):
            if (kind, name) in known:
                continue
            known.add((kind, name))
            if kind == _COMMAND:
                self._start_command(key, name)
            elif kind == _UNIT:
                self._keys_of_units.setdefault(name, set()).add(key)
                units.append(name)
            else:
                self._add_path(name, _path_key(key, kind), is_tree=kind != _PATH)
        if units and self._open_units:
            self._units = self._units or self._open_units(self._loop, self._units_changed)
            self._units.watch(units)
        self._note_unwatched()

    def remove(self, keys: Iterable[int]) -> None:
        """Remove the watches of these keys."""
        gone = set(keys)
        if not gone:
            return
        path_keys = [_path_key(key, kind) for key in gone for kind in _PATHS]
        self._paths.remove(path_keys)
        for path_key in path_keys:
            self._lasting.pop(path_key, None)
        self._poll_no_more(path_keys)
        for key in gone:
            self._armed.pop(key, None)
            self._broken.pop(key, None)
            self._hidden.discard(key)
            self._pauses.pop(key, None)
            self._planned.pop(key, None)
            command = self._commands.pop(key, None)
            if command:
                self._end_command(command)
        for unit in list(self._keys_of_units):
            self._keys_of_units[unit] -= gone
            if not self._keys_of_units[unit]:
                del self._keys_of_units[unit]

    def renew(self, keys: Iterable[int]) -> set[int]:
        """Retry the watches of these keys that failed; return the keys whose paths are watched now."""
        if not (self._refused or self._planned):
            return set()
        wanted = set(keys)
        for key in wanted & self._planned.keys():
            self._pauses.pop(key, None)
            for kind, name in self._armed[key]:
                if kind == _COMMAND:
                    self._start_command(key, name)
        refused = self._refused.keys() & {_path_key(key, kind) for key in wanted for kind in _PATHS}
        if refused:
            self._paths.renew()
            refused -= self._paths.unwatched.keys()
            self._poll_no_more(refused)
            self._note_unwatched()
        return {path_key // len(_PATHS) for path_key in refused}

    def close(self) -> None:
        """End all watches and the commands."""
        self.remove(list(self._armed))
        self._loop.remove_reader(self._kernel.fd)
        self._kernel.close()
        if self._units:
            self._units.close()

    def poll(self) -> None:
        """Look at all paths that cannot be watched, and again after POLL_SECONDS."""
        for path_key, has_changed in self._polled.look():
            self._looked_at(path_key, has_changed)
        self._is_polling = bool(self._polled)
        if self._is_polling:
            self._loop.call_after(POLL_SECONDS, self.poll)

    def _add_path(self, path: str, path_key: int, *, is_tree: bool) -> None:
        self._paths.add(path, path_key, is_tree=is_tree)
        silent = next((name for point, name in self._silent if _is_below(path, point)), "")
        if silent:
            self._poll_instead(path, path_key, is_tree, f"the file system {silent} reports no changes")

    def _note_unwatched(self) -> None:
        refused, too_deep = dict(self._paths.unwatched), set(self._paths.too_deep)
        if not (refused or too_deep):
            return
        self._paths.unwatched.clear()
        self._paths.too_deep.clear()
        for path_key, path, is_tree in self._paths.paths_of({*refused, *too_deep}):
            if path_key in refused:
                self._poll(path, path_key, is_tree, refused[path_key])
                self._refused[path_key] = refused[path_key]
            if path_key in too_deep:
                self._poll_instead(path, path_key, is_tree, "directories in it are nested too deeply")

    def _poll_instead(self, path: str, path_key: int, is_tree: bool, reason: str) -> None:
        """Poll a path for a reason that lasts as long as it is watched."""
        self._poll(path, path_key, is_tree, reason)
        self._lasting.setdefault(path_key, set()).add(reason)

    def _poll(self, path: str, path_key: int, is_tree: bool, reason: str) -> None:
        if reason not in self._reasons():
            self._report.warn(f"Some paths cannot be watched, and are checked every {POLL_SECONDS:g} s", reason=reason)
        self._polled.add(path, path_key, is_tree=is_tree)
        if not self._is_polling:
            self._is_polling = True
            self._loop.call_after(POLL_SECONDS, self.poll)

    def _poll_no_more(self, path_keys: Collection[int]) -> None:
        """Note that the kernel has given these watches, and stop to poll the paths without another reason."""
        for path_key in path_keys:
            self._refused.pop(path_key, None)
        self._polled.remove(path_key for path_key in path_keys if path_key not in self._lasting)

    def _reasons(self) -> set[str]:
        """Return the reasons why paths are polled."""
        return set().union(self._refused.values(), *self._lasting.values())

    def _read(self) -> None:
        # Many changes in the same directories are read together.
        now = time.monotonic()
        if now - self._last_read < _PAUSE:
            self._loop.before_waiting()
            time.sleep(_PAUSE)
        self._last_read = time.monotonic()
        for path_key in self._paths.changed(self._kernel.read()):
            # A network file system also reports changes by this host, which must not count twice.
            self._looked_at(path_key, path_key not in self._polled or self._polled.renew(path_key))
        self._note_unwatched()

    def _looked_at(self, path_key: int, has_changed: bool) -> None:
        key, kind = divmod(path_key, len(_PATHS))
        if has_changed:
            self._changed(key, 0 if kind == _PATH else SETTLE, WATCHED_FILE if kind == _FILE else "", False)
        elif key >= 0 and kind != _FILE:
            self._changed(key, 0, "", True)

    def _units_changed(self, names: Iterable[str]) -> None:
        for name in names:
            for key in self._keys_of_units.get(name, ()):
                self._changed(key, 0, "", False)

    def _start_command(self, key: int, command: str) -> None:
        self._planned.pop(key, None)
        try:
            running = RunningCommand(split(command))
        except (ShellWordsError, HostError, OSError) as error:
            reason = reason_of(errno_of(error)) if isinstance(error, OSError) else str(error)
            shown = without_text_secrets(command)
            self._report.warn("A command that is watched cannot run", command=shown, reason=reason)
            self._broken[key] = f"the command {shown} cannot run: {reason}"
            self._plan_start(key, command, _LONGEST_RESTART_SECONDS)
            return
        self._broken.pop(key, None)
        self._commands[key] = running
        self._loop.add_reader(running.fd, partial(self._command_wrote, key, command, running))

    def _command_wrote(self, key: int, command: str, running: RunningCommand) -> None:
        lines = running.read()
        if lines is None:
            self._end_command(running)
            self._commands.pop(key, None)
            self._report.warn(
                "A command that is watched ended, and is started again", command=without_text_secrets(command)
            )
            pause = self._pauses[key] = min(self._pauses.get(key, _RESTART_SECONDS / 2) * 2, _LONGEST_RESTART_SECONDS)
            self._plan_start(key, command, pause)
        elif lines:
            self._pauses.pop(key, None)
            self._changed(key, 0, WATCHED_COMMAND, False)

    def _plan_start(self, key: int, command: str, seconds: float) -> None:
        planned = self._planned[key] = object()

        def start() -> None:
            if self._planned.get(key) is planned:
                self._start_command(key, command)

        self._loop.call_after(seconds, start)

    def _end_command(self, running: RunningCommand) -> None:
        self._loop.remove_reader(running.fd)
        self._loop.before_waiting()
        running.end()


def _path_key(key: int, kind: int) -> int:
    return key * len(_PATHS) + kind


def _is_below(path: str, point: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")
