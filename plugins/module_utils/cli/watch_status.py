# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file that lists the watched resources and when each was last checked and changed (docs/watch.md)."""

from __future__ import annotations

import os
import time

from ..engine.event_log import outcome
from ..host.errors import HostError
from ..host.files import write_file
from ..model.clock import timestamp
from ..model.errors import CCMError
from ..redaction.texts import shown_source
from .documents import json_document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..engine.watching.schedule import Watched
    from ..engine.watching.step import Step
    from ..manifest.watching import Watching
    from ..model.log import Log
    from ..model.values import Data

_MODE = 0o644
#: The indent of an entry.
_INDENT = "    "


def require_writable_directory(path: str) -> None:
    """Raise CCMError for a status file in a directory that is not there, or where this process cannot write."""
    directory = os.path.dirname(os.path.abspath(path))
    if not os.access(directory, os.W_OK | os.X_OK) or (os.path.lexists(path) and not os.path.isfile(path)):
        raise CCMError(f"--status-file {path} cannot be written", value=path, advice="name a file in a directory")


class WatchStatus:
    """Writes the status of a watched manifest to `path`, as a whole; with "" it does nothing."""

    def __init__(self, path: str, manifest: str, log: Log) -> None:
        self._path = os.path.abspath(path) if path else ""
        self._manifest = shown_source(manifest)
        self._log = log
        self._started = time.time_ns()
        self._checked: dict[str, int] = {}
        self._changed: dict[str, int] = {}
        self._outcomes: dict[str, str] = {}
        self._unrepaired: set[str] = set()
        self._is_warned = False
        # The resources of the last time, and their entries as they were written, but for those with events since then.
        self._watched: Sequence[Watched] = ()
        self._entries: list[str] = []

    def note(self, step: Step) -> None:
        """Remember the events of a step."""
        now = time.time_ns()
        for place, event in step.events if self._path else ():
            if place is None or event.resource is None:
                continue
            if place < len(self._entries):
                self._entries[place] = ""
            reference = event.resource.reference
            self._checked[reference] = now
            self._outcomes[reference] = outcome(event)
            self._unrepaired.discard(reference)
            if event.noop and event.changed:
                self._unrepaired.add(reference)
            elif event.changed:
                self._changed[reference] = now

    def write(self, watching: Watching) -> None:
        """Write the file; a warning, once, says why that is not possible."""
        if not self._path:
            return
        if watching.watched is not self._watched:
            self._watched, self._entries = watching.watched, [""] * len(watching.watched)
            self._forget()
        for index, each in enumerate(self._watched):
            self._entries[index] = self._entries[index] or self._entry(each, watching)
        status: Data = {
            "manifest": self._manifest,
            "pid": os.getpid(),
            "started": timestamp(self._started),
            "written": timestamp(time.time_ns()),
            "degraded": [*watching.watches.degraded, *watching.manifest.degraded],
            "resources": [],
        }
        head, middle, tail = json_document(status).rpartition("[]")
        text = f"[\n{_INDENT}" + f",\n{_INDENT}".join(self._entries) + "\n  ]" if self._entries else middle
        try:
            write_file(self._path, (head + text + tail).encode(), mode=_MODE)
        except HostError as error:
            if not self._is_warned:
                self._is_warned = True
                self._log.warn("The status file cannot be written", file=self._path, reason=str(error))

    def _forget(self) -> None:
        """Forget resources that are not declared any more."""
        left = {each.resource.reference for each in self._watched}
        for known in (self._checked, self._changed, self._outcomes):
            for gone in known.keys() - left:
                del known[gone]
        self._unrepaired &= left

    def _entry(self, each: Watched, watching: Watching) -> str:
        """Return the entry of a resource as it is in the file."""
        reference = each.resource.reference
        entry: Data = {"resource": reference, "watched": watching.how(each), "checks": each.checks}
        for key, times in (("checked", self._checked), ("changed", self._changed)):
            if reference in times:
                entry[key] = timestamp(times[reference])
        if reference in self._outcomes:
            entry["outcome"] = self._outcomes[reference]
        if reference in self._unrepaired:
            entry["noop"] = True
        if each.pace.is_flapping:
            entry["flapping"] = True
        return json_document(entry).rstrip("\n").replace("\n", f"\n{_INDENT}")
