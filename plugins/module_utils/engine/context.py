# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a transaction needs to know of the run it belongs to."""

from __future__ import annotations

from ..model.log import Log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping, Sequence

    from ..model.contract import AnyProvider, AnyType
    from ..model.decision import Decision
    from ..model.resource import Resource
    from ..model.state import State
    from .session import Session

    Before = Callable[[Resource, AnyProvider, State, Decision], None]


def _literal(resource: Resource) -> Resource:
    """The resource itself: its texts have no expressions."""
    return resource


def unwatched(resource: Resource, provider: AnyProvider, state: State, decision: Decision) -> None:
    """Nobody looks before an action."""


class Context:
    """One run: its mode, its session, its logs and its way with expressions.

    `facts` gives the facts that choose providers; `resolve_deferred` gives a resource with its deferred expressions
    resolved, `environment` is what templates and `control` see. A front end without expressions leaves these two alone.
    `before` is called with resource, provider, state and decision before anything is done.
    `lineage` are the manifests that led here, `run_rules` runs checks of goss, where the door has it.
    Without a session nothing can be required or subscribed to. `directory` is where relative sources are looked up,
    `log` is the program's log, `user_log` what people read. `resources` are those of the run, `providers` the instances
    that serve it; `provider_options` is what they are given (see model/provider_options.py).
    """

    def __init__(
        self,
        session: Session | None = None,
        *,
        noop: bool = False,
        health_check_only: bool = False,
        directory: str = "",
        log: Log | None = None,
        user_log: Log | None = None,
        facts: Callable[[], Any] = dict,
        resolve_deferred: Callable[[Resource], Resource] = _literal,
        before: Before = unwatched,
        resources: Sequence[Resource] = (),
        environment: Any = None,
        lineage: Any = None,
        run_rules: Any = None,
        provider_options: Mapping[str, int] | None = None,
    ) -> None:
        self.session = session
        self.noop = noop
        self.health_check_only = health_check_only
        self.directory = directory
        self.log = log or Log()
        self.user_log = user_log or Log()
        self.facts = facts
        self.resolve_deferred = resolve_deferred
        self.before = before
        self.resources = resources
        self.environment = environment
        self.lineage = lineage
        self.run_rules = run_rules
        self.provider_options = provider_options or {}
        self.providers: dict[type[AnyProvider], AnyProvider] = {}

    def serving(self, provider: type[AnyProvider], type: AnyType) -> AnyProvider:
        """The one instance of a provider class that serves the run, and knows of all resources of its type."""
        found = self.providers.get(provider)
        if found is None:
            found = self.providers[provider] = provider(self.directory, self.user_log)
            found.context = self
            found.expected = [other.properties for other in self.resources if other.type is type]
            for name, value in self.provider_options.items():
                setattr(found, name, value)
        return found
