# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The state between runs, as it surrounds the resources of one manifest of a run (docs/design/state.md)."""

from __future__ import annotations

from ...model.resource import ResourceType
from ..around import Around

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.contract import AnyType
    from ...model.event import Event
    from ...model.resource import Resource
    from ...model.state import State
    from ..around import Applied, AppliedManifest, Go, Work
    from ..attempt import Attempt
    from ..notifying import Notifying
    from .manifest_changes import ManifestChanges
    from .run_state import RunState

#: Between the references in the key of a resource of an applied manifest.
KEY_SEPARATOR = " > "


class ManifestState(Around):
    """The state of a run, for one of its manifests, `declaring`.

    The key of a resource is its reference, after the references of the resources that apply the manifest: `above` is
    the state of the manifest that applies it, and `applied_by` the reference of its apply resource. Unless the manifest
    `acts`, the resources of applied manifests may be incomplete.
    """

    may_refresh = False

    def __init__(
        self,
        run: RunState,
        notifying: Notifying | None,
        declaring: AppliedManifest,
        above: ManifestState | None = None,
        applied_by: str = "",
        *,
        acts: bool = True,
    ) -> None:
        self.run = run
        self.notifying = notifying
        self.declaring = declaring
        self.above = above
        self.applied_by = applied_by
        self.acts = acts
        self.prefix = f"{above.key(applied_by)}{KEY_SEPARATOR}" if above else ""
        self.children: dict[str, ManifestState] = {}
        self._changes: ManifestChanges | None = None
        self._is_literal = bool(declaring.literal)
        if declaring.literal:
            run.read_text(self.prefix, declaring.literal)

    @property
    def changes(self) -> ManifestChanges:
        """What this run changes of the resources of the manifest."""
        with self.run.lock:
            if self._changes is None:
                from .manifest_changes import ManifestChanges

                self._changes = ManifestChanges(self)
            return self._changes

    def key(self, reference: str) -> str:
        """Return the key of a resource of the manifest."""
        return self.prefix + reference

    def child(self, applied: Applied) -> ManifestState:
        """Return the state for an applied manifest, whose resources are known now.

        A refresh that was owed to any resource of it is noted for the resources that it is for.
        """
        name = applied.properties.name
        applying = (each for each in self.declaring.resources if each.type.applies_manifests)
        reference = next(each.reference for each in applying if each.properties.name == name)
        acts = applied.acts and self.acts
        child = state_of(self.run, applied.notifying, applied.manifest, self, reference, acts=acts)
        with self.run.lock:
            self.children[reference] = child
            if self.run.may_be_owed:
                child.changes.take_over(self.key(reference))
        return child

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Note on disk the refreshes owed because of a change and the state that it replaces, then make it."""
        return self.changes.act(attempt, go)

    def event(self, event: Event) -> None:
        """Keep the event of a resource until the end of the run."""
        resource = event.resource
        if resource is not None:
            declared = self.changes.declarations.declared(resource.reference) if wants_reversal(resource) else None
            self.run.finished(self, resource, event, declared)

    def is_as_written(self, resource: Resource) -> bool:
        """Return whether the state of a stable resource follows from the text of the manifest alone."""
        return self._is_literal and resource.type.determines(resource.properties)

    def subscribed(self, resource: Resource) -> Sequence[str]:
        """Return the references to the resources whose change refreshes a resource."""
        found = resource.type.subscriptions(resource.properties)
        return [*found, *self.notifying.of(resource)] if self.notifying else found


class RefreshedState(ManifestState):
    """The state for a manifest with resources that may be owed a refresh: where one is subscribed to another."""

    may_refresh = True

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Bring a resource to its state, and refresh a resource to which earlier runs owe a refresh."""
        subscribed = self.subscribed(attempt.resource)
        return self.changes.attempt(attempt, subscribed, go) if subscribed else go(attempt)


def state_of(
    run: RunState,
    notifying: Notifying | None,
    manifest: AppliedManifest,
    above: ManifestState | None = None,
    applied_by: str = "",
    *,
    acts: bool = True,
) -> ManifestState:
    """Return the state for a manifest; see ManifestState."""
    may_subscribe = notifying is not None or any(map(_may_subscribe, {each.type for each in manifest.resources}))
    return (RefreshedState if may_subscribe else ManifestState)(run, notifying, manifest, above, applied_by, acts=acts)


def _may_subscribe(type: AnyType) -> bool:
    return type.__class__.subscriptions is not ResourceType.subscriptions


def wants_reversal(resource: Resource) -> bool:
    """Return whether what a resource changes is to be kept."""
    meta = resource.properties.meta
    return meta is not None and bool(meta.get("reverse") or meta.get("undo"))
