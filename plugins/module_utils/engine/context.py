# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The context of a run: what transactions need."""

from __future__ import annotations

from ..model.provider import ProviderContext, ProviderOptions
from ..model.run_context import RunContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from ..host.machine import Machine
    from ..model.contract import AnyProvider, AnyType
    from ..model.environment import ExpressionEnvironment
    from ..model.health_check import RunCheck
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Facts, ManifestProperties
    from .attempt import Attempt
    from .passed_on import Keeping, Notifying
    from .session import Session
    from .sink import Sink

    RunChild = Callable[[ManifestProperties, "Context"], State]
    #: Brings a resource to its state, as `converge` of the transaction.
    Converge = Callable[[Attempt], State]


def _literal(resource: Resource) -> Resource:
    """Return the resource itself: its texts have no expressions."""
    return resource


class Context(RunContext):
    """One run: its mode, its session, and how it resolves expressions.

    `facts` returns the facts that choose providers; `resolve_deferred` returns a resource with its deferred expressions
    resolved. `sinks` receive the events. `run_check` runs health checks, `run_child` the manifests that resources
    name; each is None when the front end does not have it. `applied_by` are the properties of the apply resource that
    runs this manifest. Without a session nothing can be required or subscribed to. `resources` are those of the run,
    and `seen_together` those whose state a provider may read at once, by default the same; `options` are those of its
    providers, `providers` their instances so far. `converge` brings a resource to its state; by default that of the
    transaction. `notifying` says which resources are notified, `notifying_below` which ones of manifests that this one
    applies. `kept` is the state
    between runs.
    """

    kept: Keeping | None = None

    def __init__(
        self,
        session: Session | None = None,
        *,
        machine: Machine | None = None,
        noop: bool = False,
        health_check_only: bool = False,
        directory: str = "",
        log: Log | None = None,
        user_log: Log | None = None,
        facts: Callable[[], Facts] = dict,
        resolve_deferred: Callable[[Resource], Resource] = _literal,
        sinks: Sequence[Sink] = (),
        applied_by: ManifestProperties | None = None,
        resources: Sequence[Resource] = (),
        environment: ExpressionEnvironment | None = None,
        run_child: RunChild | None = None,
        run_check: RunCheck | None = None,
        options: ProviderOptions | None = None,
        converge: Converge | None = None,
        notifying: Notifying | None = None,
        notifying_below: Notifying | None = None,
    ) -> None:
        super().__init__(machine=machine, directory=directory, log=log, user_log=user_log, environment=environment)
        self.session = session
        self.noop = noop
        self.health_check_only = health_check_only
        self.facts = facts
        self.resolve_deferred = resolve_deferred
        self.sinks = sinks
        self.applied_by = applied_by
        self.resources = self.seen_together = resources
        self.converge = converge
        self.notifying = notifying
        self.notifying_below = notifying_below
        self.run_child = run_child
        self.run_check = run_check
        self.options = options or ProviderOptions()
        self.providers: dict[type[AnyProvider], AnyProvider] = {}

    @property
    def is_interrupted(self) -> bool:
        """Whether no further resource is to start, and none to be tried again."""
        return self.machine.threads is not None and self.machine.threads.is_interrupted

    def changed(self, **attributes: object) -> Context:
        """Return a copy with other attributes, and with providers of its own."""
        context = Context.__new__(Context)
        vars(context).update(vars(self), providers={}, **attributes)
        return context

    def provider_instance(self, provider: type[AnyProvider], type: AnyType) -> AnyProvider:
        """Return the one instance of a provider class in the run."""
        found = self.providers.get(provider)
        if found is None:
            run_child = self.run_child
            known: ProviderContext[Any] = ProviderContext(
                machine=self.machine,
                directory=self.directory,
                log=self.log,
                user_log=self.user_log,
                siblings=[other.properties for other in self.seen_together if other.type is type],
                options=self.options,
                noop=self.noop,
                environment=self.environment,
                run_child=None if run_child is None else lambda properties: run_child(properties, self),
            )
            found = self.providers[provider] = provider(known)
        return found
