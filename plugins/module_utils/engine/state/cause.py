# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The cause of a change: the wanted state changed, the machine changed, or each run changes it (docs/state.md).

The states of resources are compared as digests: wanted, found and reached.
"""

from __future__ import annotations

from ...resources.types import relations
from ..reached import converged, digest_of, names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional, Sequence

    from ...model.contract import AnyProvider
    from ...model.event import Event
    from ...model.facets import AnyRelations
    from ...model.resource import Resource
    from ...model.state import State
    from ..attempt import Attempt

    #: Returns the state entry of the resource of a key, None when no earlier run managed it.
    Last = Callable[[str], Optional[Sequence[str]]]

#: The wanted state is new, or differs from the last run.
MANIFEST = "manifest"
#: Something else changed the machine since the last run.
DRIFT = "drift"
#: The last run changed it in the same way and undid that itself, or its state is the same before and after.
NEVER_CONVERGES = "never converges"
#: Only that another resource changed.
REFRESH = "refresh"
#: Outcomes of the last run for a resource whose state it did not reach.
FAILED, SKIPPED = "failed", "skipped"
#: The numbers of words in the state entry of a resource: unchanged and changed, without an outcome.
_UNCHANGED, _CHANGED = 2, 4


class Causes:
    """The causes of the changes of a run; `last` returns the state entries of resources after the last run."""

    def __init__(self, last: Last) -> None:
        self._last = last
        # By the keys of resources, digests of the states they were found in, and their entries once changed.
        self._found: dict[str, str] = {}
        self._entries: dict[str, str] = {}
        # The resources that drifted, with their providers, by which their states are read again at the end of the run
        # if the machine changed since this generation.
        self._drifted: dict[str, tuple[Resource, AnyProvider, int]] = {}

    def remember(self, key: str, resource: Resource, related: AnyRelations | None, before: State) -> None:
        """Keep the state that a resource was found in, before it changes; `related` are the relations of its type."""
        self._found[key] = seen_digest(resource, related, before)

    def is_same(self, key: str, resource: Resource, related: AnyRelations | None, after: State) -> bool:
        """Return whether a state shows no difference from the one before the change."""
        return self._found.get(key) == seen_digest(resource, related, after)

    def found(self, key: str) -> str:
        """Return the digest of the state that a resource was found in before it changed, "" without a change."""
        entry = self._entries.get(key)
        return entry.split("\0")[2] if entry else ""

    def expected(
        self, key: str, resource: Resource, related: AnyRelations | None, before: State, *, is_refresh: bool
    ) -> str:
        """Return why a resource would change, from its state before it."""
        change = change_of(resource, related, before, None, is_refresh=is_refresh)
        return cause_of(change, self._last(key))

    def changed(
        self, key: str, attempt: Attempt, related: AnyRelations | None, after: State, *, is_refresh: bool
    ) -> str:
        """Keep what a resource was changed to; return why it was."""
        resource = attempt.resource
        found = self._found.pop(key, "")
        change = change_of(resource, related, after, after, found, is_refresh=is_refresh)
        cause = cause_of(change, self._last(key))
        self._entries[key] = "\0".join((change.wanted, change.reached, change.found, cause))
        if change.visible and cause in (DRIFT, NEVER_CONVERGES):
            self._drifted[key] = (resource, attempt.provider, attempt.generation)
        return cause

    def read_drifted(self) -> bool:
        """Read what drifted again: a change that the run itself undid never converges.

        Return whether the causes of the resources differ now from those after the last run.
        """
        is_new = False
        for key, (resource, provider, generation) in self._drifted.items():
            *entry, cause = self._entries[key].split("\0")
            if provider.machine.generation == generation:
                cause = DRIFT
            else:
                state = readable_state(resource, provider)
                if state is not None:
                    reached = seen_digest(resource, relations(resource.type), state)
                    cause = DRIFT if reached == entry[1] else NEVER_CONVERGES
            self._entries[key] = "\0".join((*entry, cause))
            is_new = is_new or last_cause(self._last(key) or ()) != cause
        self._drifted = {}
        return is_new

    def take_entry(self, key: str, event: Event, related: AnyRelations | None) -> Sequence[str]:
        """Return the state entry of the resource of an event, none when it was not managed; a change is taken once."""
        state, resource = event.status, event.resource
        if state is None or resource is None or event.failed or event.skipped or event.noop:
            return ()
        changed = self._entries.pop(key, "")
        if state.changed and changed:
            return changed.split("\0")
        change = change_of(resource, related, state, state)
        return change.wanted, change.reached


class Change:
    """A change of a resource as digests: of the `wanted` state, and of the states `found` before and `reached` after.

    `wanted` is the digest of the properties, and after a colon the digest of a content that is not in the properties.
    `reached` is "" as long as it is not known, in noop. `is_refresh` when it is only refreshed. A resource that is not
    `visible`, such as a command, has a state that does not show all effects of a change.
    """

    def __init__(
        self, wanted: str, found: str, reached: str, *, is_refresh: bool = False, visible: bool = True
    ) -> None:
        self.wanted = wanted
        self.found = found
        self.reached = reached
        self.is_refresh = is_refresh
        self.visible = visible


def cause_of(change: Change, last: Sequence[str] | None) -> str:
    """Return the cause of a change; `last` is the state entry of the resource, None if it was not managed before.

    A change that repeats the change of the last run never converges if that run itself undid it, or if the state is the
    same before and after. Otherwise something else undid it after that run.
    """
    last = without_outcome(last) if last else None
    if last is None or _is_other(last[0], change.wanted):
        return MANIFEST
    if change.is_refresh:
        return REFRESH
    _wanted, reached, *changed = last
    if changed:
        found_then, cause_then = changed
        is_same = change.found == found_then and change.reached in (reached, "")
        if is_same and (cause_then == NEVER_CONVERGES or change.found == reached):
            return NEVER_CONVERGES
    if change.visible and change.found == reached != change.reached:
        return MANIFEST
    return DRIFT


def _is_other(wanted_then: str, wanted: str) -> bool:
    """Return whether two wanted states differ, as far as both are known."""
    properties_then, _colon, content_then = wanted_then.partition(":")
    properties, _colon, content = wanted.partition(":")
    return properties_then != properties or bool(content_then and content and content_then != content)


def without_outcome(entry: Sequence[str]) -> list[str]:
    """Return a state entry as it was when the state was last reached."""
    return list(entry[: _CHANGED if len(entry) >= _CHANGED else _UNCHANGED])


def with_outcome(entry: Sequence[str], outcome: str) -> list[str]:
    """Return the state entry of a resource that failed or was skipped, made from its former `entry`."""
    return [*without_outcome(entry), outcome]


def outcome_of(entry: Sequence[str]) -> str:
    """Return FAILED or SKIPPED for a resource whose state the last run did not reach, else ""."""
    return entry[-1] if len(entry) in (_UNCHANGED + 1, _CHANGED + 1) else ""


def last_cause(entry: Sequence[str]) -> str:
    """Return the cause of the change when the state was last reached, "" without a change."""
    return entry[_CHANGED - 1] if len(entry) >= _CHANGED else ""


def shows_changes(related: AnyRelations | None) -> bool:
    """Return whether the states of a type with these relations show all that was changed."""
    return related.shows_changes if related else True


def seen_digest(resource: Resource, related: AnyRelations | None, state: State) -> str:
    """Return the digest of the parts of a state that show whether something else changed the resource."""
    return digest_of(_seen(related, resource, state))


def readable_state(resource: Resource, provider: AnyProvider) -> State | None:
    """Return the state of a resource, None when it cannot be read."""
    try:
        state: State = provider.status(resource.properties)
    except Exception:
        return None
    return state


def change_of(
    resource: Resource,
    related: AnyRelations | None,
    before: State,
    after: State | None,
    found: str = "",
    *,
    is_refresh: bool = False,
) -> Change:
    """Return a change of a resource; `found` is the digest of the state before it, if that is known already."""
    state = after or before
    content = related.content(resource.properties, state) if related else ""
    reached = digest_of(_seen(related, resource, after)) if after else ""
    if not found:
        found = reached if before is after else digest_of(_seen(related, resource, before))
    wanted = wanted_digest(resource)
    return Change(
        f"{wanted}:{digest_of(content)}" if content else wanted,
        found,
        reached,
        is_refresh=is_refresh,
        visible=shows_changes(related),
    )


def wanted_digest(resource: Resource) -> str:
    """Return the digest of the properties that say which state a resource wants."""
    properties = vars(resource.properties)
    return digest_of([properties.get(name) for name in names_of(resource.type)])


def _seen(related: AnyRelations | None, resource: Resource, state: State) -> object:
    found = related.observed(resource.properties, state) if related else None
    return converged(state) if found is None else found
