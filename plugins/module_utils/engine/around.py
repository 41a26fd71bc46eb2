# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What surrounds the management of each resource of a manifest: one ordered stack (docs/architecture.md, The stack)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Generator, Protocol, Sequence, TypeVar

    from ..model.event import Event
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import ManifestProperties
    from .attempt import Attempt
    from .context import Context
    from .notifying import Notifying

    T = TypeVar("T")
    #: Work that pauses where the one command of a group runs, and returns a result.
    Work = Generator[None, None, T]
    #: Goes on inwards with an attempt; the state is the one to show.
    Go = Callable[[Attempt], Work[State]]

    #: The place `attempt` or `act` of what surrounds a resource.
    Wrapper = Callable[[Attempt, Go], Work[State]]
    #: Goes on inwards with a resource and its context; returns the resource with its late expressions resolved.
    GoResolve = Callable[[Resource, Context], Resource]
    ResolveWrapper = Callable[[Resource, Context, GoResolve], Resource]

    class AppliedManifest(Protocol):
        """A manifest as the stack sees it (manifest/manifest.py)."""

        literal: str
        source: str
        files: Sequence[str]
        resources: list[Resource]
        senders: frozenset[str]
        may_receive: bool
        declared: Sequence[tuple[Resource, str]]

        @property
        def path(self) -> str: ...

        @property
        def notifying(self) -> Notifying | None: ...


class Applied:
    """A `manifest` that a resource with these `properties` applies, and who notifies its resources.

    Unless it `acts`, as it does not in noop, it is not known what it would do.
    """

    def __init__(
        self, properties: ManifestProperties, manifest: AppliedManifest, notifying: Notifying | None, *, acts: bool
    ) -> None:
        self.properties = properties
        self.manifest = manifest
        self.notifying = notifying
        self.acts = acts

    def by(self, manifest: AppliedManifest) -> str:
        """Return the reference of the resource of a manifest that applies this one."""
        applying = (each for each in manifest.resources if each.type.applies_manifests)
        return next(each.reference for each in applying if each.properties.name == self.properties.name)


class Around:
    """Surrounds the management of resources; a subclass overrides the places that it needs.

    `resolve`, `attempt` and `act` go on inwards by `go`, once, never or several times. `attempt` and `act` are
    generators: `state = yield from go(attempt)`. What they do before that is done before the one command of a group.
    """

    def resolve(self, resource: Resource, context: Context, go: GoResolve) -> Resource:
        """Return the resource with its late expressions resolved."""
        return go(resource, context)

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Bring a resource to its state: read it, decide, act. Raises what the provider and the type raise."""
        return go(attempt)

    def act(self, attempt: Attempt, go: Go) -> Work[State]:
        """Do what was decided, or report it in noop. Raises what the provider and the type raise."""
        return go(attempt)

    def event(self, event: Event) -> None:
        """Complete the event of a resource before sinks receive it."""

    def child(self, applied: Applied) -> Around | None:
        """Return what surrounds the resources of an applied manifest, None for nothing."""
        return None


class Stack:
    """What surrounds the resources of a manifest, the outermost first.

    Each place is passed by the objects whose class overrides it. An event passes from the innermost outwards.
    """

    def __init__(self, arounds: Sequence[Around] = ()) -> None:
        innermost_first = tuple(reversed(arounds))
        self._attempting = [each.attempt for each in innermost_first if type(each).attempt is not Around.attempt]
        self._acting = [each.act for each in innermost_first if type(each).act is not Around.act]
        self._completing = [each.event for each in innermost_first if type(each).event is not Around.event]
        self._attempt: Go | None = None
        self._act: Go | None = None
        #: Returns a resource with its late expressions resolved; raises what resolving raises.
        self.resolve: GoResolve = _unchanged
        for each in innermost_first:
            if type(each).resolve is not Around.resolve:
                self.resolve = _resolving(each.resolve, self.resolve)

    def attempt(self, attempt: Attempt, converge: Go) -> Work[State]:
        """Bring a resource to its state, innermost by `converge`, the same at each call."""
        if self._attempt is None:
            self._attempt = _through(self._attempting, converge)
        return self._attempt(attempt)

    def act(self, attempt: Attempt, act: Go) -> Work[State]:
        """Do what was decided, innermost by `act`, the same at each call."""
        if self._act is None:
            self._act = _through(self._acting, act)
        return self._act(attempt)

    def complete(self, event: Event) -> None:
        """Complete the event of a resource."""
        for complete in self._completing:
            complete(event)


def stack_of(state: Around | None, watch: Around | None, treatment: Around | None, values: Around | None) -> Stack:
    """Return the stack of the resources of a manifest; None for what it does not need.

    tests/unit/engine/test_around.py has a test for each reason.
    """
    arounds = (
        # Around watching: it leaves no resource alone to which earlier runs owe a refresh. Around treatment: what they
        # owe is looked up once for all tries, and struck off after the last one. Around values: an event passes
        # outwards, and state keeps a resource without its value as skipped, not failed.
        state,
        # Around treatment: it replaces the resource of the attempt, so that treatment does not try again what the
        # schedule of watching tries later.
        watch,
        # With values any order would do: they have no place in common.
        treatment,
        values,
    )
    return Stack([each for each in arounds if each is not None])


def _unchanged(resource: Resource, context: Context) -> Resource:
    return resource


def _resolving(wrapper: ResolveWrapper, go: GoResolve) -> GoResolve:
    return lambda resource, context: wrapper(resource, context, go)


def _through(wrappers: Sequence[Wrapper], innermost: Go) -> Go:
    """Return a function that goes through the wrappers of a stack, the outermost last, to `innermost`."""
    for wrapper in wrappers:
        innermost = _entered(wrapper, innermost)
    return innermost


def _entered(wrapper: Wrapper, go: Go) -> Go:
    return lambda attempt: wrapper(attempt, go)
