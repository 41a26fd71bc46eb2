# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The life of an owed refresh: noted before its cause changes, struck off after it was made (docs/design/state.md).

`OwedRefreshes` are the refreshes of a run and of earlier runs; `ManifestRefreshes` say for one manifest of the run whom
a change affects, and note that on disk.
"""

from __future__ import annotations

from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...redaction.texts import without_text_secrets
from ..between_runs import KEY_SEPARATOR
from ..conditions import any_changed
from .records import Doubt, Owed, Settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterable, Iterator, Sequence

    from ...model.resource import Resource
    from ..attempt import Attempt
    from ..between_runs import ManifestState
    from ..session import Session
    from .ids import Ids
    from .records import Records
    from .running import RunningRuns


#: Ends the key of what the resources of an applied manifest are owed, as long as these are not known.
_ANY = "/*"


class OwedRefreshes:
    """The refreshes that earlier runs `left`, and the refreshes of this run; callers note the `records` of changes."""

    def __init__(self, left: Iterable[Owed], ids: Ids, running: RunningRuns) -> None:
        self._ids = ids
        self._running = running
        # By subscriber.
        self._earlier: dict[str, list[Owed]] = {}
        for owed in left:
            self._earlier.setdefault(owed.subscriber, []).append(owed)
        # By subscriber and cause, the notes of this run, and those whose cause failed.
        self._own: dict[str, dict[str, Owed]] = {}
        self._doubted: dict[str, dict[str, Owed]] = {}
        # The causes that changed in this run.
        self._changed: set[str] = set()
        # By subscriber, the ids of the earlier notes that its refresh makes up for.
        self._begun: dict[str, set[str]] = {}

    def go_on(self) -> None:
        """Begin the next step of a run that does not end: earlier notes do not count as notes of this step."""
        for notes in (self._own, self._doubted):
            for subscriber, own in notes.items():
                self._earlier.setdefault(subscriber, []).extend(own.values())
                for owed in own.values():
                    owed.is_of_this_run = True
            notes.clear()
        self._changed.clear()

    def add(self, left: Iterable[Owed]) -> None:
        """Add the refreshes that earlier runs left and that are not known yet."""
        known = {owed.id for notes in (self._own, self._doubted) for own in notes.values() for owed in own.values()}
        known.update(owed.id for listed in self._earlier.values() for owed in listed)
        for owed in left:
            if owed.id not in known:
                self._earlier.setdefault(owed.subscriber, []).append(owed)

    def earlier(self) -> list[Owed]:
        """Return the refreshes that are owed since earlier runs, but for runs that still run."""
        found = (each for listed in self._earlier.values() for each in listed)
        return [each for each in found if not self._running.has(each.id)]

    def begin(self, subscriber: str) -> list[Owed]:
        """Return the refreshes that a resource is owed since earlier runs.

        A refresh that begins now makes up for the notes of runs that ended; other runs may change their causes still.
        """
        found = self._earlier.get(subscriber, [])
        if found:
            self._begun[subscriber] = {owed.id for owed in found if not self._running.has(owed.id)}
        return found

    def owe(self, subscriber: str, cause: str, records: Records) -> None:
        """Note that a resource will be owed a refresh."""
        own = self._own.setdefault(subscriber, {})
        if cause not in own:
            since = [each.since for each in self._earlier.get(subscriber, ()) if each.cause == cause]
            owed = Owed(self._ids.new(), subscriber, cause, since[0] if since else timestamp())
            # A power failure that loses it leaves another one, because of which the resource is refreshed too.
            owed.is_synced = not own
            own[cause] = owed
            records.append(owed)

    def take_back(self, subscriber: str, cause: str, records: Records) -> None:
        """Strike off the refresh that was noted in this run because of `cause`, which changed nothing."""
        owed = self._withdrawn(subscriber, cause)
        if owed:
            self._append(Settled(owed.id), subscriber, records)

    def doubt(self, subscriber: str, cause: str, records: Records) -> None:
        """Note that it is not known whether `cause`, which failed, changed anything."""
        owed = self._withdrawn(subscriber, cause)
        if owed is None:
            return
        doubted, earlier = self._doubted.setdefault(subscriber, {}), self._earlier.get(subscriber, ())
        known = (each for each in earlier if each.is_doubtful and each.cause == cause)
        if cause in doubted or any(not self._running.has(each.id) for each in known):
            self._append(Settled(owed.id), subscriber, records)
        else:
            doubted[cause] = owed
            owed.is_doubtful = True
            self._append(Doubt(owed.id), subscriber, records)

    def confirm(self, causes: list[str]) -> None:
        """Remember that a resource was changed in this run."""
        self._changed.update(causes)

    def settle(self, subscriber: str, records: Records) -> None:
        """Strike off the refreshes that a resource was owed when its refresh began."""
        begun, earlier = self._begun.pop(subscriber, set()), self._earlier.get(subscriber, [])
        ids = [owed.id for owed in earlier if owed.id in begun]
        self._earlier[subscriber] = [owed for owed in earlier if owed.id not in begun]
        for notes in (self._own, self._doubted):
            ids += [owed.id for owed in notes.pop(subscriber, {}).values()]
        if ids:
            records.append(Settled(*ids))

    def take_over(self, any_child: str, affected_by: Callable[[str], Iterable[str]], records: Records) -> None:
        """Note the refreshes that are owed to any resource of a manifest for those that a cause affects."""
        for owed in self.begin(any_child):
            for subscriber in affected_by(owed.cause):
                listed = self._earlier.setdefault(subscriber, [])
                if not any((old.cause, old.is_doubtful) == (owed.cause, owed.is_doubtful) for old in listed):
                    listed.append(self._copied(owed, subscriber, records))
        for notes in (self._own, self._doubted):
            for owed in list(notes.get(any_child, {}).values()):
                for subscriber in affected_by(owed.cause):
                    known = notes.setdefault(subscriber, {})
                    if owed.cause not in known:
                        known[owed.cause] = self._copied(owed, subscriber, records)
        # A power failure may cut off the end: a refresh is owed under its new key before the old one is struck off.
        self.settle(any_child, records)

    def repeated(self) -> list[str]:
        """Return the ids of notes of earlier runs that notes of this run say again."""
        ids = []
        for subscriber, own in self._own.items():
            for owed in self._earlier.get(subscriber, ()):
                if owed.cause in own and owed.cause in self._changed and not self._running.has(owed.id):
                    ids.append(owed.id)
        return ids

    def _withdrawn(self, subscriber: str, cause: str) -> Owed | None:
        """Return the note of this run, which does not count any more; None where its cause changed before."""
        return None if cause in self._changed else self._own.get(subscriber, {}).pop(cause, None)

    def _append(self, record: Doubt | Settled, subscriber: str, records: Records) -> None:
        """Add a record that withdraws a note; other notes of the same resource must be on disk then."""
        record.is_synced = bool(self._own.get(subscriber))
        records.append(record)

    def _copied(self, owed: Owed, subscriber: str, records: Records) -> Owed:
        copy = Owed(self._ids.new(), subscriber, owed.cause, owed.since)
        copy.is_doubtful = owed.is_doubtful
        records.append(copy)
        if owed.is_doubtful:
            records.append(Doubt(copy.id))
        return copy


class ManifestRefreshes:
    """Whom changes of the resources of a manifest affect, and what these are owed; `state` is of the manifest.

    `note` writes records to disk.
    """

    def __init__(self, state: ManifestState, refreshes: OwedRefreshes, note: Callable[[Records], None]) -> None:
        self._state = state
        self._refreshes = refreshes
        self._note = note
        self._resources = resources = state.declaring.resources
        self._above = state.above.changes.refreshes if state.above else None
        self._known: dict[str, list[str]] | None = None
        self._hidden: dict[str, str] = {}
        # By the references of resources that change, their names as the causes of refreshes.
        self._causes: dict[str, list[str]] = {}
        self._applying = [each.reference for each in resources if each.type.applies_manifests]
        # Whether a change of a resource may owe a refresh to another one.
        self._may_refresh_others: bool = (
            state.may_refresh or bool(self._applying) or (self._above is not None and self._above._may_refresh_others)
        )

    def owe(self, resource: Resource, records: Records) -> None:
        """Add the records of the refreshes that are owed when a resource changes."""
        for cause, subscriber in self._affected(resource):
            self._refreshes.owe(subscriber, cause, records)

    def take_back(self, resource: Resource) -> None:
        """Strike off what was noted before a change that changed nothing."""
        self._note_each(resource, self._refreshes.take_back)

    def doubt(self, resource: Resource) -> None:
        """Note that it is not known whether a change, which failed, changed anything."""
        self._note_each(resource, self._refreshes.doubt)

    def _note_each(self, resource: Resource, change: Callable[[str, str, Records], None]) -> None:
        """Note a change of each refresh that is owed because of a resource."""
        records: Records = []
        for cause, subscriber in self._affected(resource):
            change(subscriber, cause, records)
        self._note(records)

    def confirm(self, resource: Resource) -> None:
        """Remember that a resource changed."""
        if self._may_refresh_others:
            self._refreshes.confirm(self._causes_of(resource))

    def settle(self, resource: Resource) -> None:
        """Strike off what a resource was owed, which was refreshed."""
        records: Records = []
        self._refreshes.settle(self._state.key(resource.reference), records)
        self._note(records)

    def owed(self, resource: Resource, subscribed: Sequence[str], session: Session | None) -> tuple[bool, str]:
        """Return whether a resource is owed a refresh that was not made, and since when and because of what.

        That is "" where an earlier step of this run owes it.
        """
        found = self._refreshes.begin(self._state.key(resource.reference))
        causes = self._shown(subscribed) if found else []
        for owed in found:
            if owed.cause in causes and not (owed.is_doubtful and _has_not_succeeded(owed.cause, session)):
                return True, "" if owed.is_of_this_run else f"since {owed.since} because of {owed.cause}"
        return False, ""

    def is_declared(self, owed: Owed) -> bool:
        """Return whether the manifest, or one below it, has the resource that is owed a refresh, or may have it."""
        for resource in self._resources:
            key = self._state.key(resource.reference)
            if owed.subscriber == key and owed.cause in self._shown(self._state.subscribed(resource)):
                return True
            if resource.type.applies_manifests and owed.subscriber.startswith((key + _ANY, key + KEY_SEPARATOR)):
                child = self._state.children.get(resource.reference)
                if child is None or child.changes.refreshes.is_declared(owed):
                    return True
        return False

    def take_over(self, applied_by: str) -> None:
        """Note a refresh that was owed to any resource of this manifest for the resources that it is for."""
        records: Records = []
        self._refreshes.take_over(applied_by + _ANY, self._affected_by, records)
        self._note(records)

    def _affected(self, resource: Resource) -> Iterator[tuple[str, str]]:
        """Yield whom a change of a resource affects: the cause, and the key of the other one."""
        if not self._may_refresh_others:
            return
        level: ManifestRefreshes | None = self
        inner, causes = resource.reference, self._causes_of(resource)
        while level is not None:
            for cause in causes:
                for key in level._affected_by(cause, inner):
                    yield cause, key
            inner = level._state.applied_by
            if level._above is not None:
                # What subscribes to what applies this manifest is refreshed too.
                for key in level._above._affected_by(inner, inner):
                    yield inner, key
            level = level._above

    def _affected_by(self, cause: str, inner: str = "") -> Iterator[str]:
        """Yield the keys of the resources of the manifest that subscribe to `cause`, and of manifests that may.

        `inner` is the resource that is, or applies, the cause.
        """
        for reference in self._subscribers().get(cause, ()):
            yield self._state.key(reference)
        for applying in self._applying:
            child = self._state.children.get(applying)
            if applying != inner and child:
                yield from child.changes.refreshes._affected_by(cause)
            elif applying != inner:
                yield self._state.key(applying) + _ANY

    def _causes_of(self, resource: Resource) -> list[str]:
        """Return the names of a resource as the cause of a refresh: its references without secrets."""
        causes = self._causes.get(resource.reference)
        if causes is None:
            causes = self._causes[resource.reference] = self._shown(resource.names)
        return causes

    def _shown(self, references: Sequence[str]) -> list[str]:
        """Return references without secrets."""
        hidden = self._hidden
        for reference in references:
            if reference not in hidden:
                hidden[reference] = without_text_secrets(reference)
        return [hidden[reference] for reference in references]

    def _subscribers(self) -> dict[str, list[str]]:
        """Return the references of subscribing resources of the manifest, by the references that they subscribe to."""
        if self._known is None:
            self._known = {}
            for resource in self._resources:
                for cause in self._shown(self._state.subscribed(resource)):
                    self._known.setdefault(cause, []).append(resource.reference)
        return self._known


def say_owed(state: ManifestState, attempt: Attempt) -> None:
    """Log since when a refresh is owed, where nothing in this run is the reason for it."""
    resource, context = attempt.resource, attempt.context
    if attempt.owed and not any_changed(state.subscribed(resource), context):
        would = "would be refreshed" if attempt.noop else "refreshed"
        context.user_log.info(f"{would}: owed {attempt.owed}", resource=resource.reference)


def _has_not_succeeded(cause: str, session: Session | None) -> bool:
    """Return whether a resource failed in this run, or has not run yet."""
    type_name, _hash, name = cause.partition("#")
    try:
        return session is None or session.last_event(type_name, name).failed
    except ResourceFailed:
        return True
