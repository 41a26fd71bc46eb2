# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a run changes of the resources of one manifest, and the refreshes that they are owed (docs/design/state.md)."""

from __future__ import annotations

from ...model.errors import ResourceFailed
from ...redaction.texts import without_text_secrets
from ...resources.types import relations
from ..conditions import any_changed
from ..late_calls import senders_named
from .declarations import Declarations
from .manifest_state import KEY_SEPARATOR, wants_reversal
from .observed import change_of, readable_state, shows_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ...model.contract import AnyProvider
    from ...model.resource import Resource
    from ...model.state import State
    from ..around import Go, Work
    from ..attempt import Attempt
    from ..session import Session
    from .manifest_state import ManifestState
    from .saved import OwedRefresh

#: Ends the key of what the resources of an applied manifest are owed, as long as these are not known.
_ANY = "/*"


class ManifestChanges:
    """The changes of a run, as far as resources of the manifest of a `state` make them."""

    def __init__(self, state: ManifestState) -> None:
        self._state = state
        self._run_changes = state.run.changes
        self._lock = state.run.lock
        self._resources = resources = state.declaring.resources
        self._above = state.above.changes if state.above else None
        self._declarations: Declarations | None = None
        self._senders: set[str] | None = None
        self._known: dict[str, list[str]] | None = None
        self._applying = [each.reference for each in resources if each.type.applies_manifests]
        # Whether a change of a resource may owe a refresh to another one.
        self._may_refresh_others: bool = (
            state.may_refresh or bool(self._applying) or (self._above is not None and self._above._may_refresh_others)
        )

    @property
    def declarations(self) -> Declarations:
        """What the manifest declares."""
        with self._lock:
            if self._declarations is None:
                self._declarations = Declarations(self._state)
            return self._declarations

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Note on disk the refreshes owed because of a change and the state that it replaces, then make it."""
        resource, noop = attempt.resource, attempt.noop
        before, decision = attempt.state, attempt.decision
        is_refresh = decision.refreshed and decision.converged
        if decision.refreshed:
            self._say_owed(attempt)
        if resource.type.applies_manifests:
            after = yield from go(attempt)
            if not noop:
                self._note_result(attempt, after, is_refresh=is_refresh)
            return after
        if noop:
            changes, key = self._run_changes, self._state.key(resource.reference)
            with self._lock:
                before.cause = changes.cause(
                    key, change_of(resource, relations(resource.type), before, None, is_refresh=is_refresh)
                )
            return (yield from go(attempt))
        self._note_change(resource, before, is_retried=attempt.is_retried)
        try:
            after = yield from go(attempt)
        except Exception:
            self._note_failure(resource, attempt.provider)
            raise
        self._note_result(attempt, after, is_refresh=is_refresh)
        self._keep_sent(resource, after)
        return after

    def attempt(self, attempt: Attempt, subscribed: Sequence[str], go: Go) -> Work[State]:
        """Bring a resource that has `subscribed` to others to its state, with the refresh that earlier runs owe it."""
        if self._owed(attempt.resource, subscribed, attempt.context.session):
            attempt.refresh = True
        state = yield from go(attempt)
        if not state.noop and attempt.refresh:
            self._settle(attempt.resource)
        return state

    def is_declared(self, owed: OwedRefresh) -> bool:
        """Return whether the manifest, or one below it, has the resource that is owed a refresh, or may have it."""
        for resource in self._resources:
            key = self._state.key(resource.reference)
            if owed.subscriber == key and owed.cause in _hidden(self._state.subscribed(resource)):
                return True
            if resource.type.applies_manifests and owed.subscriber.startswith((key + _ANY, key + KEY_SEPARATOR)):
                child = self._state.children.get(resource.reference)
                if child is None or child.changes.is_declared(owed):
                    return True
        return False

    def take_over(self, applied_by: str) -> None:
        """Note a refresh that was owed to any resource of this manifest for the resources that it is for."""
        changes, any_child = self._run_changes, applied_by + _ANY
        records: list[list[str]] = []
        for owed in changes.refreshes.owed(any_child):
            for key, _each in self._affected_by(owed.cause):
                changes.refreshes.replace(key, owed, records)
        causes = changes.refreshes.causes(any_child)
        settled: list[list[str]] = []
        changes.refreshes.settle(any_child, settled)
        for cause in causes:
            for key, each in self._affected_by(cause):
                changes.refreshes.owe(key, cause, records, each=each)
        # A power failure may cut off the end: a refresh is owed under its new key before the old one is struck off.
        changes.note(records + settled)

    def _note_change(self, resource: Resource, before: State, *, is_retried: bool) -> None:
        """Note on disk, before a resource is changed, the refreshes that are then owed; `before` is its state."""
        changes = self._run_changes
        records: list[list[str]] = []
        with self._lock:
            key = self._state.key(resource.reference)
            if not is_retried:
                # Later tries are compared with what the first one found.
                changes.remember(key, resource, before)
            if wants_reversal(resource):
                changes.keep(key, self.declarations.declared(resource.reference), resource, before, records)
            for cause, subscriber, each in self._affected(resource):
                changes.refreshes.owe(subscriber, cause, records, each=each)
            changes.note(records)

    def _keep_sent(self, resource: Resource, after: State) -> None:
        """Keep what a resource sends, where its state does not show that in later runs, and something asks for it."""
        if shows_changes(resource):
            return
        with self._lock:
            if self._senders is None:
                self._senders = set(self._state.declaring.senders)
                self._senders.update(reference for each in self._resources for reference in senders_named(each))
                for each in self._resources:
                    if each.properties.meta and each.properties.meta["send"]:
                        self._senders.update(each.names)
            if not self._senders.isdisjoint(resource.names):
                self._run_changes.keep_sent(self._state.key(resource.reference), resource, after)

    def _say_owed(self, attempt: Attempt) -> None:
        """Log since when a refresh is owed, where nothing in this run is the reason for it."""
        resource, context = attempt.resource, attempt.context
        subscribed = self._state.subscribed(resource)
        owed = self._owed(resource, subscribed, context.session)
        if owed and not any_changed(subscribed, context):
            would = "would be refreshed" if attempt.noop else "refreshed"
            context.user_log.info(f"{would}: owed {owed}", resource=resource.reference)

    def _owed(self, resource: Resource, subscribed: Sequence[str], session: Session | None) -> str:
        """Return since when, and because of what, a resource is owed a refresh that earlier runs did not make.

        "" when it is not.
        """
        found = self._run_changes.refreshes.owed(self._state.key(resource.reference))
        causes = _hidden(subscribed) if found else []
        for owed in found:
            if owed.cause in causes and not (owed.is_doubtful and _may_fail_again(owed.cause, session)):
                return f"since {owed.since} because of {owed.cause}"
        return ""

    def _settle(self, resource: Resource) -> None:
        changes = self._run_changes
        records: list[list[str]] = []
        with self._lock:
            changes.refreshes.settle(self._state.key(resource.reference), records)
            changes.note(records)

    def _note_result(self, attempt: Attempt, after: State, *, is_refresh: bool) -> None:
        """Note what a change did; where it changed nothing, nothing is owed because of it."""
        changes, resource = self._run_changes, attempt.resource
        with self._lock:
            if not after.changed:
                self._take_back(resource)
                return
            if self._may_refresh_others:
                changes.refreshes.confirm(_hidden(resource.names))
            self._reach(resource, after)
            if not resource.type.applies_manifests:
                key = self._state.key(resource.reference)
                after.cause = changes.changed(key, attempt, after, is_refresh=is_refresh)

    def _note_failure(self, resource: Resource, provider: AnyProvider) -> None:
        """Note that a change failed: nothing is owed where its state shows that nothing was changed."""
        after = readable_state(resource, provider) if shows_changes(resource) else None
        with self._lock:
            self._reach(resource, after)
            if after is None:
                records: list[list[str]] = []
                for cause, subscriber, _each in self._affected(resource):
                    self._run_changes.refreshes.doubt(subscriber, cause, records)
                self._run_changes.note(records)
            elif self._run_changes.is_same(self._state.key(resource.reference), resource, after):
                self._take_back(resource)

    def _reach(self, resource: Resource, after: State | None) -> None:
        if after is not None and wants_reversal(resource):
            records: list[list[str]] = []
            self._run_changes.reach(self._state.key(resource.reference), resource, after, records)
            self._run_changes.note(records)

    def _take_back(self, resource: Resource) -> None:
        records: list[list[str]] = []
        for cause, subscriber, _each in self._affected(resource):
            self._run_changes.refreshes.take_back(subscriber, cause, records)
        self._run_changes.note(records)

    def _affected(self, resource: Resource) -> Iterator[tuple[str, str, bool]]:
        """Yield whom a change of a resource affects: the cause, and the key of the other one.

        The third is whether that is for any resource of a manifest that is not known yet.
        """
        if not self._may_refresh_others:
            return
        level: ManifestChanges | None = self
        inner, causes = resource.reference, _hidden(resource.names)
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
                yield from child.changes._affected_by(cause)
            elif applying != inner:
                yield self._state.key(applying) + _ANY, True

    def _subscribers(self) -> dict[str, list[str]]:
        """Return the references of subscribing resources of the manifest, by the references that they subscribe to."""
        if self._known is None:
            self._known = {}
            for resource in self._resources:
                for cause in _hidden(self._state.subscribed(resource)):
                    self._known.setdefault(cause, []).append(resource.reference)
        return self._known


def _hidden(references: Sequence[str]) -> list[str]:
    return [without_text_secrets(reference) for reference in references]


def _may_fail_again(cause: str, session: Session | None) -> bool:
    """Return whether a resource failed in this run, or has not run yet."""
    type_name, _hash, name = cause.partition("#")
    try:
        return session is None or session.last_event(type_name, name).failed
    except ResourceFailed:
        return True
