# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm watch`: sleeps until something happens, and has the affected resources repaired (docs/watch.md).

The watcher runs in the thread of its loop. Another thread manages resources, one step after the other; events that
come meanwhile are noted, and looked at after the step.
"""

from __future__ import annotations

from functools import partial
from time import monotonic_ns

from ...host.errors import HostError
from ...model.errors import CCMError
from ..interruptions import Interruptions
from .program import Sources, Step
from .schedule import PERIOD, SECOND, Schedule
from .settings import ALERT
from .watches import Watches
from .worker import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, Protocol

    from ...host.event_loop import EventLoop
    from ...host.running_commands import RunningCommands
    from ...model.log import Log
    from .program import Program
    from .schedule import Watched
    from .watches import Key, OpenUnits
    from .worker import Outcome

    class Front(Protocol):
        """The front end's part in watching; its methods may raise only CCMError and HostError."""

        def load(self) -> Program: ...

        def reload_sources(self) -> Sources: ...

        def burst_begins(self) -> None: ...

        def step_ended(self, watcher: Watcher, step: Step) -> None: ...

        def bursts_ended(self, watcher: Watcher) -> None: ...

        def flapping(self, watched: Watched, seconds: int) -> None: ...

        def is_ready(self) -> None: ...

        def reloading(self) -> None: ...


_MANIFEST: Key = (None, "")
#: How long to wait for more changes of a manifest, which editors write in several steps, in ns.
_RELOAD_SETTLE = SECOND // 20
#: How long after a burst the state is saved, and how long after it at most when other bursts follow, in ns.
_SAVE_AFTER, _SAVE_AT_LEAST = SECOND, 10 * SECOND


class Watcher:
    """Watches the resources of a manifest until it `is_ending`.

    It ends after `exit_converged` ns in which nothing changed, and after `max_runtime` ns, 0 for never.
    """

    def __init__(
        self,
        program: Program,
        front: Front,
        loop: EventLoop,
        commands: RunningCommands,
        report: Log,
        *,
        exit_converged: int = 0,
        max_runtime: int = 0,
        open_units: OpenUnits | None = None,
    ) -> None:
        self._front = front
        self._loop = loop
        self._commands = commands
        self._report = report
        self._exit_converged = exit_converged
        self._max_runtime = max_runtime
        self._interruptions = Interruptions(commands, report)
        self.watches = Watches(loop, self._changed, report, open_units)
        self.program = program
        self.watched: list[Watched] = []
        # The resources that the first step did not manage because of fail_on_error.
        self._unmanaged: set[Watched] = set()
        self._adopt({})
        self._worker = Worker(loop, commands)
        self._is_running = False
        self._is_reloading = False
        self._in_burst = False
        self._save_at: int | None = None
        self._unsaved_since: int | None = None
        self._reload_at: int | None = None
        self._active_at = monotonic_ns()
        self._is_first = True
        self.is_ending = False
        self.is_converged = False

    def run(self) -> None:
        """Manage all resources once, then changed resources, until the end. Raises the errors of a step."""
        begin = monotonic_ns()
        self._watch_manifest()
        for index in range(len(self.watched)):
            self._arm(index)
        self._worker.start()
        self._begin_step(self.program.first_step)
        try:
            while not (self.is_ending and (not self._is_running or self._is_reloading)):
                self._loop.sleep(self._next_time(begin))
                self._act_on_interruptions()
                self._worker.answer()
                self._take_result()
                now = monotonic_ns()
                if self._max_runtime and now - begin >= self._max_runtime:
                    self.is_ending = True
                if not self._is_running and not self.is_ending:
                    self._go_on(now)
        finally:
            self._worker.end(is_running=self._is_running and not self._is_reloading)
            self._front.bursts_ended(self)
            self.watches.close()
            self.program.save()

    def interrupt(self) -> None:
        """Note an interruption. A handler of signals may call it."""
        self._interruptions.note()
        self._loop.wake()

    def reload(self) -> None:
        """Have the manifest read again. A handler of signals may call it."""
        self._reload_at = 0
        self._loop.wake()

    @property
    def failing(self) -> list[Watched]:
        """The resources that failed, or wait for a failed resource."""
        return [each for each in self.watched if each.is_blocking]

    @property
    def _is_settled(self) -> bool:
        return self.schedule.is_settled and not self.failing

    def _next_time(self, begin: int) -> int | None:
        times = [begin + self._max_runtime] if self._max_runtime and not self.is_ending else []
        if not self._is_running:
            wanted = (self.schedule.next_time(), self._save_at, self._reload_at)
            times += [each for each in wanted if each is not None]
            if self._exit_converged and self._is_settled:
                times.append(self._active_at + self._exit_converged)
        return min(times, default=None)

    def _go_on(self, now: int) -> None:
        """Do the next work: read the manifest again, save the state, or manage the due resources."""
        if self._reload_at is not None and now >= self._reload_at:
            self._reload_at = None
            self._front.reloading()
            self._is_reloading = True
            self._give(self._front.load)
            return
        if self._save_at is not None and now >= self._save_at:
            self._save_at = self._unsaved_since = None
            self.program.save()
            self._front.bursts_ended(self)
        if self._unmanaged and not self.failing:
            for each in self._unmanaged.intersection(self.watched):
                self.schedule.check(each.index, now)
            self._unmanaged = set()
        due = self.schedule.due(now, self.program.most_at_once)
        if due:
            self._manage(due, now)
            return
        self._in_burst = False
        if self._exit_converged and now - self._active_at >= self._exit_converged and self._is_settled:
            self.is_converged = self.is_ending = True

    def _manage(self, due: list[int], now: int) -> None:
        ready = self.program.ready(due)
        is_noop = self.watched[ready[0]].settings.mode == ALERT
        indexes = [index for index in ready if (self.watched[index].settings.mode == ALERT) == is_noop]
        watched = [self.watched[index] for index in indexes]
        refreshed = frozenset(child or each.resource.names[0] for each in watched for child, _name in each.notified)
        checks_only = frozenset(index for index in indexes if self.watched[index].checks_only)
        self.schedule.begin(indexes, now)
        self._begin_step(partial(self.program.step, indexes, refreshed, checks_only, noop=is_noop))

    def _begin_step(self, call: Callable[[], Step]) -> None:
        if not self._in_burst:
            self._in_burst = True
            self._front.burst_begins()
        self.watches.hold()
        self._give(call)

    def _give(self, call: Callable[[], Outcome]) -> None:
        self._is_running = True
        self._worker.give(call)

    def _take_result(self) -> None:
        outcome = self._worker.take()
        if outcome is None:
            return
        self._is_running = False
        was_reloading, self._is_reloading = self._is_reloading, False
        now = monotonic_ns()
        if isinstance(outcome, Step):
            self._end_step(outcome, now)
        elif was_reloading and isinstance(outcome, (CCMError, HostError)):
            self._refuse(outcome)
        elif isinstance(outcome, BaseException):
            self.is_ending = True
            raise outcome
        else:
            self._replace(outcome, now)

    def _end_step(self, step: Step, now: int) -> None:
        for flapping in self.schedule.end_step(step.events, now):
            self._front.flapping(self.watched[flapping], PERIOD // SECOND)
        self.watches.release(((self.watched[each.index], each.child), each) for each in step.seen)
        for index, event in step.events:
            if event.changed or event.failed:
                self._active_at = now
            if index is not None and not (event.failed or event.skipped):
                self._remove_needless(index)
        self._unsaved_since = self._unsaved_since or now
        self._save_at = min(now + _SAVE_AFTER, self._unsaved_since + _SAVE_AT_LEAST)
        self._front.step_ended(self, step)
        if self._is_first:
            self._is_first = False
            indexes = (index for index, _event in step.events)
            managed = [self.watched[index] for index in indexes if index is not None]
            for each in managed:
                each.checks += 1
            self._unmanaged = set(self.watched).difference(managed)
            self._front.is_ready()

    def _remove_needless(self, index: int) -> None:
        """Remove the watches of children that the child manifest no longer declares."""
        each = self.watched[index]
        gone = each.related.keys() - each.needed - {""}
        self.watches.remove((each, name) for name in gone)
        for name in gone:
            self.schedule.unrelate(index, name)
        self.program.forget((), gone)

    def _watch_more(self, index: int, sources: Sources) -> None:
        """Watch more for a resource that the other thread manages, which waits until it is watched; see WatchMore."""
        each = self.watched[index]
        each.needed.add(sources.child)
        key, is_child = (each, sources.child), bool(sources.child)
        known = each.related.get(sources.child) if is_child else sources
        is_related = known is not None and known.relations == sources.relations
        is_watched = not each.settings.follows_changes or self.watches.has(key, sources, only=is_child)
        if not (is_related and is_watched):
            self._worker.ask(partial(self._add, index, sources))

    def _add(self, index: int, sources: Sources) -> None:
        if sources.child:
            self.schedule.relate(index, sources)
        each = self.watched[index]
        if each.settings.follows_changes:
            self.watches.add((each, sources.child), sources, only=bool(sources.child))
            if sources.is_late:
                self.schedule.change(index, monotonic_ns(), child=sources.child)

    def how(self, each: Watched) -> list[str]:
        """Return the names that are watched for a resource and its children."""
        return sorted({text for key in _keys_of([each]) for text in self.watches.how(key)})

    def _act_on_interruptions(self) -> None:
        if not self._commands.is_interrupted:
            return
        self.is_ending = True
        if not self._is_running:
            self._report.info("Interrupted")
        elif self._interruptions.act():
            raise KeyboardInterrupt

    def _changed(self, key: Key, settle: int, because_of: str, checks_only: bool) -> None:
        now = monotonic_ns()
        each, child = key
        if each:
            if not checks_only:
                self._active_at = now
            self.schedule.change(
                each.index, now, settle=settle, because_of=because_of, child=child, checks_only=checks_only
            )
        elif not checks_only:
            self._reload_at = now + _RELOAD_SETTLE

    def _arm(self, index: int) -> None:
        each = self.watched[index]
        if each.settings.follows_changes:
            self._add(index, self.program.sources(each.resource))

    def _watch_manifest(self) -> None:
        self.watches.add(_MANIFEST, self._front.reload_sources(), only=True)
        self.watches.renew([_MANIFEST])

    def _adopt(self, unchanged: dict[str, Watched]) -> list[int]:
        """Use the resources of the program, with the history of `unchanged` ones; return the indexes of the others."""
        former = {each.resource.names[0]: each for each in self.watched}
        new = []
        self.watched = []
        for index, each in enumerate(self.program.watched(self._watch_more)):
            name = each.resource.names[0]
            old = unchanged.get(name)
            if old is None:
                if name in former:
                    # A refresh that failed is owed to a resource that is declared in another way, too.
                    each.notified |= {(child, by) for child, by in former[name].notified if not child}
                new.append(index)
            else:
                old.resource, old.related[""] = each.resource, each.related[""]
                each = old
            each.index = index
            self.watched.append(each)
        self.schedule = Schedule(self.watched)
        return new

    def _rewatch(self, indexes: Iterable[int], now: int) -> None:
        """Retry the resources of these indexes that fail, and their watches that failed (decisions.md Q110)."""
        wanted = [self.watched[index] for index in indexes if self.watched[index].settings.rewatch]
        renewed = {each for each, _child in self.watches.renew(_keys_of(wanted))}
        for each in wanted:
            if each.pace.failures or each in renewed:
                self.schedule.try_again(each.index, now)

    def _refuse(self, error: CCMError | HostError) -> None:
        """Log why a manifest that was read again is not used; the current manifest stays in use."""
        position, advice = (error.position, error.advice) if isinstance(error, CCMError) else (None, "")
        given = {"place": str(position or ""), "advice": advice or ""}
        fields = {name: text for name, text in given.items() if text}
        self._report.error("The manifest is not used, the one before stays at work", reason=str(error), **fields)
        self._front.is_ready()
        self._watch_manifest()

    def _replace(self, program: Program, now: int) -> None:
        """Go on with a manifest that was read again."""
        has_other_values = program.values != self.program.values
        self.program = program
        before = {each.resource.names[0]: each.resource for each in self.watched}
        unchanged = {each.resource.names[0]: each for each in self.watched if program.has_same(each.resource)}
        gone = [each for each in self.watched if each.resource.names[0] not in unchanged]
        new = self._adopt(unchanged)
        self.watches.remove(_keys_of(gone))
        self._watch_manifest()
        for index in new:
            self._arm(index)
            self.schedule.check(index, now)
        self._rewatch({*range(len(self.watched))}.difference(new), now)
        removed = [before[name] for name in before.keys() - {each.resource.names[0] for each in self.watched}]
        program.forget(removed)
        lost = {name for resource in removed for name in resource.names}
        for index, each in enumerate(self.watched):
            related = [name for sources in each.related.values() for name in (*sources.notified_by, *sources.requires)]
            if not lost.isdisjoint(related) or (has_other_values and program.may_use_values(each.resource)):
                self.schedule.check(index, now, checks_only=True)
        counts = {"resources": len(self.watched), "changed": len(new), "removed": len(removed)}
        self._report.info("The manifest was read again", **counts)
        self._front.is_ready()
        if removed:
            self._begin_step(program.undo_step)


def _keys_of(watched: Iterable[Watched]) -> Iterator[Key]:
    """Yield the keys of resources and of their children."""
    return ((each, child) for each in watched for child in each.related)
