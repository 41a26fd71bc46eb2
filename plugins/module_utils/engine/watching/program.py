# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the loop of `ccm watch` needs of the manifest that it watches (docs/watch.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Protocol, Sequence

    from ...model.event import Event
    from ...model.resource import Resource
    from .schedule import Watched

    #: Watches more for a place, and returns when it is watched.
    WatchMore = Callable[[int, "Sources"], None]

    class Program(Protocol):
        """A watched manifest; places are those in the list of its resources, in the order of the run.

        A step calls what `watch_by` is given before it reads the state of a resource of an applied manifest, and of one
        whose expressions were resolved. What is `refreshed` are references, and names of resources of applied
        manifests; the places in `checks_only` are only checked, see Watched.
        """

        def watch_by(self, watch_more: WatchMore) -> None: ...

        def watched(self) -> list[Watched]: ...

        def notified(self, place: int) -> list[str]: ...

        def required(self, place: int) -> list[str]: ...

        def received(self, place: int) -> list[str]: ...

        def sources(self, resource: Resource) -> Sources: ...

        def first_step(self) -> Step: ...

        def undo_step(self) -> Step: ...

        @property
        def values(self) -> object: ...

        def has_same(self, resource: Resource) -> bool: ...

        def may_use_values(self, resource: Resource) -> bool: ...

        def forget(self, removed: Sequence[Resource]) -> None: ...

        def forget_below(self, names: Iterable[str]) -> None: ...

        def step(
            self, places: Sequence[int], refreshed: frozenset[str], checks_only: frozenset[int], *, noop: bool
        ) -> Step: ...

        def ready(self, due: Sequence[int]) -> list[int]: ...

        def save(self) -> None: ...


class Sources:
    """What to watch for a resource: paths, whole directories, units, and the files and the command that notify it.

    `below` is the name of a resource of the manifest that the resource applies, "" for the resource itself. Such a one
    is `notified_by` others, `requires` some and `receives` values of some, by their references; a change of it is
    looked at after `grace` ns. It `is_late` when its state was read before; what it watches is not shown when it
    `is_hidden`.
    """

    notified_by: tuple[str, ...] = ()
    requires: tuple[str, ...] = ()
    receives: tuple[str, ...] = ()
    grace = 0
    is_late = False
    is_hidden = False

    def __init__(
        self,
        *,
        paths: Sequence[str] = (),
        trees: Sequence[str] = (),
        units: Sequence[str] = (),
        files: Sequence[str] = (),
        command: str = "",
        below: str = "",
    ) -> None:
        self.paths = paths
        self.trees = trees
        self.units = units
        self.files = files
        self.command = command
        self.below = below

    @property
    def relations(self) -> tuple[tuple[str, ...], ...]:
        """The references of those that notify it, that it requires, and whose values it receives."""
        return self.notified_by, self.requires, self.receives


class Step:
    """What some resources of a manifest were brought to.

    `events` are those of the resources with their places, None for those of manifests that are applied.
    """

    def __init__(self) -> None:
        self.events: list[tuple[int | None, Event]] = []
