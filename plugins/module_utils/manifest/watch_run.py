# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest whose resources are managed again and again, some of them at a time (docs/watch.md)."""

from __future__ import annotations

from ..engine.graph.graph import Graph
from ..engine.sink import Sink
from ..engine.templating import has_late_expressions
from ..engine.watching.schedule import Watched
from ..engine.watching.step import Sources, Step
from ..host.machine import Machine
from ..resources.types import relations
from .run import prepare
from .watch_treatment import Remembered, WatchAround, WatchedStep, related, sources_of, units_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

    from ..engine.around import Around
    from ..engine.between_runs import StateBetweenRuns
    from ..engine.context import Context
    from ..engine.watching.step import WatchMore
    from ..engine.watching.watch_session import WatchSession
    from ..host.running_commands import RunningCommands
    from ..model.event import Event
    from ..model.resource import Resource
    from .manifest import Manifest

#: So many resources are managed in one step in graph order.
_MOST_AT_ONCE = 64


class WatchedManifest(Sink):
    """The resources of a manifest in the order in which they are managed, and how some of them are managed again.

    `context` has the mode of the run, its logs and child sinks. `facts` are the facts that do not come from the machine
    itself, and can be compared. `remembered` stays when the manifest is read again. `deadline` is when all must have
    ended, in ns of the monotonic clock, None for never. Raises InvalidResource for a fault in a package.
    """

    def __init__(
        self,
        manifest: Manifest,
        session: WatchSession,
        context: Context,
        *,
        state: StateBetweenRuns | None,
        unrecorded: Around | None,
        commands: RunningCommands,
        facts: object,
        remembered: Remembered,
        deadline: int | None = None,
    ) -> None:
        schedule = manifest.schedule
        self.manifest = manifest
        self._order = list(schedule.graph.order() if schedule else range(len(manifest.resources)))
        self.resources = [manifest.resources[index] for index in self._order]
        self.parallel = schedule.parallel if schedule else 1
        self._graph = schedule.graph if schedule else None
        self._session = session
        self._state = state
        self._commands = commands
        self._deadline = deadline
        self._facts = facts
        self._log = context.user_log
        self._done = Step()
        self._remembered = remembered
        self._step = WatchedStep(self.resources, remembered, has_state=state is not None)
        context = context.changed(
            session=session,
            machine=self._machine(),
            known=remembered.known,
            unused=remembered.providers,
            received=remembered.received,
            child_sinks=(self, *context.child_sinks),
        )
        watch = WatchAround(self._step, manifest, manifest.notifying)
        sent_last = None if state else remembered.sent_last
        self._run = prepare(manifest, context, state, unrecorded=unrecorded, watch=watch, sent_last=sent_last)
        self._unwatched = [(self._watched(each), self._sources(each)) for each in self.resources]

    def _watched(self, resource: Resource) -> Watched:
        relations_to_others = related(Sources(), resource, resource, self.manifest.notifying)
        return Watched(resource, relations_to_others, is_service=bool(units_of(resource)))

    def _sources(self, resource: Resource) -> Sources:
        """Return what to watch for a resource, as far as it is known before its expressions are resolved."""
        return sources_of(resource, relations(resource.type), self.manifest.directory)

    def watched(self, watch_more: WatchMore) -> list[tuple[Watched, Sources]]:
        """Return the resources with the results of their checks, each with what to watch for it; for use once.

        Steps call `watch_more` for what was not known before.
        """
        self._step.watch_more = watch_more
        found, self._unwatched = self._unwatched, []
        return found

    def finished(self, event: Event) -> None:
        """Note an event of the current step, with the index of a top resource."""
        index = self._step.indexes.get(event.resource.names[0]) if event.resource and event.parent is None else None
        self._done.events.append((index, event))

    def announce(self) -> None:
        """Log that the manifest will run; see ManifestRun."""
        self._run.announce()

    @property
    def values(self) -> object:
        """What its resources may use: data, variables, and the facts of files; the machine's facts always differ."""
        # 1 and true are equal, but not the same.
        return repr((self.manifest.data, self.manifest.environment.environ, self._facts))

    def has_same(self, resource: Resource) -> bool:
        """Return whether it declares the same resource."""
        index = self._step.indexes.get(resource.names[0])
        if index is None:
            return False
        mine = self.resources[index]
        return mine.type is resource.type and repr(vars(mine.properties)) == repr(vars(resource.properties))

    def forget(self, removed: Sequence[Resource], children: Iterable[str] = ()) -> None:
        """Forget resources that the manifest does not declare any more, and names that applied manifests do not."""
        self._session.forget(self._remembered.forget(removed, children))

    def place_events(self) -> None:
        """Have the events of its resources, under manifests before it, not keep those manifests."""
        self._session.place(self.resources)

    def may_use_values(self, resource: Resource) -> bool:
        """Return whether facts and data matter to a resource: to its expressions, templates, or applied manifest."""
        known = relations(resource.type)
        has_templates = known is not None and bool(known.watched_trees(resource.properties))
        return has_late_expressions(resource) or has_templates or resource.type.applies_manifests

    def begin_burst(self) -> None:
        """Begin a session: steps that follow each other closely are one run of it."""
        self._session.start()

    def first_step(self) -> Step:
        """Manage all resources, in their order, and undo what the manifest does not declare any more."""
        self._session.begin_step()
        self._run.context.machine = self._machine()
        self._undo(self._run.run_resources())
        return self._step_done()

    def undo_step(self) -> Step:
        """Undo what the manifest before declared, and this one does not."""
        self._session.begin_step()
        self._run.context.machine = self._machine()
        self._undo()
        return self._step_done()

    def _undo(self, events: Sequence[Event] = ()) -> None:
        if self._state and not self._run.context.noop:
            self._run.undo(self._state, events)

    def step(
        self, indexes: Sequence[int], refreshed: frozenset[str], checks_only: frozenset[int], *, noop: bool
    ) -> Step:
        """Manage the resources at these indexes, of which none comes before another; see WatchedStep for the sets."""
        self._session.begin_step()
        if self._state:
            self._state.go_on()
        step = self._step
        step.is_first, step.refreshed = False, refreshed
        step.unconditional = frozenset(indexes) - checks_only
        resources = [self.resources[index] for index in indexes]
        context = self._run.context
        context = context.changed(
            machine=self._machine(), noop=context.noop or noop, seen_together=resources, resources=resources
        )
        graph = Graph(len(resources)) if self.parallel > 1 and len(resources) > 1 else None
        run = self._run.in_order([self._order[index] for index in indexes], context, graph)
        run.run(self._run.report)
        step.refreshed = frozenset()
        if any(each.type.applies_manifests for each in resources):
            self._undo()
        return self._step_done()

    @property
    def most_at_once(self) -> int:
        """How many resources are managed in one step at most; others that change meanwhile have their turn after it."""
        return 1 if self._graph is None or self.parallel == 1 else _MOST_AT_ONCE

    def ready(self, due: Sequence[int]) -> list[int]:
        """Return which of the first indexes that are due are managed next: all that no other one comes before."""
        if self._graph is None or self.parallel == 1:
            return list(due[:1])
        later = self._graph.after(self._order[index] for index in due)
        return [index for index in due if self._order[index] not in later]

    @property
    def degraded(self) -> list[str]:
        """Why the state between runs is not kept, nothing where it is."""
        fault = self._state.changes.fault if self._state and self._state.has_changes else ""
        return [f"no state between runs is kept: {fault}"] if fault else []

    def prepare_step(self) -> None:
        """Do now what the first step after all resources were managed would do, which takes long with many."""
        if self._state:
            self._state.go_on()

    def save(self) -> None:
        """Save what was reached in the state between runs."""
        if self._state:
            self._state.finish(is_whole=not self._run.context.is_interrupted)

    def close(self) -> None:
        """Close the providers, which live as long as the watching."""
        self._run.context.close()

    def _step_done(self) -> Step:
        done, self._done = self._done, Step()
        done.seen, self._step.seen = self._step.seen, []
        return done

    def _machine(self) -> Machine:
        machine = Machine(self._log.before_waiting)
        machine.commands, machine.deadline = self._commands, self._deadline
        return machine
