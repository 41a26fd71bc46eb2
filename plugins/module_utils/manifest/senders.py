# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What resources send to others in a run, and what becomes of those that ask for it in vain (docs/state.md)."""

from __future__ import annotations

from ..data.environment import nothing_sent
from ..engine.hidden_properties import hiding
from ..engine.sent import sends_secret, sent_by
from ..engine.sink import Sink
from ..model.errors import CCMError, InvalidResource, ResourceFailed, TemplateError
from ..model.sending import HIDDEN, is_sensitive
from ..redaction.texts import without_text_secrets
from .templating import resolve_late, resolve_outputs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..data.environment import Environment
    from ..engine.attempt import Attempt
    from ..engine.sent import SentLast
    from ..engine.session import Session
    from ..model.event import Event
    from ..model.log import Log
    from ..model.resource import Resource
    from ..model.values import Data, Difference, Value


_SHORTEST_SECRET = 4


class Unsent(ResourceFailed):
    """The resource of a `reference` has sent no value; it may yet send one where this is `expected`.

    It `is_lost` where the resource of the reference need not run, and no value of an earlier run is kept.
    """

    reference = ""
    expected = False
    is_lost = False


class Senders(Sink):
    """Resolves the late expressions of the resources of a manifest, also those that ask for what others sent.

    `session` has the events of the run, `last` returns what was sent in earlier runs. With `apart` each resource has an
    environment of its own, and with `strict` the patterns of texts in lists are checked. As the first of its sinks it
    reports resources without a value that they need as waiting; `log` gets why a value is lost.
    """

    def __init__(
        self,
        environment: Environment,
        session: Session | None,
        last: SentLast | None,
        log: Log,
        *,
        noop: bool,
        health_check_only: bool,
        apart: bool,
        strict: bool,
    ) -> None:
        self._strict = strict
        self._environment = environment
        self._session = session
        self._last = last
        self._log = log
        self._noop = noop
        self._health_check_only = health_check_only
        self._apart = apart
        # The types and names of resources with sensitive values of others.
        self._receiving: set[tuple[str, str]] = set()

    def resolve(self, resource: Resource) -> Resource:
        """Return the resource with its late expressions resolved. Raises Unsent, and as `resolve_late` does."""
        environment = self._environment.fresh() if self._apart else self._environment
        meta = resource.properties.meta
        reception = _Reception(self._session, self._last, noop=self._noop or bool(meta and meta["noop"]))
        environment.sent = reception.sent
        try:
            resolved = resolve_late(
                resource, environment, strict=self._strict, hide=lambda found: reception.hiding(resource, found)
            )
        except CCMError as error:
            if reception.unsent is None:
                if reception.is_sensitive:
                    what = "a value is refused" if isinstance(error, InvalidResource) else "an expression fails"
                    hidden = ResourceFailed(f"{what}: the reason is {HIDDEN}", property=error.property)
                    hidden.path = error.path
                    raise resource.placed(hidden) from None
                resource.placed(error)
                raise
        finally:
            environment.sent = nothing_sent
        if reception.unsent is None:
            if reception.is_sensitive:
                self._receiving.add((resource.type.name, resource.properties.name))
            return reception.hiding(resource, resolved)
        if self._health_check_only:
            return resource
        raise reception.unsent

    def outputs(self, declared: Data) -> tuple[Data | None, bool]:
        """Return what a manifest passes on, after its resources have run, and whether that is sensitive.

        It is None when one of the values is not known in this run. Raises CCMError.
        """
        environment = self._environment.fresh() if self._apart else self._environment
        reception = _Reception(self._session, self._last, noop=self._noop)
        environment.sent = reception.sent
        try:
            return resolve_outputs(declared, environment), reception.is_sensitive
        except CCMError as error:
            if reception.unsent is not None:
                return None, reception.is_sensitive
            if reception.is_sensitive:
                raise ResourceFailed(f"an expression fails: the reason is {HIDDEN}", property="outputs") from None
            error.property = error.property or "outputs"
            raise
        finally:
            environment.sent = nothing_sent

    def decided(self, found: Attempt) -> None:
        """Hide how texts differ that may have a sensitive value."""
        if found.differences and self._is_hidden(found.resource.type.name, found.resource.properties.name):
            found.differences = [_hidden(difference) for difference in found.differences]

    def _is_hidden(self, type_name: str, name: str) -> bool:
        return (type_name, name) in self._receiving

    def finished(self, event: Event) -> None:
        """Let the event of a resource that asked in vain be that of one that was skipped, or that waits in noop.

        What failed with a sensitive value does not say why.
        """
        if event.failed and self._is_hidden(event.type, event.name):
            error = ResourceFailed(f"failed: the reason is {HIDDEN}")
            event.errors, event.causes = [error.message], [error]
        cause = event.causes[-1] if event.causes else None
        if not isinstance(cause, Unsent):
            return
        event.failed = False
        event.errors, event.causes = [], []
        if cause.expected:
            event.changed = event.noop = True
            event.noop_message = f"Would have changed: {cause.message}"
        else:
            if cause.is_lost:
                self._log.warn(
                    "A value is not kept, so what uses it is skipped",
                    resource=f"{event.type}#{event.shown_name}",
                    sender=cause.reference,
                    advice=f"have {cause.reference} run again; with --no-state no value is kept",
                )
            event.skipped = True
            event.unmet_requirements.append(cause.reference)


def _hidden(difference: Difference) -> Difference:
    if not any(isinstance(difference.get(side), str) for side in ("before", "after")):
        return difference
    headers = {key: value for key, value in difference.items() if key.endswith("_header")}
    return {**headers, "prepared": f"what changes is {HIDDEN}\n"}


def _long_texts(value: Value) -> Iterator[str]:
    """Yield the texts in a value that are too long to occur anywhere by chance."""
    if isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _long_texts(each)
    elif isinstance(value, str) and len(value) >= _SHORTEST_SECRET:
        yield value


class _Reception:
    """What one resource asks for; `unsent` is what it asked for in vain, `is_sensitive` whether to hide any of it."""

    def __init__(self, session: Session | None, last: SentLast | None, *, noop: bool) -> None:
        self._session = session
        self._last = last
        self._noop = noop
        self.unsent: Unsent | None = None
        self.is_sensitive = False
        self._is_hidden = False
        self._texts: set[str] = set()

    def hiding(self, resource: Resource, resolved: Resource) -> Resource:
        """Return the resolved resource so that nothing shows what it received, and what it sends is sensitive too."""
        if not self.is_sensitive:
            return resolved
        before, after = vars(resource.properties), vars(resolved.properties)
        names = {prop.name for prop in resolved.declared if after[prop.name] != before[prop.name]}
        # The second call finds `meta` changed by the first.
        names.difference_update({"meta"} if self._is_hidden else ())
        self._is_hidden = True
        return hiding(resolved, names, self._texts)

    def sent(self, *given: Value) -> Value:
        """Do `sent(reference)`: return the values that the resource of a reference sent, by key.

        Raises Unsent, and ResourceFailed where its type sends nothing.
        """
        if len(given) != 1 or not isinstance(given[0], str):
            raise TemplateError("sent requires a string argument, a reference like type#name")
        reference = given[0]
        event = self._event(reference)
        if event is None or event.skipped or event.blocks_dependents or event.resource is None:
            raise self._missing(reference)
        if event.changed and (event.noop or self._noop):
            raise self._missing(reference, expected=self._noop)
        found = sent_by(event, self._last)
        if found is None:
            raise self._missing(reference, is_lost=True)
        sends_secrets = (
            is_sensitive(event.resource.properties)
            or (event.status and event.status.sends_secrets)
            or sends_secret(event.resource.type, found)
        )
        self.is_sensitive = self.is_sensitive or bool(sends_secrets)
        if sends_secrets:
            self._texts.update(_long_texts(found))
        return found

    def _event(self, reference: str) -> Event | None:
        type_name, _hash, name = reference.partition("#")
        try:
            return self._session.last_event(type_name, name) if self._session else None
        except ResourceFailed:
            return None

    def _missing(self, reference: str, *, expected: bool = False, is_lost: bool = False) -> Unsent:
        shown = without_text_secrets(reference)
        self.unsent = Unsent(f"waits for {shown}")
        self.unsent.reference, self.unsent.expected, self.unsent.is_lost = shown, expected, is_lost
        return self.unsent
