# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The life of an owed refresh: noted before its cause changes, struck off after it was made (docs/design/state.md).

`OwedRefreshes` are the refreshes of a run and of earlier runs; `Subscribers` say for one manifest of the
run whom a change affects.
"""

from __future__ import annotations

from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...redaction.texts import without_text_secrets
from ..between_runs import KEY_SEPARATOR
from .records import Doubt, Owed, Settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Sequence

    from ...model.resource import Resource
    from ..between_runs import ManifestState
    from ..session import Session
    from .records import Ids, Records


#: Ends the key of what the resources of an applied manifest are owed, as long as these are not known.
_ANY = "/*"


class OwedRefreshes:
    """The refreshes that earlier runs `left`, and the refreshes of this run; callers note the `records` of changes."""

    def __init__(self, left: Iterable[Owed], ids: Ids) -> None:
        self._ids = ids
        self._owed: dict[str, list[Owed]] = {}
        for owed in left:
            self._owed.setdefault(owed.subscriber, []).append(owed)
        # By subscriber, the causes of this run with the id of the note, "" if an earlier note covers the cause.
        self._own: dict[str, dict[str, str]] = {}
        # By subscriber, the causes of tries that failed with the id of the note, until the resource is refreshed.
        self._doubted: dict[str, dict[str, str]] = {}
        self._changed: set[str] = set()

    def all(self) -> list[Owed]:
        """Return the refreshes of earlier runs."""
        return [each for listed in self._owed.values() for each in listed]

    def go_on(self) -> None:
        """Begin the next step of a run that does not end: earlier changes do not count as changes of this step."""
        for subscriber, own in self._own.items():
            for cause, id in [each for each in own.items() if each[1] and each[0] in self._changed]:
                del own[cause]
                self._owed.setdefault(subscriber, []).append(Owed(id, subscriber, cause, timestamp()))
        self._changed = {cause for own in self._own.values() for cause in own}

    def owed(self, subscriber: str) -> list[Owed]:
        """Return the refreshes that a resource is owed since earlier runs."""
        return self._owed.get(subscriber, [])

    def owe(self, subscriber: str, cause: str, records: Records, *, each: bool = False) -> None:
        """Note that a resource will be owed a refresh; with `each` even if another cause was noted before."""
        own = self._own.setdefault(subscriber, {})
        if cause not in own:
            earlier = {old.cause for old in self.owed(subscriber) if not old.is_doubtful}
            is_covered = cause in earlier if each else bool(earlier) or any(own.values())
            own[cause] = "" if is_covered else self._noted(subscriber, cause, records)

    def take_back(self, subscriber: str, cause: str, records: Records) -> None:
        """Strike off the refresh that was noted in this run because of `cause`, which changed nothing."""
        own = self._own.get(subscriber, {})
        id = own.pop(cause, "") if cause not in self._changed else ""
        if id:
            records.append(Settled(id))
            for other in own:
                if not any(own.values()):
                    own[other] = self._noted(subscriber, other, records)

    def doubt(self, subscriber: str, cause: str, records: Records) -> None:
        """Note that it is not known whether `cause`, which failed, changed anything."""
        id = self._own.get(subscriber, {}).pop(cause, "") if cause not in self._changed else ""
        if id:
            doubted = self._doubted.setdefault(subscriber, {})
            is_known = any(old.cause == cause and old.is_doubtful for old in self.owed(subscriber))
            is_known = is_known or cause in doubted
            records.append(Settled(id) if is_known else Doubt(id))
            if not is_known:
                doubted[cause] = id

    def confirm(self, causes: list[str]) -> None:
        """Remember that a resource was changed in this run."""
        self._changed.update(causes)

    def settle(self, subscriber: str, records: Records) -> None:
        """Strike off all refreshes that a resource was owed."""
        ids = [owed.id for owed in self._owed.pop(subscriber, ())]
        ids += [id for id in self._own.pop(subscriber, {}).values() if id]
        ids += self._doubted.pop(subscriber, {}).values()
        if ids:
            records.append(Settled(*ids))

    def replace(self, subscriber: str, owed: Owed, records: Records) -> None:
        """Note that another resource is owed a refresh instead of the noted one, if it is not yet."""
        if any((old.cause, old.is_doubtful) == (owed.cause, owed.is_doubtful) for old in self.owed(subscriber)):
            return
        copy = Owed(self._ids.new(), subscriber, owed.cause, owed.since)
        copy.is_doubtful = owed.is_doubtful
        records.append(copy)
        if owed.is_doubtful:
            records.append(Doubt(copy.id))
        self._owed.setdefault(subscriber, []).append(copy)

    def causes(self, subscriber: str) -> list[str]:
        """Return the causes in this run for which a resource is owed a refresh."""
        return list(self._own.get(subscriber, ()))

    def _noted(self, subscriber: str, cause: str, records: Records) -> str:
        owed = Owed(self._ids.new(), subscriber, cause, timestamp())
        records.append(owed)
        return owed.id


class Subscribers:
    """Whom the changes of the resources of a manifest affect, and what these are owed; `state` is of the manifest."""

    def __init__(self, state: ManifestState, refreshes: OwedRefreshes) -> None:
        self._state = state
        self._refreshes = refreshes
        self._resources = resources = state.declaring.resources
        self._above = state.above.subscribers if state.above else None
        self._known: dict[str, list[str]] | None = None
        self._hidden: dict[str, str] = {}
        self._applying = [each.reference for each in resources if each.type.applies_manifests]
        # Whether a change of a resource may owe a refresh to another one.
        self._may_refresh_others: bool = (
            state.may_refresh or bool(self._applying) or (self._above is not None and self._above._may_refresh_others)
        )

    def owe(self, resource: Resource, records: Records) -> None:
        """Note the refreshes that are owed when a resource changes."""
        for cause, subscriber, each in self._affected(resource):
            self._refreshes.owe(subscriber, cause, records, each=each)

    def take_back(self, resource: Resource, records: Records) -> None:
        """Strike off what was noted before a change that changed nothing."""
        for cause, subscriber, _each in self._affected(resource):
            self._refreshes.take_back(subscriber, cause, records)

    def doubt(self, resource: Resource, records: Records) -> None:
        """Note that it is not known whether a change, which failed, changed anything."""
        for cause, subscriber, _each in self._affected(resource):
            self._refreshes.doubt(subscriber, cause, records)

    def confirm(self, resource: Resource) -> None:
        """Remember that a resource changed."""
        if self._may_refresh_others:
            self._refreshes.confirm(self._shown(resource.names))

    def settle(self, resource: Resource, records: Records) -> None:
        """Strike off what a resource was owed, which was refreshed."""
        self._refreshes.settle(self._state.key(resource.reference), records)

    def owed(self, resource: Resource, subscribed: Sequence[str], session: Session | None) -> str:
        """Return since when, and because of what, a resource is owed a refresh that earlier runs did not make.

        "" when it is not.
        """
        found = self._refreshes.owed(self._state.key(resource.reference))
        causes = self._shown(subscribed) if found else []
        for owed in found:
            if owed.cause in causes and not (owed.is_doubtful and _may_fail_again(owed.cause, session)):
                return f"since {owed.since} because of {owed.cause}"
        return ""

    def is_declared(self, owed: Owed) -> bool:
        """Return whether the manifest, or one below it, has the resource that is owed a refresh, or may have it."""
        for resource in self._resources:
            key = self._state.key(resource.reference)
            if owed.subscriber == key and owed.cause in self._shown(self._state.subscribed(resource)):
                return True
            if resource.type.applies_manifests and owed.subscriber.startswith((key + _ANY, key + KEY_SEPARATOR)):
                child = self._state.children.get(resource.reference)
                if child is None or child.subscribers.is_declared(owed):
                    return True
        return False

    def take_over(self, applied_by: str, records: Records) -> None:
        """Note a refresh that was owed to any resource of this manifest for the resources that it is for."""
        refreshes, any_child = self._refreshes, applied_by + _ANY
        for owed in refreshes.owed(any_child):
            for key, _each in self._affected_by(owed.cause):
                refreshes.replace(key, owed, records)
        causes = refreshes.causes(any_child)
        settled: Records = []
        refreshes.settle(any_child, settled)
        for cause in causes:
            for key, each in self._affected_by(cause):
                refreshes.owe(key, cause, records, each=each)
        # A power failure may cut off the end: a refresh is owed under its new key before the old one is struck off.
        records += settled

    def _affected(self, resource: Resource) -> Iterator[tuple[str, str, bool]]:
        """Yield whom a change of a resource affects: the cause, and the key of the other one.

        The third is whether that is for any resource of a manifest that is not known yet.
        """
        if not self._may_refresh_others:
            return
        level: Subscribers | None = self
        inner, causes = resource.reference, self._shown(resource.names)
        while level is not None:
            for cause in causes:
                for key, each in level._affected_by(cause, inner):
                    if not each or cause is causes[0]:
                        yield cause, key, each
            if level._above is not None:
                # What subscribes to what applies this manifest is refreshed too.
                applied_by = level._state.applied_by
                for key, each in level._above._affected_by(applied_by, applied_by):
                    if not each:
                        yield applied_by, key, False
            inner, level = level._state.applied_by, level._above

    def _affected_by(self, cause: str, inner: str = "") -> Iterator[tuple[str, bool]]:
        """Yield the keys of the resources of the manifest that subscribe to `cause`, and of manifests that may.

        `inner` is the resource that is, or applies, the cause.
        """
        for reference in self._subscribers().get(cause, ()):
            yield self._state.key(reference), False
        for applying in self._applying:
            child = self._state.children.get(applying)
            if applying != inner and child:
                yield from child.subscribers._affected_by(cause)
            elif applying != inner:
                yield self._state.key(applying) + _ANY, True

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


def _may_fail_again(cause: str, session: Session | None) -> bool:
    """Return whether a resource failed in this run, or has not run yet."""
    type_name, _hash, name = cause.partition("#")
    try:
        return session is None or session.last_event(type_name, name).failed
    except ResourceFailed:
        return True
