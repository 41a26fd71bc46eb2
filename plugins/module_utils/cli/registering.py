# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`--register`: publishes the registrations of resources that are well in NATS (behaviour.md 18)."""

from __future__ import annotations

from threading import Condition
from time import monotonic

from ..engine.registered import registered_by
from ..engine.sink import Sink
from ..host.threads import start_thread
from ..lang.durations import parse
from ..lang.spans import format_go
from ..model.errors import CCMError
from ..model.registration import NEVER
from ..nats.errors import NatsError, NatsUnreachable
from ..nats.registrations import is_longer, longest_ttl, publish, subject_of
from .console import Console
from .outage import Outage
from .run import nats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread
    from typing import Callable, Sequence

    from ..model.event import Event
    from ..model.flags import Values
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.values import Registration
    from ..nats.access import NatsAccess

    Run = Callable[[Sequence[Sink]], int]

_SECOND = 1_000_000_000
#: Seconds before the next try after NATS did not answer, or refused an entry.
_PAUSE = 5.0


class Registering(Sink):
    """Knows the registrations of resources that are well; a resource that no longer is has none."""

    def __init__(self, nats: NatsAccess, log: Log) -> None:
        self._nats = nats
        self._log = log
        self._changed = Condition()
        self._of_resource: dict[tuple[str, str, str], list[Registration]] = {}
        # The maximum age of the stream in ns, once it was asked for, and the entries that live longer.
        self._age: int | None = None
        self._noted: set[str] = set()

    def finished(self, event: Event) -> None:
        """Take the registrations of a resource, or drop them."""
        key = (event.parent.name if event.parent else "", event.type, event.name)
        entries = registered_by(event)
        with self._changed:
            if entries:
                self._of_resource[key] = entries
                self.taken(entries)
            elif self._of_resource:
                self._of_resource.pop(key, None)

    def taken(self, entries: Sequence[Registration]) -> None:
        """Note that a resource with registrations is well."""

    def entries(self) -> list[Registration]:
        """Return the entries to publish, each subject once."""
        with self._changed:
            found = {subject_of(entry): entry for entries in self._of_resource.values() for entry in entries}
            return list(found.values())

    def publish(self, entry: Registration) -> None:
        """Publish one. Raises NatsError."""
        client = self._nats.client()
        publish(client, entry, self._nats.stream)
        self._log.info("Registration published", subject=subject_of(entry), ttl=entry["ttl"] or "")
        if not entry["ttl"] or subject_of(entry) in self._noted:
            return
        if self._age is None:
            self._age = longest_ttl(client, self._nats.stream)
        self._noted.add(subject_of(entry))
        note_age(self._log.warn, entry, self._age)


def note_age(note: Callable[..., None], entry: Registration, age: int) -> None:
    """Note an entry whose ttl is longer than the maximum age of its stream, in ns (decisions.md Q72)."""
    if is_longer(entry, age):
        text = "The stream removes the entry before its ttl is over"
        note(text, subject=subject_of(entry), ttl=entry["ttl"], max_age=format_go(age))


def with_registrations(values: Values, run: Run) -> Run:
    """Return a run that publishes registrations at its end. Raises CCMError where an entry could not be published."""

    def registering(sinks: Sequence[Sink]) -> int:
        log = Console(values).log
        sink = Registering(nats_of(values), log)
        status = run((*sinks, sink))
        faults = []
        for entry in sink.entries():
            try:
                sink.publish(entry)
            except NatsError as error:
                faults.append(f"{subject_of(entry)}: {error}")
                if isinstance(error, NatsUnreachable):
                    break
        if faults:
            raise CCMError(f"could not publish a registration: {faults[0]}")
        return status

    return registering


class KeepRegistered(Registering):
    """Publishes in a thread of its own, as soon as a resource is well, and again at half of each ttl."""

    def __init__(self, nats: NatsAccess, log: Log) -> None:
        super().__init__(nats, log)
        # When the entry of a subject is published next, as `monotonic` counts.
        self._due: dict[str, float] = {}
        # The manifest that applies another one, by the names of both.
        self._appliers: dict[str, str] = {}
        self._thread: Thread | None = None
        self._ended = False
        self._outage = Outage()
        # The subjects whose entries could not be published when they were last due.
        self._failing: set[str] = set()

    def finished(self, event: Event) -> None:
        """Take the registrations of a resource, or drop them."""
        if event.parent:
            with self._changed:
                self._appliers[event.name] = event.parent.name
        super().finished(event)

    def taken(self, entries: Sequence[Registration]) -> None:
        """Have them published now."""
        now = monotonic()
        self._due.update({subject_of(entry): now for entry in entries})
        self._changed.notify_all()
        if self._thread is None:
            self._thread = start_thread(self._work)

    def restrict(self, resources: Sequence[Resource]) -> None:
        """Drop the registrations of resources that a manifest, read again, has no more."""
        names = {(each.type.name, each.properties.name) for each in resources}
        appliers = {name for _type, name in names}
        with self._changed:
            for key in list(self._of_resource):
                if not (self._is_below(key[0], appliers) if key[0] else key[1:] in names):
                    del self._of_resource[key]

    def _is_below(self, applier: str, names: set[str]) -> bool:
        seen: set[str] = set()
        while applier and applier not in seen:
            if applier in names:
                return True
            seen.add(applier)
            applier = self._appliers.get(applier, "")
        return False

    def close(self) -> None:
        """Publish nothing more; the entries end with their ttl."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                entry = None
                while not self._ended and entry is None:
                    entry = self._next()
                if self._ended or entry is None:
                    return
                self._due.pop(subject_of(entry))
            self._publish_and_plan(entry)

    def _next(self) -> Registration | None:
        """Return the next entry if it is due, None after waiting for it. The lock is held."""
        entries = {subject_of(entry): entry for found in self._of_resource.values() for entry in found}
        self._due = {subject: at for subject, at in self._due.items() if subject in entries}
        self._failing.intersection_update(entries)
        subject = min(self._due, key=lambda each: self._due[each], default="")
        left = self._due[subject] - monotonic() if subject else None
        if left is None or left > 0:
            self._changed.wait(left)
            return None
        return entries[subject]

    def _publish_and_plan(self, entry: Registration) -> None:
        ttl, pause, subject = entry["ttl"], _PAUSE, subject_of(entry)
        try:
            self.publish(entry)
            reason = ""
            self._failing.discard(subject)
            pause = 0.0 if ttl is None or ttl == NEVER else parse(ttl) / 2 / _SECOND
        except NatsError as error:
            reason = str(error)
            self._failing.add(subject)
            if isinstance(error, NatsUnreachable):
                self._postpone(monotonic() + _PAUSE)
        if self._outage.is_new(reason):
            self._log.error("Registrations are not published for now", error=f"{subject}: {reason}")
        elif not self._failing and self._outage.is_over(reason):
            self._log.warn("Registrations are published again")
        with self._changed:
            # A newer one of this subject is due already.
            if pause:
                self._due.setdefault(subject, monotonic() + pause)

    def _postpone(self, moment: float) -> None:
        with self._changed:
            self._due = {subject: max(at, moment) for subject, at in self._due.items()}
