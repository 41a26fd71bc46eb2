# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The context of a run: what transactions need."""

from __future__ import annotations

from ..model.provider import NO_OPTIONS, Provider, ProviderContext, RunContext
from .around import Stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from ..host.machine import Machine
    from ..model.contract import AnyProvider, AnyType
    from ..model.environment import ExpressionEnvironment
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.log import Log
    from ..model.provider import ProviderOptions, Received
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Facts, ManifestProperties
    from .session import Session
    from .sink import Sink

    RunChild = Callable[[ManifestProperties, "Context"], State]


class Context(RunContext):
    """One run: its mode, its session, and the `stack` of what surrounds its resources.

    With `refresh` its resources are refreshed as if a resource that they subscribe to had changed.
    In a run that goes on, `known` returns whether a resource of a manifest ("" for the one of the run) had an event
    before, or for no resource whether the manifest was applied before, and notes that; a known resource without a
    change is not logged.
    `facts` returns the facts that choose providers. `sinks` receive the events, `child_sinks` also the events of
    manifests that are applied. `run_check` runs health checks, `run_child` the manifests that resources name; each is
    None when the front end does not have it. `applied_by` are the properties of the apply resource that runs this
    manifest. Without a session nothing can be required or subscribed to. `resources` are the resources of the run, and
    `seen_together` the resources whose state a provider may read at once, by default the same; `options` are for its
    providers, `providers` their instances so far, by type and name. The `lasting` ones live as long as the run. All
    copies for one run have the same list of those that are `unused` now, and know the same `received` values, by the
    name of the apply resource and the type (received_values.py).
    """

    applied_by: ManifestProperties | None = None
    known: Callable[[str, str], bool] | None = None

    def __init__(
        self,
        session: Session | None = None,
        *,
        machine: Machine | None = None,
        noop: bool = False,
        refresh: bool = False,
        health_check_only: bool = False,
        directory: str = "",
        log: Log | None = None,
        user_log: Log | None = None,
        facts: Callable[[], Facts] = dict,
        stack: Stack | None = None,
        sinks: Sequence[Sink] = (),
        child_sinks: Sequence[Sink] = (),
        resources: Sequence[Resource] = (),
        environment: ExpressionEnvironment | None = None,
        run_child: RunChild | None = None,
        run_check: RunCheck | None = None,
        options: ProviderOptions | None = None,
    ) -> None:
        super().__init__(machine=machine, directory=directory, log=log, user_log=user_log, environment=environment)
        self.session = session
        self.noop = noop
        self.refresh = refresh
        self.health_check_only = health_check_only
        self.facts = facts
        self.stack = stack or Stack()
        self.sinks = sinks
        self.child_sinks = child_sinks
        self.resources = self.seen_together = resources
        self.run_child = run_child
        self.run_check = run_check
        self.options = options or NO_OPTIONS
        self.providers: dict[tuple[AnyType, str], AnyProvider] = {}
        self.lasting: list[AnyProvider] = []
        self.unused: list[AnyProvider] = []
        self.received: dict[tuple[str, str], Received] = {}

    @property
    def is_interrupted(self) -> bool:
        """Whether no further resource is to start, and none to be tried again."""
        return self.machine.commands is not None and self.machine.commands.is_interrupted

    def complete(self, event: Event) -> None:
        """Complete the event of a resource, and pass it to the sinks. Raises what a sink raises."""
        self.stack.complete(event)
        for sink in self.sinks:
            sink.finished(event)

    def changed(self, **attributes: object) -> Context:
        """Return a copy with other attributes, and with providers of its own."""
        context = Context.__new__(Context)
        vars(context).update(vars(self), providers={}, lasting=[], **attributes)
        return context

    def provider_of(self, resource: Resource) -> AnyProvider:
        """Return the provider that manages a resource in this run. Raises ResourceFailed when there is none."""
        type = resource.type
        name = resource.properties.provider or type.default_provider
        if name and name == type.default_provider:
            # It suits every machine: no provider is asked whether it is `manageable`.
            return self.providers.get((type, name)) or self.provider_instance(type.provider(name), type)
        from .provider_selection import choose_provider

        return choose_provider(resource, self)

    def provider_instance(self, provider: type[AnyProvider], type: AnyType) -> AnyProvider:
        """Return the one instance of a provider class in the run."""
        key = type, provider.name
        found = self.providers.get(key)
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
                received=self.received_by(type.name),
            )
            if provider.close is Provider.close:
                found = provider(known)
            else:
                from .lasting_providers import taken

                found = taken(self, provider, known)
            self.providers[key] = found
        return found

    def received_by(self, type_name: str) -> Received:
        """Return what resources of a type in this manifest received, by their names."""
        return self.received.setdefault((self.applied_by.name if self.applied_by else "", type_name), {})

    def release(self) -> None:
        """Let other contexts of the run use the providers of this one that live as long as the run."""
        if self.lasting:
            self.providers = {}
            self.unused += self.lasting
            self.lasting = []

    def close(self) -> None:
        """Close the providers that live as long as the run, which is over."""
        self.release()
        if self.unused:
            from .lasting_providers import close

            close(self.unused, self.user_log)
