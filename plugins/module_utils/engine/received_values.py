# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What resources send to others in a run, and what becomes of resources that ask for it in vain (docs/state.md)."""

from __future__ import annotations

from ..data.environment import nothing_sent
from ..model.environment import require_environment
from ..model.errors import CCMError, InvalidResource, ResourceFailed, TemplateError
from ..model.sending import HIDDEN, is_sensitive
from ..redaction.texts import without_text_secrets
from .hidden_properties import hiding
from .late_calls import texts_in
from .sent import ValueLost, sends_secret, sent_by
from .templating import LateExpressions, resolve_late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.log import Log
    from ..model.provider import Received
    from ..model.resource import Resource
    from ..model.values import Data, Value
    from .around import GoResolve
    from .context import Context
    from .sent import SentLast
    from .session import Session

_SHORTEST_SECRET = 4
_CALL = "sent("
_NEVER: tuple[int | None, int] = (None, 0)


class Unsent(ResourceFailed):
    """The resource of a `reference` has sent no value; it may yet send one where this is `expected`.

    It `is_lost` where the resource of the reference need not run, and no value of an earlier run is kept; `lost` says
    why, and `again` how it runs again, where that is known.
    """

    reference = ""
    expected = False
    is_lost = False
    lost: ValueLost | None = None
    again = ""


class ReceivedValues(LateExpressions):
    """Resolves late expressions that may use what other resources sent, in this run or, by `last`, in an earlier one.

    A resource without a value that it needs is skipped; in noop it waits. `log` gets why a value is lost.
    """

    def __init__(self, last: SentLast | None, log: Log, *, strict: bool) -> None:
        super().__init__(strict=strict)
        self._last = last
        self._log = log
        self._said: set[str] = set()
        self._received: dict[tuple[str, str], Received] = {}

    def resolve(self, resource: Resource, context: Context, go: GoResolve) -> Resource:
        """Return the resource with its late expressions resolved. Raises Unsent, and as `resolve_late` does."""
        environment = require_environment(context.environment)
        reception = _Reception(context.session, self._last, noop=context.noop)
        environment.sent = reception.sent
        try:
            resolved = resolve_late(
                go(resource, context),
                environment,
                strict=self._strict,
                hide=lambda found: reception.hiding(resource, found),
            )
        except CCMError as error:
            if reception.unsent is None:
                raise resource.placed(reception.shown(error)) from None
        finally:
            environment.sent = nothing_sent
        if reception.unsent is None:
            self._note(resource, resolved, context)
            return reception.hiding(resource, resolved)
        if context.health_check_only:
            return resource
        raise reception.unsent

    def _note(self, resource: Resource, resolved: Resource, context: Context) -> None:
        """Remember digests of the values of properties that call sent(), for `Provider.received`."""
        written, values = vars(resource.properties), vars(resolved.properties)
        names = [prop.name for prop in resource.type.late_properties if _CALL in str(written[prop.name])]
        if names:
            self._received = context.received
            received, name = context.received_by(resource.type.name), resolved.properties.name
            before = received.get(name, {})
            received[name] = {prop: (before.get(prop, _NEVER)[0], hash(repr(values[prop]))) for prop in names}

    def event(self, event: Event) -> None:
        """Report a resource whose value is missing as skipped, in noop as to be changed."""
        cause = event.causes[-1] if event.causes else None
        if not isinstance(cause, Unsent):
            if self._received and not (event.failed or event.skipped or event.noop):
                above = event.parent.name if event.parent else ""
                values = self._received.get((above, event.type), {}).get(event.name, {})
                values.update({name: (now, now) for name, (_before, now) in values.items()})
            return
        event.failed = False
        event.errors = event.causes = ()
        if cause.expected:
            event.changed = event.noop = True
            event.noop_message = f"Would have changed: {cause.message}"
            return
        if cause.lost:
            self._say_lost(cause, cause.lost)
        elif cause.is_lost:
            self._log.warn(
                "A value is not kept, so what uses it is skipped",
                resource=f"{event.type}#{event.shown_name}",
                sender=cause.reference,
                advice=f"have {cause.reference} run again; with --no-state no value is kept",
            )
        event.skipped = True
        event.unmet_requirements = [*event.unmet_requirements, cause.reference]

    def _say_lost(self, cause: Unsent, lost: ValueLost) -> None:
        """Say once which resource lost its values, when, why, and what to do."""
        if cause.reference not in self._said:
            self._said.add(cause.reference)
            self._log.warn(
                "A value is lost, so what uses it is skipped",
                resource=cause.reference,
                **({"since": lost.since} if lost.since else {}),
                reason=lost.message,
                advice=cause.again or f"have {cause.reference} run again",
            )

    def outputs(self, declared: Data, context: Context) -> tuple[Data | None, bool]:
        """Return what a manifest passes on, after its resources have run, and whether that is sensitive.

        It is None when one of the values is not known in this run. Raises CCMError.
        """
        environment = require_environment(context.environment)
        reception = _Reception(context.session, self._last, noop=context.noop)
        environment.sent = reception.sent
        try:
            return super().outputs(declared, context)[0], reception.is_sensitive
        except CCMError:
            if reception.unsent is not None:
                return None, reception.is_sensitive
            if reception.is_sensitive:
                raise ResourceFailed(f"an expression fails: the reason is {HIDDEN}", property="outputs") from None
            raise
        finally:
            environment.sent = nothing_sent


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

    def shown(self, error: CCMError) -> CCMError:
        """Return an error of an expression, without its reason where that may quote a sensitive value."""
        if not self.is_sensitive:
            return error
        what = "a value is refused" if isinstance(error, InvalidResource) else "an expression fails"
        hidden = ResourceFailed(f"{what}: the reason is {HIDDEN}", property=error.property)
        hidden.path = error.path
        return hidden

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
        try:
            found = sent_by(event, self._last)
        except ValueLost as lost:
            creates = vars(event.resource.properties).get("creates")
            raise self._missing(
                reference, is_lost=True, lost=lost, again=f"remove {creates}, and apply it again" if creates else ""
            ) from None
        if found is None:
            raise self._missing(reference, is_lost=True)
        sends_secrets = (
            is_sensitive(event.resource.properties)
            or (event.status and event.status.sends_secrets)
            or sends_secret(event.resource.type, found)
        )
        self.is_sensitive = self.is_sensitive or bool(sends_secrets)
        if sends_secrets:
            # Shorter texts may occur anywhere by chance.
            self._texts.update(text for text in texts_in(found) if len(text) >= _SHORTEST_SECRET)
        return found

    def _event(self, reference: str) -> Event | None:
        type_name, _hash, name = reference.partition("#")
        try:
            return self._session.last_event(type_name, name) if self._session else None
        except ResourceFailed:
            return None

    def _missing(
        self,
        reference: str,
        *,
        expected: bool = False,
        is_lost: bool = False,
        lost: ValueLost | None = None,
        again: str = "",
    ) -> Unsent:
        shown = without_text_secrets(reference)
        unsent = self.unsent = Unsent(f"waits for {shown}")
        unsent.reference, unsent.expected, unsent.is_lost = shown, expected, is_lost
        unsent.lost, unsent.again = lost, without_text_secrets(again)
        return unsent
