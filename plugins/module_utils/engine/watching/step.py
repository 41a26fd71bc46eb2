# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The sources of changes that are watched, and the results of a step that manages resources (docs/watch.md)."""

from __future__ import annotations

from ...host.errors import HostError
from ...model.errors import CCMError
from ...model.facets import POLL_SECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

    from ...model.event import Event
    from ...model.event_source import EventSource
    from .schedule import Watched

    #: Watches more sources for the resource of an index, and returns when they are watched.
    WatchMore = Callable[[int, "Sources"], None]


class Events:
    """The events of a resource by a source of its provider, which `open` opens.

    Each set of properties has another `name`. Once it is opened there is the `source`, None for none, or the reason why
    it was `refused`.
    """

    source: EventSource | None = None
    refused = ""

    def __init__(self, name: str, open: Callable[[], EventSource | None]) -> None:
        self.name = name
        self._open = open

    def open(self) -> None:
        """Open the source."""
        try:
            self.source = self._open()
        except (CCMError, HostError) as error:
            self.refused = str(error)


class Sources:
    """The sources of changes of a resource: paths, whole directories, units, and files and a command that notify it.

    `events` come from its provider. Where the kernel reports no changes of paths and trees they are looked at every
    `poll_seconds`.

    `child` is the name of a resource of the manifest that the resource applies, "" for the resource itself. It is
    `notified_by`, `requires` and `receives` values of the resources of these references; a change of a child is looked
    at after `grace` ns. It `is_late` when its state was read before; the sources are not shown
    when it `is_hidden`.
    """

    notified_by: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    receives: tuple[str, ...] = ()
    grace = 0
    is_late = False
    is_hidden = False
    events: Events | None = None
    poll_seconds: float = POLL_SECONDS

    def __init__(
        self,
        *,
        paths: Sequence[str] = (),
        trees: Sequence[str] = (),
        units: Sequence[str] = (),
        files: Sequence[str] = (),
        command: str = "",
        child: str = "",
    ) -> None:
        self.paths = paths
        self.trees = trees
        self.units = units
        self.files = files
        self.command = command
        self.child = child

    @property
    def relations(self) -> tuple[tuple[str, ...], ...]:
        """The references of the resources that notify it, that it requires, and whose values it receives."""
        return self.notified_by, self.requires, self.receives


class Seen:
    """What a check from `begin` to `end` saw at a `path` of the resource of an `index`, or of its `child`.

    `entry` is an entry of `host/reading.py`, None when the resource is not as it should be.
    """

    __slots__ = ("begin", "child", "end", "entry", "index", "path")

    def __init__(self, index: int, child: str, path: str, entry: int | None, begin: int, end: int) -> None:
        self.index = index
        self.child = child
        self.path = path
        self.entry = entry
        self.begin = begin
        self.end = end


class Step:
    """The result of managing some resources of a manifest: their `events`, with their indexes, None for children.

    `seen` is what the checks saw at their paths, `flapping` are the resources that begin to be repaired too often.
    """

    flapping: Sequence[Watched] = ()

    def __init__(self) -> None:
        self.events: list[tuple[int | None, Event]] = []
        self.seen: list[Seen] = []
