# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Surrounds each resource of a watched manifest: what to skip, and what to remember (docs/watch.md)."""

from __future__ import annotations

from functools import partial
from time import monotonic_ns

from ..engine.around import Around
from ..engine.conditions import any_changed
from ..engine.late_calls import senders_named
from ..engine.sent import sent_now
from ..engine.templating import has_late_expressions
from ..engine.watching.settings import ALERT, WatchSettings
from ..engine.watching.step import Events, Seen, Sources
from ..lang.paths import join
from ..model.decision import NOTHING
from ..model.errors import CCMError
from ..model.provider import Provider
from ..resources.types import relations
from .files_read import files_read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping, Sequence, Tuple

    from ..engine.around import Applied, AppliedManifest, Go, Work
    from ..engine.attempt import Attempt
    from ..engine.notifying import Notifying
    from ..engine.watching.step import WatchMore
    from ..model.contract import AnyProvider
    from ..model.event import Event
    from ..model.facets import AnyRelations
    from ..model.provider import Received
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Data, Value

    #: The name of the apply resource above a resource, "" for none, and the type and name of the resource.
    Place = Tuple[str, str, str]


class Remembered:
    """Results of earlier checks, by names of resources; they stay when the manifest is read again.

    `done` are digests of resources that were brought to their state: commands without a condition, and resources that
    are managed once. `received` are digests of received values, `providers` are not in use, and live as long as the
    watching; `reported` are the resources that were last reported as not as they should be. Without a state between
    runs, `owed` are the resources whose refresh failed, and `sent` has sent values.
    """

    def __init__(self) -> None:
        self.done: dict[str, int] = {}
        self.owed: set[str] = set()
        self.sent: dict[Place, dict[str, Value]] = {}
        self.received: dict[tuple[str, str], Received] = {}
        self.providers: list[AnyProvider] = []
        self.reported: set[Place] = set()
        self._known: set[int] = set()
        # The resources of applied manifests by their names in all manifests, each with its alias.
        self._children: dict[str, tuple[Place, str]] = {}

    def known(self, manifest: str, reference: str) -> bool:
        """Return whether something was seen before, and note it; see `Context`."""
        key = hash((manifest, reference))
        is_known = key in self._known
        self._known.add(key)
        return is_known

    def sent_last(self, event: Event) -> dict[str, Value]:
        """Return what the resource of an event sent before, nothing when that is not known."""
        return self.sent.get((event.parent.name if event.parent else "", event.type, event.name), {})

    def note_sent(self, attempt: Attempt, state: State) -> None:
        """Remember what a resource sent."""
        values = sent_now(attempt.resource, state)
        if values is not None:
            self.sent[_place_of(attempt)] = values

    def note_child(self, name: str, attempt: Attempt) -> None:
        """Remember a resource of an applied manifest, so that it can be forgotten by its name in all manifests."""
        self._children[name] = (_place_of(attempt), attempt.resource.properties.alias)

    def forget(self, removed: Iterable[Resource], children: Iterable[str]) -> list[tuple[Place, str]]:
        """Forget resources that are not declared any more; return where each was, with its alias."""
        gone = {each.names[0]: (("", each.type.name, each.properties.name), each.properties.alias) for each in removed}
        for name in (*gone, *children):
            self.done.pop(name, None)
            self.owed.discard(name)
            if name in self._children:
                gone[name] = self._children.pop(name)
        # A manifest may be applied twice.
        left = {place for place, _alias in self._children.values()} if gone else set()
        found = [(place, alias) for place, alias in gone.values() if place not in left]
        for place, _alias in found:
            above, type_name, name = place
            self.sent.pop(place, None)
            of_type = self.received.get((above, type_name), {})
            of_type.pop(name, None)
            if not of_type:
                self.received.pop((above, type_name), None)
            self.reported.discard(place)
            # An apply resource is known as its manifest, too.
            self._known.difference_update((hash((above, f"{type_name}#{name}")), hash((name, ""))))
        return found


class WatchedStep:
    """The current step of a watched manifest, and the relations of the manifests that it applies.

    While something of an applied manifest changed, all of that is checked; but a command without a condition that has
    run waits for a reason to run again. Tries of top resources are planned by the schedule.
    """

    def __init__(self, resources: Sequence[Resource], remembered: Remembered, *, has_state: bool) -> None:
        self.watch_more: WatchMore | None = None
        #: The references of top resources, and the names of others, that are refreshed.
        self.refreshed: frozenset[str] = frozenset()
        #: The indexes of top resources whose commands without a condition run, too.
        self.unconditional = frozenset(range(len(resources)))
        self.is_first = True
        #: What its checks saw.
        self.seen: list[Seen] = []
        self.remembered = remembered
        self.has_state = has_state
        self.indexes = {each.names[0]: index for index, each in enumerate(resources)}
        #: By the names of the manifests down to one, the indexes of the top resources above it.
        self.above: dict[tuple[str, ...], set[int]] = {}

    def watch(self, indexes: set[int], sources: Sources) -> None:
        """Watch more for the top resources of these indexes."""
        if self.watch_more:
            for index in indexes:
                self.watch_more(index, sources)


class WatchAround(Around):
    """Watches resources of one `manifest` before their state is read, and says which of them act in a `step`.

    `notifying` says which of its resources others notify, also resources of manifests above; `links` are the manifests
    down to it, none for the first.
    """

    def __init__(
        self,
        step: WatchedStep,
        manifest: AppliedManifest,
        notifying: Notifying | None,
        links: tuple[str, ...] = (),
    ) -> None:
        self._step = step
        self._notifying = notifying
        self._links = links
        # The resources with late expressions, as they are written.
        self._written = {each.names[0]: each for each in manifest.resources if has_late_expressions(each)}
        # To remember when the resource with this id has no failure, also none of its health: its name and its digest.
        self._pending: dict[int, tuple[str, int]] = {}

    def child(self, applied: Applied) -> WatchAround:
        """Return what surrounds the resources of an applied manifest, whose files are watched from now on."""
        files, links = applied.manifest.files, (*self._links, applied.manifest.source)
        if files:
            sources = Sources(paths=files, child=_named(links, "files"))
            self._step.watch(self._step.above.get(links, set()), sources)
        return WatchAround(self._step, applied.manifest, applied.notifying, links)

    def event(self, event: Event) -> None:
        """Note that a resource was brought to its state."""
        name, digest = self._pending.pop(id(event.resource), ("", 0))
        if name and not (event.failed or event.skipped or event.noop):
            self._step.remembered.done[name] = digest

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Watch a resource, then bring it to its state as the current step has it."""
        resource, step, is_top = attempt.resource, self._step, not self._links
        names, known, remembered = resource.names, relations(resource.type), step.remembered
        indexes, name = self._indexes_of(resource, names[0]), self._name_of(attempt, names[0])
        self._watch_attempt(attempt, names[0], name, indexes, known)
        if not is_top:
            remembered.note_child(name, attempt)
        for_refresh = known.only_refreshed(resource.properties) if known else {}
        is_noted = bool(for_refresh) or (not is_top and _is_managed_once(resource))
        digest = hash(repr(vars(resource.properties))) if is_noted else 0
        is_done = is_noted and remembered.done.get(name) == digest
        if is_noted:
            # It is done again only when its event says so.
            remembered.done.pop(name, None)
            self._pending[id(resource)] = (name, digest)
        if name in remembered.owed or not step.refreshed.isdisjoint(names if is_top else (name,)):
            attempt.refresh = True
        if is_top:
            _try_once(attempt)
        elif not step.is_first:
            _heed_settings(attempt, self._notifying, is_done)
        if for_refresh and is_done and (not is_top or indexes.isdisjoint(step.unconditional)):
            attempt.resource = attempt.resource.with_properties(for_refresh)
        path, child, entry, begin = attempt.resource.properties.name, "" if is_top else name, None, monotonic_ns()
        try:
            state = yield from go(attempt)
            # Only some types know what they saw at the path that is their name.
            entry = None if state.noop else vars(state).get("entry")
        except Exception:
            if attempt.refresh and not step.has_state:
                remembered.owed.add(name)
            raise
        finally:
            end = monotonic_ns()
            step.seen.extend(Seen(index, child, path, entry, begin, end) for index in indexes)
        if not state.noop:
            remembered.owed.discard(name)
        if not step.has_state and known and known.sends and not known.shows_changes:
            remembered.note_sent(attempt, state)
        return state

    def _name_of(self, attempt: Attempt, name: str) -> str:
        """Return the name of a resource in all manifests; `name` is that in its own."""
        applied_by = attempt.context.applied_by
        if not self._links:
            return name
        alias = applied_by.alias if applied_by else ""
        return _named((*self._links, alias) if alias else self._links, name)

    def _indexes_of(self, resource: Resource, name: str) -> set[int]:
        """Return the indexes of a resource, or of the resources above it; none when nothing of it is watched."""
        above = self._step.above
        if self._links:
            indexes = above.get(self._links, set())
        else:
            index = self._step.indexes.get(name)
            indexes = set() if index is None else {index}
        if resource.type.applies_manifests:
            watched = set() if self._links and _is_managed_once(resource) else indexes
            above.setdefault((*self._links, resource.properties.name), set()).update(watched)
        return indexes

    def _watch_attempt(
        self, attempt: Attempt, own_name: str, name: str, indexes: set[int], known: AnyRelations | None
    ) -> None:
        """Watch what was not known before: a resource of an applied manifest, and what expressions resolved to."""
        resource, is_child, events = attempt.resource, bool(self._links), _events_of(attempt)
        as_written = self._written.get(own_name, resource)
        if not is_child and not resource.type.applies_manifests and own_name not in self._written and not events:
            return
        if is_child and _is_managed_once(resource):
            sources = Sources(child=name)
        else:
            sources = sources_of(resource, known, attempt.context.directory, child=name if is_child else "")
            sources.events = events
        sources.is_late = attempt.is_prepared
        # A value that another resource sent is secret.
        sources.is_hidden = resource.declared is not as_written.declared
        if is_child:
            related(sources, resource, as_written, self._notifying)
            sources.grace = WatchSettings(resource.properties.meta).grace
        self._step.watch(indexes, sources)


def sources_of(resource: Resource, known: AnyRelations | None, directory: str, *, child: str = "") -> Sources:
    """Return what to watch for a resource of a manifest in `directory`, as far as its expressions are resolved.

    `known` are the relations of its type. `child` is the name of a resource of an applied manifest; an applied manifest
    counts as one, too.
    """
    properties = resource.properties
    meta: Mapping[str, Any] = properties.meta or {}
    paths = list(known.watches(properties)) if known else []
    trees = known.watched_trees(properties) if known else ()
    sources = Sources(
        paths=[join(directory, path) for path in (*paths, *files_read(resource, directory)) if _is_known(path)],
        trees=[join(directory, path) for path in trees if _is_known(path)],
        units=list(known.watched_units(properties)) if known else [],
        files=list(meta.get("watch_files", ())),
        command=str(meta.get("watch_command", "")),
        child=child or (resource.reference if resource.type.applies_manifests else ""),
    )
    sources.poll_seconds = known.poll_seconds if known else sources.poll_seconds
    return sources


def related(sources: Sources, resource: Resource, as_written: Resource, notifying: Notifying | None) -> Sources:
    """Return sources with the relations of a resource to others; `as_written` has its late expressions."""
    sources.notified_by = tuple(_refreshed_by(resource, notifying))
    sources.requires = tuple(resource.properties.require)
    sources.receives = tuple(senders_named(as_written))
    return sources


def _refreshed_by(resource: Resource, notifying: Notifying | None) -> list[str]:
    """Return the references of the resources whose change refreshes a resource."""
    subscribed = resource.type.subscriptions(resource.properties)
    return [*subscribed, *(notifying.of(resource) if notifying else ())]


def units_of(resource: Resource) -> list[str]:
    """Return the units of systemd that are watched for a resource."""
    try:
        known = relations(resource.type)
    except CCMError:
        return []
    return list(known.watched_units(resource.properties)) if known else []


def _events_of(attempt: Attempt) -> Events | None:
    """Return the events that the provider of a resource may have a source of."""
    provider, properties = attempt.provider, attempt.resource.properties
    if type(provider).watch is Provider.watch:
        return None
    return Events(f"{provider.name} {hash(repr(vars(properties)))}", partial(provider.watch, properties))


def _place_of(attempt: Attempt) -> Place:
    resource, above = attempt.resource, attempt.context.applied_by
    return above.name if above else "", resource.type.name, resource.properties.name


def _named(links: Sequence[str], name: str) -> str:
    return " > ".join((*links, name))


def _is_managed_once(resource: Resource) -> bool:
    return WatchSettings(resource.properties.meta).is_managed_once


def _heed_settings(attempt: Attempt, notifying: Notifying | None, is_done: bool) -> None:
    """Have a resource of an applied manifest only reported, or left alone, as its `meta` says."""
    resource = attempt.resource
    meta, properties = resource.properties.meta, resource.properties
    if not meta:
        return
    if WatchSettings(meta).mode == ALERT:
        if resource.type.applies_manifests:
            attempt.resource = resource.with_properties({"noop": True})
        else:
            attempt.noop = True
        return
    is_left = is_done and _is_managed_once(resource) and not attempt.refresh
    if is_left and not any_changed(_refreshed_by(resource, notifying), attempt.context):
        attempt.state, attempt.decision = attempt.provider.status(properties), NOTHING
        attempt.is_prepared = True


def _try_once(attempt: Attempt) -> None:
    meta = attempt.resource.properties.meta
    if meta and meta["retry"]:
        once: Data = {**vars(attempt.resource.properties)["meta"], "retry": 0}
        attempt.resource = attempt.resource.with_properties({"meta": once})


def _is_known(path: str) -> bool:
    """Return whether a path, which may be relative to the manifest, is one of this machine without expressions."""
    return bool(path) and "{{" not in path and "${" not in path and "://" not in path
