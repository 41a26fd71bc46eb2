# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of a resource's management: `control` expressions and results of other resources (behaviour.md 2.5)."""

from __future__ import annotations

from ..model.environment import require_environment
from ..model.errors import CCMError
from ..redaction.texts import without_text_secrets
from .session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..model.errors import NotThereYet
    from ..model.event import Event
    from ..model.resource import Resource
    from ..model.state import State
    from .context import Context


def is_managed(resource: Resource, control: dict[str, str], context: Context) -> bool:
    """Return whether a `control` property allows the management of a resource. Raises CCMError with the position."""
    environment = require_environment(context.environment)
    for key, wanted in (("if", True), ("unless", False)):
        try:
            if control[key] and bool(environment.evaluate(control[key], as_bool=True)) is not wanted:
                return False
        except CCMError as error:
            error.property = error.property or f"control.{key}"
            resource.placed(error)
            raise
    return True


def unmet(references: Sequence[str], context: Context) -> Iterator[str]:
    """Yield the required references whose resource failed or was skipped for its requirements, secrets replaced.

    Raises ResourceFailed at the first reference without an event in the session.
    """
    for reference in references:
        if _last_event(reference, context).blocks_dependents:
            yield without_text_secrets(reference)


def any_changed(references: Sequence[str], context: Context) -> bool:
    """Return whether a resource changed, not only in its noop. Raises ResourceFailed for a resource without event."""
    events = (_last_event(reference, context) for reference in references)
    return any(event.changed and context.noop >= event.noop for event in events)


def expected_in_noop(error: NotThereYet, context: Context) -> State:
    """Return the state of `error` in noop when an earlier resource would have changed something (decisions.md Q63).

    The earlier resource may create a missing file or remove an obstacle. Otherwise, and always outside noop, raises
    `error` again.
    """
    if error.expected is not None and context.noop and would_have_changed(context):
        return error.expected
    raise error


def would_have_changed(context: Context) -> bool:
    """Return whether an earlier resource of the session would have changed something without noop."""
    return context.session is not None and any(event.changed and event.noop for event in context.session.events())


def _last_event(reference: str, context: Context) -> Event:
    type_name, _hash, name = reference.partition("#")
    return (context.session or Session()).last_event(type_name, name)
