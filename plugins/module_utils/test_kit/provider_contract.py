# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The contract of providers, checked on this host by bringing one resource through several steps."""

from __future__ import annotations

from contextlib import ExitStack, closing
from selectors import EVENT_READ, DefaultSelector

from ..data.environment import Environment
from ..data.factfiles import gather
from ..engine.context import Context
from ..engine.lasting_providers import UNCLOSED
from ..engine.run import run_one
from ..engine.sink import Sink
from ..host.errors import HostError
from ..lang.go.json import marshal
from ..model.batch_provider import BatchProvider
from ..model.decode import decode_properties
from ..model.errors import CCMError, ResourceFailed
from ..model.facets import Identity
from ..model.resource import Properties, Resource, complete
from ..model.simple_type import SimpleType
from ..resources.contract_checks import checked
from ..resources.result_faults import fault_of_sent
from ..resources.secret_values import secret_texts
from ..resources.types import relations, reversal
from .recorded_log import RecordedLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping, Sequence, Union

    from ..engine.attempt import Attempt
    from ..model.contract import AnyType
    from ..model.decision import Decision
    from ..model.event import Event
    from ..model.facets import Parts
    from ..model.state import State
    from ..model.values import Difference

    #: The properties of a resource, of several that are changed at once, or a function that changes the host.
    Step = Union[Mapping[str, Any], Sequence[Mapping[str, Any]], Callable[[], object]]


def check_provider(of_type: AnyType, steps: Sequence[Step], *, directory: str = "") -> None:
    """Bring resources to their state in `steps`, on this host, and check the contract of providers.

    A step is the properties of a resource, a list of the properties of several that are changed in a batch, or a
    function that changes the host between two others. In each step the resource runs in noop, then really, then again,
    and then as if a resource that it subscribes to had changed. Noop and reading the state change nothing, the step
    changes something and reaches the wanted state, the second run has nothing to do, and values of secret properties
    are never shown. The steps together need every verb of the type, and a batch of every verb of which there are
    batches; with a type that has no verbs, no step may change anything. Relations change nothing and return what they
    promise. What a reversal says without paths is undone after the run of a step, and brings back the parts of the
    state before it.
    Relative names are resolved against `directory`.

    Raises AssertionError with the number of the step, and InvalidResource for properties that the type refuses.
    """
    is_other = isinstance(of_type, SimpleType) or hasattr(of_type, "contract")
    if is_other:
        checked(of_type, of_type.name, "the tested package")
    if not isinstance(steps, (list, tuple)):
        raise AssertionError(f"steps must be a list of mappings and functions, not a {type(steps).__name__}")
    done: set[str] = set()
    possible: set[str] = set()
    batches: set[str] = set()
    lead = "must be a mapping, a list of mappings or a function, not"
    for number, step in enumerate(steps, 1):
        members = step if isinstance(step, (list, tuple)) else [step]
        if not callable(step) and not (members and all(isinstance(each, dict) for each in members)):
            raise AssertionError(f"step {number} {lead} a {type(step).__name__}")
        if callable(step):
            step()
            continue
        with ExitStack() as stack:
            label = f"step {number}"
            made = [stack.enter_context(closing(_CheckedStep(of_type, each, directory, label))) for each in members]
            if isinstance(step, dict):
                done.update(made[0].check())
                possible.update(made[0].batch_verbs())
            else:
                batches.add(_check_batch(made))
    missing = [verb for verb in of_type.verbs if verb not in done]
    if missing:
        raise AssertionError(f"no step needed the verb {', '.join(missing)}: add one that does")
    missing = sorted(possible & done - batches) if is_other else []
    if missing:
        raise AssertionError(f"no step did a batch of the verb {missing[0]}: add a list of resources that need it")


def _check_batch(members: list[_CheckedStep]) -> str:
    """Bring several resources to their state in batches, and return the verb."""
    first = members[0]
    found = [member.found() for member in members]
    verbs = {verb for _properties, _state, decision in found for verb in decision.verbs or ("",)}
    verb = verbs.pop() if len(verbs) == 1 else ""
    first.require(bool(verb), "the resources of a batch do not need the same single verb")
    for member in members:
        first.require(
            verb in member.batch_verbs(), f"there are no batches of the verb {verb}, or is_groupable is false"
        )
    states = [(properties, state) for properties, state, _decision in found]
    provider = first.provider()
    if provider is None:
        return verb
    try:
        parts = provider.partition(verb, [properties for properties, _state in states], [])
        first.require(any(len(part) > 1 for part in parts), "partition puts each resource into a list of its own")
        for part in parts:
            batch, states = states[: len(part)], states[len(part) :]
            provider.act_on_batch(verb, batch)
    except (CCMError, HostError) as error:
        raise AssertionError(f"{first.label}: {error}") from error
    for member in members:
        member.require_converged(f"after a batch, a run of {member.name}")
        member.require_hidden(first.batch_log)
    return verb


class _CheckedStep:
    """One step: a resource with its wanted properties."""

    def __init__(self, of_type: AnyType, values: Mapping[str, Any], directory: str, label: str) -> None:
        properties: Properties = of_type.made(complete(of_type, decode_properties(of_type, dict(values))))
        of_type.validate(properties)
        of_type.normalise(properties)
        resource = Resource(of_type, properties)
        self._resource = resource.with_properties(of_type.deferred_values(properties))
        self._directory = directory
        self.label = label
        self._secrets = secret_texts(of_type.properties, [properties])
        self.name = properties.name
        self.batch_log = RecordedLog()
        self._contexts: list[Context] = []

    def close(self) -> None:
        """Close the providers."""
        for context in self._contexts:
            context.close()

    def check(self) -> tuple[str, ...]:
        """Check the step, and return the verbs that it needed."""
        self._require_pure_decision()
        self._require_relations()
        preview = self._run(noop=True)
        verbs = preview.decision.verbs
        if not self._resource.type.verbs:
            self.require_converged("a type without verbs")
            self._require_sent()
            self._require_source()
            return ()
        self.require(bool(verbs), "nothing would be done: the state is already the wanted one")
        self.require(preview.event.noop and bool(preview.event.noop_message), "noop has no message")
        unchanged = self._run(noop=True)
        self.require(unchanged.seen == preview.seen, f"noop changed the state from {preview.seen} to {unchanged.seen}")
        first = self._run()
        self.require(first.decision.verbs == verbs, f"the run did {first.decision.verbs}, noop said {verbs}")
        self.require(first.event.changed, "the run did not report a change")
        self.require_converged("a second run")
        self._require_sent()
        self._require_source()
        self._require_undone(first)
        refreshed = self._run(refresh=True).decision.verbs
        if refreshed:
            self.require_converged("a run after a refresh")
        return (*verbs, *refreshed)

    def provider(self) -> BatchProvider[Any, Any] | None:
        """Return the provider of batches with the resource, which logs to `batch_log`; None without any."""
        run = _Run()
        run.log = self.batch_log
        found = self._context(run, noop=False).provider_of(self._resource)
        return found if isinstance(found, BatchProvider) else None

    def batch_verbs(self) -> tuple[str, ...]:
        """Return the verbs that the provider can do for this resource and others at once."""
        provider = self.provider()
        is_member = provider and self._resource.type.is_groupable(self._resource.properties)
        return provider.batch_verbs if provider and is_member else ()

    def found(self) -> tuple[Properties, State, Decision]:
        """Return the properties, the state of the host, and the decision."""
        resource = self._resource.with_properties(self._resource.type.derived_values(self._resource.properties))
        state = self._status()
        return resource.properties, state, resource.type.decide(state, resource.properties, False)

    def require_hidden(self, log: RecordedLog) -> None:
        """Require that a log shows no secret of the resource."""
        shown = repr(log.lines)
        self.require(not any(secret in shown for secret in self._secrets), "the value of a secret property is shown")

    def require_converged(self, label: str) -> None:
        """Require that a run has nothing to do."""
        run = self._run()
        verbs = run.decision.verbs
        self.require(not verbs, f"{label} would do {', '.join(verbs)}")
        self.require(not run.event.changed, f"{label} reported a change")
        self.require(not run.differences, f"a converged resource has differences: {run.differences}")

    def _require_relations(self) -> None:
        """Call the relations that engine and front ends call before a run."""
        related, properties = relations(self._resource.type), self._resource.properties
        before = repr(vars(properties))
        for name in ("provides", "wants", "installs", "watches", "watched_trees", "watched_units") if related else ():
            try:
                found = getattr(related, name)(properties)
            except CCMError as error:
                raise AssertionError(f"{self.label}: {error}") from error
            kind = Identity if name in ("provides", "wants") else str
            right = isinstance(found, (list, tuple)) and all(isinstance(each, kind) for each in found)
            self.require(right, f"{name} returned {found!r}, which is no list of {kind.__name__}")
            self.require(repr(vars(properties)) == before, f"{name} changed the properties")

    def _require_sent(self) -> None:
        """Read what the resource sends after the run; each value is declared, and of its kind."""
        related = relations(self._resource.type)
        if related is None:
            return
        try:
            fault = fault_of_sent(related.sent(self._resource.properties, self._status()), related.sends)
        except CCMError as error:
            raise AssertionError(f"{self.label}: {error}") from error
        self.require(not fault, f"sent returned {fault}")

    def _require_source(self) -> None:
        """Open the source of events of the resource, and close it."""
        provider = self._context(_Run(), noop=True).provider_of(self._resource)
        try:
            source = provider.watch(self._resource.properties)
            if source is not None:
                with DefaultSelector() as selector:
                    selector.register(source.fileno(), EVENT_READ)
                source.close()
        except (OSError, ValueError) as error:
            raise AssertionError(f"{self.label}: fileno returned what cannot be waited for: {error}") from error
        except CCMError as error:
            raise AssertionError(f"{self.label}: {error}") from error

    def _require_undone(self, done: _Run) -> None:
        """Undo the run as `meta.reverse` does, then bring the resource to its state again."""
        how, of_type = reversal(self._resource.type), self._resource.type
        if how is None or not of_type.reversible or not done.is_reversible or done.paths:
            return
        given = how.undone(self._resource.properties, done.parts)
        unknown = sorted(given.keys() - {prop.name for prop in (*of_type.properties, *of_type.undo_properties)})
        named = ", ".join(unknown)
        self.require(
            not unknown, f"undone returns {named}, which is no property of the type and none of its undo_properties"
        )
        values = {"name": self._resource.properties.name, **given}
        properties = of_type.made(complete(of_type, values))
        self._run(resource=Resource(of_type, properties), doing="undoing it: ")
        parts = how.parts(properties, self._status())
        self.require(parts == done.parts, f"what is undone leaves {parts}, it was {done.parts}")
        self._run()
        self.require_converged("a run after what was undone")

    def _status(self) -> State:
        resource, context = self._resource, self._context(_Run(), noop=True)
        found: State = context.provider_of(resource).status(resource.properties)
        return found

    def _require_pure_decision(self) -> None:
        resource, context = self._resource, self._context(_Run(), noop=True)
        resource = resource.with_properties(resource.type.derived_values(resource.properties))
        try:
            compared = context.provider_of(resource).status(resource.properties), resource.properties
            before = repr([vars(one) for one in compared])
            resource.type.decide(*compared, False)
        except ResourceFailed:
            return  # the run fails with it too, and names the step
        changed = repr([vars(one) for one in compared]) != before
        self.require(not changed, "decide changed the state or the properties")

    def _context(self, run: _Run, noop: bool, *, refresh: bool = False) -> Context:
        context = Context(
            log=run.log,
            user_log=run.log,
            sinks=(run,),
            directory=self._directory,
            environment=Environment(directory=self._directory),
            resources=[self._resource],
            noop=noop,
            refresh=refresh,
            facts=lambda: gather(None),
        )
        self._contexts.append(context)
        return context

    def _run(
        self, *, noop: bool = False, refresh: bool = False, resource: Resource | None = None, doing: str = ""
    ) -> _Run:
        run = _Run()
        run.event = run_one(resource or self._resource, self._context(run, noop, refresh=refresh))
        unclosed = [line for line in run.log.lines if UNCLOSED in repr(line)]
        self.require(not unclosed, f"close: {unclosed}")
        if run.event.failed:
            raise AssertionError(f"{self.label}: {doing}{'; '.join(run.event.errors)}") from run.event.causes[0]
        self.require(run.fault == "", run.fault)
        if noop:
            self.require(not run.machine_changed, "a command that can change the host ran in noop")
        shown = {"event": marshal(run.event.as_dict()), "log": repr(run.log.lines), "difference": repr(run.differences)}
        for place, text in shown.items():
            is_hidden = all(str(secret) not in text for secret in self._secrets)
            self.require(is_hidden, f"{doing}the value of a secret property is shown in the {place}")
        return run

    def require(self, fulfilled: bool, fault: str) -> None:
        """Raise AssertionError unless something is fulfilled."""
        if not fulfilled:
            raise AssertionError(f"{self.label}: {fault}")


class _Run(Sink):
    """One run of the resource: its event, and what was decided."""

    event: Event
    decision: Decision
    seen: tuple[str, object] = ("", None)
    fault = ""
    machine_changed = False
    is_reversible = False
    paths: Sequence[str] = ()
    parts: Parts

    def __init__(self) -> None:
        self.log = RecordedLog()
        self.differences: list[Difference] = []

    def decided(self, attempt: Attempt) -> None:
        """Keep the decision, and the state as it was found."""
        self.decision = attempt.decision
        self.seen = (attempt.state.ensure, repr(attempt.state.details))
        self.differences = attempt.provider.differences(attempt.resource.properties, attempt.state)
        self.machine_changed = attempt.context.machine.generation > 0
        self.fault = _undeclared_field(attempt.resource, attempt.state)
        how, given = reversal(attempt.resource.type), (attempt.resource.properties, attempt.state)
        if how is not None and not attempt.noop:
            self.is_reversible = how.is_reversible(*given)
            self.paths, self.parts = how.paths(*given), how.parts(*given)


def _undeclared_field(resource: Resource, state: State) -> str:
    """Return which field of the metadata the schema of events would not have, "" when all are declared."""
    if not isinstance(resource.type, SimpleType):
        return ""
    declared = {"name", "provider", *(prop.name for prop in resource.type.state_fields)}
    unknown = [field for field in state.metadata if field not in declared]
    return f"the field {unknown[0]} of the state is none of state_fields" if unknown else ""
