# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes are undone by resources of the run, last first (docs/state.md).

Each has the type and the name of the resource that made the change, so that its event belongs to that resource.
"""

from __future__ import annotations

from ..host.restorable_paths import ABSENT
from ..model.errors import CCMError
from ..model.resource import Resource, complete
from ..model.sending import HIDDEN
from ..resources.types import resource_type, reversal
from ..resources.undone.hidden_paths import ManagedPaths
from ..resources.undone.undo_record import SENSITIVE
from ..resources.undone.undone_types import Undone, UndonePaths, UndoneProperties, UndoneState, undone_ensure
from .around import Around, Stack
from .hidden_properties import hiding
from .run import Run
from .state.cause import MANIFEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Sequence

    from ..model.event import Event
    from ..model.state import State
    from ..model.values import Data
    from ..resources.undone.undo_record import UndoRecord
    from .around import Go, Work
    from .attempt import Attempt
    from .between_runs import StateBetweenRuns
    from .context import Context
    from .sink import Sink


def undo(
    changes: Iterable[UndoRecord],
    context: Context,
    sinks: Sequence[Sink],
    run: StateBetweenRuns,
    *,
    force: bool = False,
) -> Iterator[Event]:
    """Undo changes and yield the events, unless the run is interrupted; nothing of a manifest surrounds them.

    A change is not undone, and its event fails, if something else changed its parts since, unless with `force`.
    """
    gone: set[str] = set()
    managed = ManagedPaths(run.changes.kept.managed_paths())
    undone: dict[int, UndoRecord] = {}
    resources = []
    for change in sorted(changes, key=lambda each: each.number, reverse=True):
        try:
            resource = _resource(change, run, managed, gone, force)
        except CCMError as error:
            context.user_log.error(f"A change cannot be undone: {error}", resource=change.key)
            continue
        resources.append(resource)
        undone[id(resource.type)] = change
    around = Stack([_Undoing(undone, context, run, gone)])
    undoing = context.changed(resources=(), seen_together=(), stack=around, applied_by=None, sinks=sinks)
    yield from Run(resources, undoing).events()


def _resource(
    change: UndoRecord, run: StateBetweenRuns, managed: ManagedPaths, gone: set[str], force: bool
) -> Resource:
    """Return the resource that undoes a change; in noop, `gone` are the paths that earlier ones would have removed.

    Raises CCMError when its type does not exist any more.
    """
    original = resource_type(change.type)
    how = reversal(original) if original else None
    if original is None or how is None:
        raise CCMError(f"there is no type {change.type} whose changes can be undone")
    type: Undone
    if any(name.startswith("/") for name in change.before):
        type = UndonePaths(original, change, run.changes.kept.content, managed, gone, force=force)
        values: Data = {"ensure": undone_ensure(change), "provider": original.default_provider}
    else:
        type = UndoneProperties(original, change, how, force=force)
        values = {name: value for name, value in change.given.items() if name != SENSITIVE}
    resource = Resource(type, original.made(complete(original, {"name": change.name, **values})))
    return hiding(resource, values) if change.is_sensitive else resource


class _Undoing(Around):
    """Logs each undo, and drops its record afterwards; `changes` have as keys the ids of the types that undo them."""

    def __init__(self, changes: dict[int, UndoRecord], context: Context, run: StateBetweenRuns, gone: set[str]) -> None:
        self._changes = changes
        self._context = context
        self._run = run
        self._gone = gone

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Log the change, then undo it."""
        would = "would be undone" if self._context.noop else "undoing"
        message = f"{would}: changed since {self._changes[id(attempt.resource.type)].since}"
        self._context.user_log.info(message, resource=attempt.resource.reference)
        return go(attempt)

    def event(self, event: Event) -> None:
        """Note what was undone."""
        change = self._changes[id(event.resource.type)] if event.resource else None
        if change is None:
            return
        if isinstance(event.status, UndoneState):
            for path in sorted(event.status.full):
                self._context.user_log.warn("A directory is not empty, and stays", path=path)
        if event.failed and change.is_sensitive:
            event.errors, event.causes = [f"not undone: the reason is {HIDDEN}"], []
        if event.status and event.changed:
            event.status.cause = MANIFEST
        if self._context.noop and event.changed:
            self._gone.update(path for path, part in change.before.items() if part == [ABSENT])
        if not (event.failed or event.skipped or self._context.noop):
            self._run.changes.strike(change.key)
