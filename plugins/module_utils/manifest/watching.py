# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A manifest that is watched: what the loop of `ccm watch` calls (cli/watching.py, docs/architecture.md, Watching).

All is called in the thread of the loop. Another thread manages resources, one step after the other; changes that come
meanwhile are noted, and looked at after the step.
"""

from __future__ import annotations

from functools import partial
from time import monotonic_ns

from ..engine.interruptions import Interruptions
from ..engine.watching.schedule import SECOND, Schedule
from ..engine.watching.settings import ALERT
from ..engine.watching.step import Sources, Step
from ..engine.watching.watches import Watches
from ..engine.watching.worker import Worker
from ..host.machine import OF_THREAD
from ..model.clock import change_time
from ..model.errors import CCMError
from .manifest_files import LateChanges, Reading, ReadingTime, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator

    from ..engine.watching.schedule import Watched
    from ..engine.watching.watches import Key, OpenUnits
    from ..host.errors import HostError
    from ..host.event_loop import EventLoop
    from ..host.running_commands import RunningCommands
    from ..model.log import Log
    from .watch_run import WatchedManifest

#: What the loop does next: read the manifest again, save what was reached, wait, or end.
READ, SAVE, WAIT, END = "read", "save", "wait", "end"
_MANIFEST: Key = (None, "")
#: How long after a step the state is saved, and how long after it at most when other steps follow, in ns.
_SAVE_AFTER, _SAVE_AT_LEAST = SECOND, 10 * SECOND
#: How long sources of events of types of other packages may take to close, all together, in ns.
_FAREWELL = 5 * SECOND


class Watching:
    """Watches the resources of a manifest from `begin` until `go_on` says END.

    It ends after `exit_converged` ns in which nothing changed, and after `max_runtime` ns, 0 for never.
    `manifest_sources` returns the files that the manifest is made from.
    """

    def __init__(
        self,
        manifest: WatchedManifest,
        manifest_sources: Callable[[], Sources],
        loop: EventLoop,
        commands: RunningCommands,
        report: Log,
        *,
        exit_converged: int = 0,
        max_runtime: int = 0,
        open_units: OpenUnits | None = None,
    ) -> None:
        self.manifest = manifest
        self._manifest_sources = manifest_sources
        self._loop = loop
        self._commands = commands
        self._report = report
        self._exit_converged = exit_converged
        self._interruptions = Interruptions(commands, report)
        self.watches = Watches(loop, self._changed, report, open_units)
        self.watched: list[Watched] = []
        # The resources that the first step did not manage because of fail_on_error.
        self._unmanaged: set[Watched] = set()
        self._unarmed = self._adopt({})
        self._worker = Worker(loop, commands)
        self._is_running = self._is_reading = self._in_burst = False
        # When the last reading of the manifest began, by the clock of files; whether nothing was managed since then.
        self._begun, self._has_just_read = manifest.manifest.inputs.begun, False
        self._late = LateChanges()
        self._save_at: int | None = None
        self._unsaved_since: int | None = None
        self._reading_time = ReadingTime()
        self._active_at = monotonic_ns()
        self._ends_at = self._active_at + max_runtime if max_runtime else None
        self._is_first = True
        self.is_ending = self.is_converged = False

    def begin(self) -> None:
        """Watch the manifest and its resources, and begin to manage all of them once. Raises HostError."""
        self._watch_manifest()
        self._arm()
        self._worker.start()
        self._begin_step(self.manifest.first_step)

    def end(self) -> None:
        """End the step that still runs."""
        if self._is_running and not self._is_reading:
            self._worker.end_call()

    def close(self) -> None:
        """Watch nothing any more, save what was reached, and close the providers."""
        # Sources of events may hang, one after the other.
        end = monotonic_ns() + _FAREWELL
        OF_THREAD.deadline = min(OF_THREAD.deadline or end, end)
        self.watches.close()
        self.manifest.save()
        self._worker.end(self.manifest.close)

    def wait(self) -> Step | Reading | None:
        """Sleep until something happens, and note it; return the result of what ran, None while it runs.

        Raises the errors of a step, and KeyboardInterrupt when it is interrupted for good.
        """
        for note in self._loop.wait(self._next_time()):
            note()
        self._act_on_interruptions()
        outcome = self._worker.take() if self._is_running else None
        now = monotonic_ns()
        if outcome is not None:
            self._is_running = self._is_reading = False
            if isinstance(outcome, BaseException):
                self.is_ending = True
                raise outcome
        if self._ends_at is not None and now >= self._ends_at:
            self.is_ending = True
        if isinstance(outcome, Reading):
            if outcome.manifest:
                self._replace(outcome.manifest, now)
            elif outcome.error:
                self._refuse(outcome.error)
            return outcome
        if isinstance(outcome, Step):
            self._end_step(outcome, now)
            return outcome
        return None

    def go_on(self) -> str:
        """Return the work that has its turn, READ or SAVE; else begin a step with due resources, and return WAIT.

        While anything runs nothing begins. Return END when it is ending, and no step runs any more.
        """
        if self.is_ending and (self._is_reading or not self._is_running):
            return END
        if self._is_running or self.is_ending:
            return WAIT
        now = monotonic_ns()
        if self._save_at is not None and now >= self._save_at:
            return SAVE
        read_at = self._reading_time.at
        is_read = read_at is not None and now >= read_at
        if is_read and not self._has_just_read:
            return READ
        # A manifest that changes all the time leaves others their turn.
        self._has_just_read = False
        if self._begin_due(now):
            return WAIT
        if is_read:
            return READ
        self._in_burst = False
        if self._exit_converged and now - self._active_at >= self._exit_converged and self._is_settled:
            self.is_converged = self.is_ending = True
        return END if self.is_ending else WAIT

    def read(self, load: Callable[[], WatchedManifest]) -> None:
        """Begin to read the manifest again."""
        self._reading_time.end()
        self._is_reading = self._has_just_read = True
        self._begun = change_time()
        self._give(partial(read, load))

    def save(self) -> None:
        """Save what was reached in the state between runs."""
        self._save_at = self._unsaved_since = None
        self.manifest.save()

    def interrupt(self) -> None:
        """Note an interruption. A handler of signals may call it."""
        self._interruptions.note()
        self._loop.wake()

    def read_again(self) -> None:
        """Have the manifest read again. A handler of signals may call it."""
        self._reading_time.ask()
        self._loop.wake()

    @property
    def failing(self) -> list[Watched]:
        """The resources that failed, or wait for a failed resource."""
        return [each for each in self.watched if each.is_blocking]

    def how(self, each: Watched) -> list[str]:
        """Return the names that are watched for a resource and its children."""
        return sorted({text for key in _keys_of([each]) for text in self.watches.how(key)})

    @property
    def _is_settled(self) -> bool:
        return self.schedule.is_settled and not self.failing and self._reading_time.at is None

    def _next_time(self) -> int | None:
        times = [self._ends_at] if not self.is_ending else []
        if not self._is_running:
            times += [self.schedule.next_time(), self._save_at, self._reading_time.at]
            if self._exit_converged and self._is_settled:
                times.append(self._active_at + self._exit_converged)
        return min((each for each in times if each is not None), default=None)

    def _begin_due(self, now: int) -> bool:
        """Begin a step with the first of the resources that are due; return whether any is."""
        if self._unmanaged and not self.failing:
            for each in self._unmanaged.intersection(self.watched):
                self.schedule.check(each.index, now)
            self._unmanaged = set()
        due = self.schedule.due(now, self.manifest.most_at_once)
        if due:
            self._manage(self.manifest.ready(due), now)
        return bool(due)

    def _manage(self, ready: list[int], now: int) -> None:
        is_noop = self.watched[ready[0]].settings.mode == ALERT
        indexes = [index for index in ready if (self.watched[index].settings.mode == ALERT) == is_noop]
        watched = [self.watched[index] for index in indexes]
        refreshed = frozenset(child or each.resource.names[0] for each in watched for child, _name in each.notified)
        checks_only = frozenset(index for index in indexes if self.watched[index].checks_only)
        self.schedule.begin(indexes, now)
        self._begin_step(partial(self.manifest.step, indexes, refreshed, checks_only, noop=is_noop))

    def _begin_step(self, call: Callable[[], Step]) -> None:
        if not self._in_burst:
            self._in_burst = True
            self.manifest.begin_burst()
        self.watches.hold()
        self._give(call)

    def _give(self, call: Callable[[], object]) -> None:
        self._is_running = True
        self._worker.give(call)

    def _end_step(self, step: Step, now: int) -> None:
        step.flapping = [self.watched[index] for index in self.schedule.end_step(step.events, now)]
        self.watches.release([((self.watched[each.index], each.child), each) for each in step.seen])
        for index, event in step.events:
            if event.changed or event.failed:
                self._active_at = now
            if index is not None and not (event.failed or event.skipped):
                self._remove_needless(index)
        self._unsaved_since = self._unsaved_since or now
        self._save_at = min(now + _SAVE_AFTER, self._unsaved_since + _SAVE_AT_LEAST)
        if self._is_first:
            self._is_first = False
            indexes = (index for index, _event in step.events)
            managed = [self.watched[index] for index in indexes if index is not None]
            for each in managed:
                each.checks += 1
            self._unmanaged = set(self.watched).difference(managed)

    def _remove_needless(self, index: int) -> None:
        """Remove the watches of children that the child manifest no longer declares."""
        each = self.watched[index]
        gone = each.children - each.needed
        each.former = set()
        if gone:
            self.watches.remove([(each, name) for name in gone])
            for name in gone:
                self.schedule.unrelate(index, name)
            self.manifest.forget((), gone)

    def _watch_more(self, index: int, sources: Sources) -> None:
        """Watch more for a resource that the other thread manages, which waits until it is watched; see WatchMore."""
        each = self.watched[index]
        each.needed.add(sources.child)
        key, is_child, follows = (each, sources.child), bool(sources.child), each.settings.follows_changes
        known = each.related.get(sources.child)
        is_known = not is_child or (known is not None and known.relations == sources.relations)
        if not (is_known and (self.watches.has(key, sources, only=is_child) or not follows)):
            if sources.events and follows and self.watches.lacks_events(key, sources.events):
                self._worker.ask(partial(self.watches.end_events, key))
                sources.events.open()
            self._worker.ask(partial(self._add, index, sources))

    def _add(self, index: int, sources: Sources) -> None:
        if sources.child:
            self.schedule.relate(index, sources)
        each = self.watched[index]
        if each.settings.follows_changes:
            self.watches.add((each, sources.child), sources, only=bool(sources.child))
            if sources.is_late:
                self.schedule.change(index, monotonic_ns(), child=sources.child)

    def _act_on_interruptions(self) -> None:
        if self._commands.is_interrupted:
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
            self._active_at = now
            self._reading_time.change(now)

    def _arm(self) -> None:
        """Watch the resources that are new."""
        unarmed, self._unarmed = self._unarmed, []
        for index, sources in unarmed:
            if self.watched[index].settings.follows_changes:
                self._add(index, sources)

    def _watch_manifest(self) -> None:
        sources = self._manifest_sources()
        self.watches.add(_MANIFEST, sources, only=True)
        self.watches.renew([_MANIFEST])
        if self._late.are_new(sources, self._begun):
            self._reading_time.change(monotonic_ns())

    def _adopt(self, unchanged: dict[str, Watched]) -> list[tuple[int, Sources]]:
        """Use the resources of the manifest, with the history of `unchanged` ones.

        Return the indexes of the others, with what to watch for them.
        """
        former = {each.resource.names[0]: each for each in self.watched}
        new = []
        self.watched = []
        for index, (each, sources) in enumerate(self.manifest.watched(self._watch_more)):
            name = each.resource.names[0]
            old = unchanged.get(name)
            if old is None:
                if name in former:
                    # A refresh that failed is owed to a resource that is declared in another way, too.
                    each.notified |= {(child, by) for child, by in former[name].notified if not child}
                    each.former = former[name].children
                new.append((index, sources))
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
        self._watch_manifest()

    def _replace(self, manifest: WatchedManifest, now: int) -> None:
        """Go on with a manifest that was read again."""
        has_other_values = manifest.values != self.manifest.values
        self.manifest = manifest
        before = {each.resource.names[0]: each.resource for each in self.watched}
        unchanged = {each.resource.names[0]: each for each in self.watched if manifest.has_same(each.resource)}
        gone = [each for each in self.watched if each.resource.names[0] not in unchanged]
        self._unarmed = self._adopt(unchanged)
        new = [index for index, _sources in self._unarmed]
        self.watches.remove(_keys_of(gone))
        self._watch_manifest()
        self._arm()
        for index in new:
            self.schedule.check(index, now)
        self._rewatch({*range(len(self.watched))}.difference(new), now)
        left = {each.resource.names[0] for each in self.watched}
        removed = [before[name] for name in before.keys() - left]
        children = {name for each in gone if each.resource.names[0] not in left for name in each.children}
        manifest.forget(removed, children)
        manifest.place_events()
        lost = {name for resource in removed for name in resource.names}
        for index, each in enumerate(self.watched):
            related = [name for sources in each.related.values() for name in (*sources.notified_by, *sources.requires)]
            if not lost.isdisjoint(related) or (has_other_values and manifest.may_use_values(each.resource)):
                self.schedule.check(index, now, checks_only=True)
        counts = {"resources": len(self.watched), "changed": len(new), "removed": len(removed)}
        self._report.info("The manifest was read again", **counts)
        if removed:
            self._begin_step(manifest.undo_step)


def _keys_of(watched: Iterable[Watched]) -> Iterator[Key]:
    """Yield the keys of resources and of their children."""
    return ((each, child) for each in watched for child in each.related)
