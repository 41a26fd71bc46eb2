# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm watch`: sleeps until something happens, and has repaired what that concerns (docs/watch.md).

The watcher is in the thread of its loop. Resources are managed in another one, one step after the other; what happens
meanwhile is noted, and looked at after the step.
"""

from __future__ import annotations

import threading
from functools import partial
from queue import SimpleQueue
from signal import SIGKILL
from time import monotonic_ns

from ...model.errors import CCMError
from ..graph.references import names_of
from ..interruptions import Interruptions
from .keys import Keys
from .schedule import PERIOD, SECOND, schedule_of
from .settings import ALERT, OFF
from .watches import Watches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Protocol, Sequence

    from ...host.event_loop import EventLoop
    from ...host.threads import Threads
    from ...model.log import Log
    from .program import Program, Sources, Step
    from .schedule import Watched
    from .watches import OpenUnits

    class Front(Protocol):
        """What the front end does at some moments; none of it may raise anything but CCMError and HostError."""

        def load(self) -> Program: ...

        def reload_paths(self) -> Sequence[str]: ...

        def reload_trees(self) -> Sequence[str]: ...

        def burst_begins(self) -> None: ...

        def step_ended(self, watcher: Watcher, step: Step) -> None: ...

        def bursts_ended(self, watcher: Watcher) -> None: ...

        def flapping(self, watched: Watched, seconds: int) -> None: ...

        def is_ready(self) -> None: ...

        def reloading(self) -> None: ...


#: The keys of what the manifest is made from, one after the other: each is watched before the other one is not.
_MANIFEST = (-1, -2)
#: How long to wait for more changes of a manifest, which editors write in several steps, in ns.
_RELOAD_SETTLE = SECOND // 20
#: How long after a burst what was reached is saved, and how long after it at most when others follow, in ns.
_SAVE_AFTER, _SAVE_AT_LEAST = SECOND, 10 * SECOND
#: How long to wait at the end for commands that were killed, in ns.
_FAREWELL = 2 * SECOND


class Watcher:
    """Watches the resources of a manifest until it `is_ending`.

    It ends after `exit_converged` ns in which nothing changed, and after `max_runtime` ns, 0 for never.
    """

    def __init__(
        self,
        program: Program,
        front: Front,
        loop: EventLoop,
        threads: Threads,
        report: Log,
        *,
        exit_converged: int = 0,
        max_runtime: int = 0,
        open_units: OpenUnits | None = None,
    ) -> None:
        self._front = front
        self._loop = loop
        self._threads = threads
        self._report = report
        self._exit_converged = exit_converged
        self._max_runtime = max_runtime
        self._interruptions = Interruptions(threads, report)
        self._interrupted = 0
        self.watches = Watches(loop, self._changed, report, open_units)
        self.program = program
        self.watched: list[Watched] = []
        self._keys = Keys()
        self._manifest_key = _MANIFEST[1]
        # Places that fail_on_error kept from being managed in the first step.
        self._unmanaged: set[int] = set()
        self._adopt(self.program.watched(), {})
        self._given: SimpleQueue[Callable[[], Step] | None] = SimpleQueue()
        self._asked: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._results: SimpleQueue[Step | BaseException] = SimpleQueue()
        self._running: list[int] | None = None
        self._in_burst = False
        self._save_at: int | None = None
        self._unsaved_since: int | None = None
        self._reload_at: int | None = None
        self._active_at = monotonic_ns()
        self._is_first = True
        self.is_ending = False
        self.is_converged = False

    def run(self) -> None:
        """Manage all resources once, then those that change, until the end. Raises what a step raises."""
        begin = monotonic_ns()
        self._watch_manifest()
        for place in range(len(self.watched)):
            self._arm(place)
        threading.Thread(target=self._work, daemon=True).start()
        self._begin_step(None, self.program.first_step)
        try:
            while not (self.is_ending and self._running is None):
                self._loop.sleep(self._next_time(begin))
                self._act_on_interruptions()
                self._do_what_is_asked()
                self._take_result()
                now = monotonic_ns()
                if self._max_runtime and now - begin >= self._max_runtime:
                    self.is_ending = True
                if self._running is None and not self.is_ending:
                    self._go_on(now)
        finally:
            self._end_worker()
            self._front.bursts_ended(self)
            self.watches.close()
            self.program.save()

    def _end_worker(self) -> None:
        """End the thread that manages resources: when it must end early, its commands are killed, if they may be."""
        self._given.put(None)
        if self._running is None:
            return
        self._threads.is_interrupted = True
        end = monotonic_ns() + _FAREWELL
        while self._results.empty() and (self._threads.must_be_waited_for or monotonic_ns() < end):
            self._do_what_is_asked()
            self._threads.signal_commands(SIGKILL)
            self._loop.sleep(monotonic_ns() + SECOND // 10)

    def interrupt(self) -> None:
        """Note an interruption. A handler of signals may call it."""
        self._interrupted += 1
        self._threads.is_interrupted = True
        self._loop.wake()

    def reload(self) -> None:
        """Have the manifest read again. A handler of signals may call it."""
        self._reload_at = 0
        self._loop.wake()

    @property
    def failing(self) -> list[Watched]:
        """The resources that failed, or wait for one that did."""
        return [each for each in self.watched if each.is_blocking]

    @property
    def _is_settled(self) -> bool:
        return self.schedule.is_settled and not self.failing

    def _next_time(self, begin: int) -> int | None:
        times = [begin + self._max_runtime] if self._max_runtime and not self.is_ending else []
        if self._running is None:
            wanted = (self.schedule.next_time(), self._save_at, self._reload_at)
            times += [each for each in wanted if each is not None]
            if self._exit_converged and self._is_settled:
                times.append(self._active_at + self._exit_converged)
        return min(times, default=None)

    def _go_on(self, now: int) -> None:
        """Do what is to be done next: read the manifest again, manage what is due, or save what was reached."""
        if self._reload_at is not None and now >= self._reload_at:
            self._reload_at = None
            self._reload(now)
        if self._running is not None:
            return
        if self._unmanaged and not self.failing:
            for place in self._unmanaged:
                self.schedule.check(place, now)
            self._unmanaged = set()
        due = self.schedule.due(now)
        if due:
            self._manage(due, now)
            return
        if self._in_burst:
            self._in_burst = False
            self._unsaved_since = self._unsaved_since or now
            self._save_at = min(now + _SAVE_AFTER, self._unsaved_since + _SAVE_AT_LEAST)
        if self._save_at is not None and now >= self._save_at:
            self._save_at = self._unsaved_since = None
            self.program.save()
            self._front.bursts_ended(self)
        if self._exit_converged and now - self._active_at >= self._exit_converged and self._is_settled:
            self.is_converged = self.is_ending = True

    def _manage(self, due: list[int], now: int) -> None:
        ready = self.program.ready(due)
        is_noop = self.watched[ready[0]].settings.mode == ALERT
        places = [place for place in ready if (self.watched[place].settings.mode == ALERT) == is_noop]
        watched = [self.watched[place] for place in places]
        refreshed = frozenset(each.resource.reference for each in watched if each.notified_by).union(
            *(each.notified_below for each in watched)
        )
        checks_only = frozenset(place for place in places if self.watched[place].checks_only)
        for each in watched:
            each.begin(now)
        self._begin_step(places, partial(self.program.step, places, refreshed, checks_only, noop=is_noop))

    def _begin_step(self, places: list[int] | None, call: Callable[[], Step]) -> None:
        if not self._in_burst:
            self._in_burst = True
            self._front.burst_begins()
        self._running = list(range(len(self.watched))) if places is None else places
        self._given.put(call)

    def _work(self) -> None:
        while True:
            call = self._given.get()
            if call is None:
                return
            outcome: Step | BaseException
            try:
                outcome = call()
            except BaseException as error:
                outcome = error
            self._results.put(outcome)
            self._loop.wake()

    def _take_result(self) -> None:
        if self._results.empty():
            return
        step, self._running = self._results.get(), None
        if isinstance(step, BaseException):
            self.is_ending = True
            raise step
        now = monotonic_ns()
        ended = {
            place: at
            for at, (place, event) in enumerate(step.events)
            if not (event.failed or event.skipped or event.noop)
        }
        for at, (place, event) in enumerate(step.events):
            if event.changed or event.failed:
                self._active_at = now

            def is_done(other: int, at: int = at) -> bool:
                return ended.get(other, -1) > at

            if place is None:
                self.schedule.follow(event, now, is_done)
                continue
            if self.schedule.end(place, event, now, is_done):
                self._front.flapping(self.watched[place], PERIOD // SECOND)
            if not (event.failed or event.skipped):
                self.watches.remove(self._keys.remove_needless(self.watched[place].key))
        self._keys.end_step()
        self._front.step_ended(self, step)
        if self._is_first:
            self._is_first = False
            for place, _event in step.events:
                if place is not None:
                    self.watched[place].checks += 1
            self._unmanaged = set(range(len(self.watched))) - {
                place for place, _event in step.events if place is not None
            }
            self._front.is_ready()

    def _watch_more(self, place: int, sources: Sources, is_late: bool) -> None:
        """Watch more for a resource that another thread manages, which waits for that; see WatchMore."""
        each = self.watched[place]
        if not self._is_watched(each):
            return
        key = self._keys.need(each.key, sources.below)
        if key is not None and self.watches.has(key, sources):
            return
        done = threading.Event()

        def add() -> None:
            try:
                self.watches.add(self._keys.make(each.key, sources.below), sources)
                if is_late:
                    self.schedule.change(place, monotonic_ns(), below=sources.below)
            finally:
                done.set()

        self._asked.put(add)
        self._loop.wake()
        done.wait()

    def how(self, each: Watched) -> list[str]:
        """Return what is watched for a resource, and for those of the manifest that it applies, in words."""
        return sorted({text for key in self._keys.all_of(each.key) for text in self.watches.how(key)})

    def _do_what_is_asked(self) -> None:
        while not self._asked.empty():
            self._asked.get()()

    def _act_on_interruptions(self) -> None:
        while self._interrupted:
            self._interrupted -= 1
            if self._running is None:
                self._report.info("Interrupted")
            else:
                self._interruptions.act()
            self.is_ending = True

    def _changed(self, key: int, settle: int, because_of: str, checks_only: bool) -> None:
        now = monotonic_ns()
        if key in _MANIFEST:
            self._reload_at = now + _RELOAD_SETTLE
            return
        place, below = self._keys.place_of(key)
        if place is not None:
            if not checks_only:
                self._active_at = now
            self.schedule.change(place, now, settle=settle, because_of=because_of, below=below, checks_only=checks_only)

    def _arm(self, place: int) -> None:
        each = self.watched[place]
        if self._is_watched(each):
            sources = self.program.sources(each.resource)
            self.watches.add(self._keys.make(each.key, sources.below), sources)

    def _is_watched(self, each: Watched) -> bool:
        settings = each.settings
        return settings.mode != OFF and not settings.poll and not settings.is_once

    def _watch_manifest(self) -> None:
        self._manifest_key, former = _MANIFEST if self._manifest_key == _MANIFEST[1] else _MANIFEST[::-1]
        self.watches.add_paths(self._manifest_key, self._front.reload_paths(), self._front.reload_trees())
        self.watches.remove((former,))

    def _adopt(self, watched: list[Watched], kept: dict[str, Watched]) -> list[int]:
        """Take over the resources of a program, what is known of those that are `kept`; return the places of others."""
        self.program.watch_more = self._watch_more
        new = []
        self.watched = []
        for place, each in enumerate(watched):
            old = kept.get(each.resource.reference)
            if old is None:
                each.key = self._keys.new()
                new.append(place)
            else:
                old.resource = each.resource
                each = old
            self.watched.append(each)
        self._keys.set_places(each.key for each in self.watched)
        self.schedule = schedule_of(self.program, self.watched)
        return new

    def _reload(self, now: int) -> None:
        """Read the manifest again; one that is wrong leaves the current one at work."""
        self._front.reloading()
        try:
            program = self._front.load()
        except CCMError as error:
            about = {"place": str(error.position) if error.position else "", "advice": error.advice}
            given = {name: text for name, text in about.items() if text}
            self._report.error("The manifest is not used, the one before stays at work", reason=str(error), **given)
            self._front.is_ready()
            self._watch_manifest()
            return
        has_other_values = program.values != self.program.values
        self.program = program
        before = {each.resource.reference: each.resource for each in self.watched}
        kept = {each.resource.reference: each for each in self.watched if program.has_same(each.resource)}
        gone = [each.key for each in self.watched if each.resource.reference not in kept]
        new = self._adopt(program.watched(), kept)
        self.watches.remove(self._keys.remove(gone))
        self._watch_manifest()
        for place in new:
            self._arm(place)
            self.schedule.check(place, now)
        removed = [before[name] for name in before.keys() - {each.resource.reference for each in self.watched}]
        program.forget(removed)
        lost = {name for resource in removed for name in names_of(resource)}
        for place, each in enumerate(self.watched):
            named = lost and not lost.isdisjoint((*program.notified(place), *program.required(place)))
            if named or (has_other_values and program.may_use_values(each.resource)):
                self.schedule.check(place, now, checks_only=True)
        counts = {"resources": len(self.watched), "changed": len(new), "removed": len(removed)}
        self._report.info("The manifest was read again", **counts)
        self._front.is_ready()
        if removed:
            self._begin_step([], program.undo_step)
