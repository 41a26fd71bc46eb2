# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The loop of `ccm watch` and `ccm apply --until-converged`: run a manifest, then repair what changes.

It calls manifest/watching.py, and shows the results (docs/architecture.md, Watching).
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import contextmanager
from time import monotonic_ns

from ..data.factfiles import fact_directories, given_facts, read_fact_files
from ..engine import failures as _failures  # noqa: F401 - loaded now: may be needed when no file can be opened
from ..engine.between_runs import StateBetweenRuns
from ..engine.context import Context
from ..engine.event_log import log_event
from ..engine.prerequisites import require_runnable
from ..engine.session import Session
from ..engine.session_directory import DirectorySession
from ..engine.watching.schedule import PERIOD, SECOND
from ..engine.watching.step import Sources, Step
from ..engine.watching.watch_session import WatchSession
from ..host import command_errors as _command_errors  # noqa: F401 - loaded now, as failures
from ..host.event_loop import EventLoop
from ..host.given_up import waits_for_call
from ..host.links import steps_of_links
from ..host.machine import OF_THREAD
from ..host.running_commands import RunningCommands
from ..host.service_manager import READY, STOPPING, WATCHDOG, ServiceManager
from ..host.units_watched import open_units
from ..lang.controls import in_json
from ..lang.go.json import marshal
from ..manifest.manifest_files import Reading
from ..manifest.reader import read_manifest
from ..manifest.run import RunInterrupted
from ..manifest.source import fetch_manifest
from ..manifest.watch_run import WatchedManifest
from ..manifest.watch_treatment import Remembered
from ..manifest.watching import END, READ, SAVE, Watching
from ..model.errors import CCMError
from ..model.log import BoundLog
from .run import followed, note_registrations
from .state_flags import states_of
from .watch_status import WatchStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator, Sequence

    from ..engine.around import Around
    from ..engine.sink import Sink
    from ..engine.watching.schedule import Watched
    from ..manifest.loader import Inputs
    from ..manifest.manifest import Manifest
    from ..manifest.source import ManifestText
    from ..model.event import Event
    from ..model.flags import Values
    from ..model.resource import Resource
    from ..model.values import Data
    from .console import Console

_INTERRUPTED = 130
#: How long after `--max-runtime` what runs then is ended, in ns.
_FAREWELL = 1_000_000_000
_FLAPPING = "io.choria.ccm.v1.watch.flapping"


def apply_until_converged(
    manifest: Manifest,
    values: Values,
    console: Console,
    inputs: Callable[[], Inputs],
    sinks: Sequence[Sink],
    quiet: int,
) -> Session:
    """Apply a manifest and repair what changes until nothing did for `quiet` ns; return what became of each resource.

    `inputs` returns what the manifest is resolved with when it is read again. Raises RunInterrupted after Ctrl-C.
    """
    results = Results()
    if Watch(values, console, inputs, (results, *sinks), manifest=manifest).run(quiet, 0) == _INTERRUPTED:
        raise RunInterrupted
    return results


class Results(Session):
    """The last event of each resource, and in place of one without a change the last one with a change."""

    def __init__(self) -> None:
        super().__init__()
        self.start()

    def remember(self, event: Event) -> None:
        """Keep an event of a resource in place of an earlier event with less information."""
        last = self.last_events().get(self.key(event.type, event.name))
        if last is None or event.changed or event.failed or last.failed or last.skipped:
            super().remember(event)

    def events(self) -> list[Event]:
        """Return one event of each resource."""
        with self._lock:
            return list({id(event): event for event in self.last_events().values()}.values())


class Watch:
    """The loop, and the front end: logs, session, events, status file, and the service manager."""

    def __init__(
        self,
        values: Values,
        console: Console,
        inputs: Callable[[], Inputs],
        sinks: Sequence[Sink] = (),
        *,
        manifest: Manifest | None = None,
        shows_events: bool = False,
        status_file: str = "",
        loaded: Callable[[Sequence[Resource]], None] = lambda _resources: None,
    ) -> None:
        self._values = values
        self._given = manifest
        self._is_apply = manifest is not None
        self._shows_events = shows_events
        self._console = console
        self._inputs = inputs
        self._sinks = sinks
        self._loaded = loaded
        self._commands = RunningCommands()
        self._session = WatchSession(self._open_session if values.session else None, console.user_log)
        self._state: StateBetweenRuns | None = None
        self._unrecorded: Around | None = None
        self._has_state = False
        self._directory = os.getcwd()
        self._files: list[str] = []
        # The files that made the manifest wrong when it was read again.
        self._files_at_fault: list[str] = []
        self._remembered = Remembered()
        self._fetched: list[ManifestText] = []
        self._manager = ServiceManager(os.environ, os.getpid())
        self._status = WatchStatus(status_file, values.manifest, console.user_log)
        # When all must have ended, in ns of the monotonic clock; the thread of the loop calls methods of types, too.
        self._deadline: int | None = None
        self._interrupted = False
        self._is_first = True

    def run(self, exit_converged: int | None, max_runtime: int) -> int:
        """Watch until the end; return the exit status. What ends it is set by the manifest when it is None."""
        # Other commands end before it is needed.
        gc.enable()
        self._deadline = monotonic_ns() + max_runtime + _FAREWELL if max_runtime else None
        OF_THREAD.deadline = self._deadline
        try:
            return self._watch(exit_converged, max_runtime)
        finally:
            OF_THREAD.deadline = None

    def _watch(self, exit_converged: int | None, max_runtime: int) -> int:
        nats = followed(self._values, self._console.user_log)
        manifest = self.load()
        if exit_converged is None:
            exit_converged = 0 if self._values.noop else manifest.manifest.converged
        loop = EventLoop(self._console.user_log.write_out)
        try:
            watching = Watching(
                manifest,
                self._manifest_sources,
                loop,
                self._commands,
                self._console.user_log,
                exit_converged=exit_converged,
                max_runtime=max_runtime,
                open_units=open_units(self._console.user_log),
            )
            self._keep_alive(loop)
            if nats:
                nats.watch(loop, watching.read_again)
            try:
                with self._signals(watching):
                    self._run(watching)
            except KeyboardInterrupt:
                # SIGTERM raises it, too.
                if self._interrupted:
                    raise
        finally:
            if nats:
                nats.close()
            loop.close()
            self._remove_fetched()
            self._manager.report(STOPPING)
        if self._interrupted:
            return _INTERRUPTED
        if exit_converged and not watching.is_converged:
            names = [each.resource.reference for each in watching.failing]
            reason = ", ".join(names) if names else "nothing fails, but something changed again and again"
            raise CCMError(f"it did not converge in time: {reason}")
        return 0

    def _run(self, watching: Watching) -> None:
        """Manage all resources once, then changed resources, until the end. Raises the errors of a step."""
        watching.begin()
        try:
            while (work := watching.go_on()) != END:
                if work == READ:
                    self._manager.reloading()
                    watching.read(self.load)
                elif work == SAVE:
                    self._save(watching)
                else:
                    self._console.user_log.write_out()
                    done = watching.wait()
                    if isinstance(done, Step):
                        self._show(watching, done)
                    elif isinstance(done, Reading):
                        self._end_reading()
        finally:
            watching.end()
            self._status.write(watching)
            watching.close()

    def _save(self, watching: Watching) -> None:
        watching.save()
        self._status.write(watching)
        gc.collect()

    def load(self) -> WatchedManifest:
        """Return the manifest as it is now. Raises CCMError."""
        manifest, self._given = self._given, None
        if manifest:
            return self._watched(manifest)
        self._files_at_fault = []
        try:
            self._require_files()
            inputs = self._inputs()
            text = fetch_manifest(self._values.manifest, self._console.user_log, inputs.nats)
            try:
                watched = self._watched(read_manifest(text.text, text.name, text.directory, inputs))
            except BaseException:
                text.remove_temporary()
                raise
        except CCMError as error:
            self._files_at_fault = list(error.files)
            if error.position:
                # It may be named as in the manifest.
                directory, file = os.path.dirname(self._values.manifest), error.position.file
                self._files_at_fault += [file, os.path.join(directory, file)]
            raise
        text.announce()
        self._fetched.append(text)
        return watched

    def _watched(self, manifest: Manifest) -> WatchedManifest:
        values, console = self._values, self._console
        if not self._has_state:
            self._has_state = True
            self._state, self._unrecorded = states_of(
                manifest, values, console.user_log, no_state=values.no_state, writes=not values.noop
            )
        # A manifest has a state between runs only when it can run.
        for resource in manifest.resources:
            require_runnable(resource)
        watched = WatchedManifest(
            manifest,
            self._session,
            Context(noop=values.noop, log=console.log, user_log=console.user_log, child_sinks=self._sinks),
            state=self._state,
            unrecorded=self._unrecorded,
            commands=self._commands,
            facts=(given_facts(values.fact, values.facts), read_fact_files()),
            remembered=self._remembered,
            deadline=self._deadline,
        )
        if self._is_first:
            watched.announce()
            note_registrations(manifest, values, console.log)
        self._loaded(manifest.resources)
        self._files = list(manifest.files)
        return watched

    def _require_files(self) -> None:
        """Raise CCMError for what was a file, and is something now that reading would wait for."""
        values = self._values
        for path in (values.manifest, values.hiera, values.facts) if self._has_state else ():
            if path and os.path.exists(path) and not os.path.isfile(path):
                raise CCMError(f"{path} is not a regular file", value=path)

    def _remove_fetched(self, keep: int = 0) -> None:
        """Remove the directories of manifests that were fetched, but for the last ones."""
        while len(self._fetched) > keep:
            self._fetched.pop(0).remove_temporary()

    def _manifest_sources(self) -> Sources:
        """Return the files that the manifest is made from, and the directories with the facts of this machine."""
        values = self._values
        given = [path for path in (values.manifest, values.hiera) if "://" not in path]
        if values.read_env:
            given.append(".env")
        files = (*given, values.facts, *self._files, *self._files_at_fault)
        paths = [os.path.join(self._directory, path) for path in files if path]
        return Sources(
            paths=sorted({step for path in paths for step in steps_of_links(path)}),
            trees=[directory for directory in fact_directories() if os.path.isabs(directory)],
        )

    def _show(self, watching: Watching, step: Step) -> None:
        """Show the events of a step, and the resources that begin to flap."""
        self._status.note(step)
        for each in step.flapping:
            self._show_flapping(each)
        log = self._console.user_log
        for _place, event in step.events:
            is_settled = self._is_settled_again(event)
            if is_settled and not event.changed and not event.refreshed:
                log_event(event, BoundLog(log, manifest=event.parent.name) if event.parent else log)
            is_news = event.changed or event.failed or event.skipped or event.refreshed
            if self._shows_events and (self._is_first or is_settled or is_news):
                self._print(event.as_dict())
        if self._is_first:
            self._is_first = False
            # What takes long is done before it says that it watches; what stays is no garbage later.
            self._save(watching)
            if not watching.is_ending:
                watching.manifest.prepare_step()
            gc.freeze()
            self._manager.report(READY)
            if not self._is_apply and not watching.is_ending:
                log.info("Watching for changes", resources=len(watching.watched))

    def _is_settled_again(self, event: Event) -> bool:
        """Return whether a resource is as it should be after it was reported otherwise."""
        key, reported = (event.parent.name if event.parent else "", event.type, event.name), self._remembered.reported
        if event.failed or event.skipped or (event.noop and event.changed):
            reported.add(key)
            return False
        is_reported = key in reported
        reported.discard(key)
        return is_reported

    def _show_flapping(self, watched: Watched) -> None:
        """Say that a resource is repaired too often."""
        repairs, reference, seconds = len(watched.pace.repairs), watched.resource.reference, PERIOD // SECOND
        message = f"Flapping: repaired {repairs} times in {seconds} s, waiting longer before the next repairs"
        self._console.user_log.warn(message, resource=reference)
        if self._shows_events:
            self._print({"protocol": _FLAPPING, "resource": reference, "repairs": repairs, "seconds": seconds})

    def _end_reading(self) -> None:
        """Report to the service manager, and free the manifest before, which refers to itself."""
        self._manager.report(READY)
        self._remove_fetched(keep=1)
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def _print(self, record: Data) -> None:
        sys.stdout.write(in_json(marshal(record, sort_keys=False)) + "\n")

    def _open_session(self) -> Session:
        return DirectorySession(self._values.session)

    @contextmanager
    def _signals(self, watching: Watching) -> Iterator[None]:
        """Act on signals within `with`; a signal that was ignored when this process was started stays ignored."""

        def end(number: int, _frame: object) -> None:
            self._interrupted = self._interrupted or number == signal.SIGINT
            watching.interrupt()
            if waits_for_call():
                raise KeyboardInterrupt

        def reload(_number: int, _frame: object) -> None:
            watching.read_again()

        before = {}
        for number, handler in ((signal.SIGINT, end), (signal.SIGTERM, end), (signal.SIGHUP, reload)):
            if signal.getsignal(number) != signal.SIG_IGN or number == signal.SIGHUP:
                before[number] = signal.signal(number, handler)
        try:
            yield
        finally:
            for number, former in before.items():
                signal.signal(number, former)

    def _keep_alive(self, loop: EventLoop) -> None:
        seconds = self._manager.ping_seconds
        if seconds:

            def ping() -> None:
                self._manager.report(WATCHDOG)
                loop.call_after(seconds, ping)

            ping()
