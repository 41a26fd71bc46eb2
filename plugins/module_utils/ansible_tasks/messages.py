# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a task for errors, one sentence each."""

from __future__ import annotations

from ..host.errors import HostError
from ..model.errors import CCMError, NotThereYet
from ..model.event import Event
from ..redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.errors import Position
    from .ansible_module import Options

_LONGEST_VALUE = 80
_FAILURES_IN_FULL = 5
_EARLIER_TASKS = "check mode does not know what earlier tasks would change"


def message_of(error: Exception, resource: str = "") -> str:
    """Return an error as one message.

    Place, resource, mistake, value, advice, the line at fault.

    `resource` is the reference for an error that does not name one itself. Errors of the host have only their text;
    errors of Python, for input of absurd size, are shown with their kind.
    """
    fields = vars(error)
    resource = fields.get("resource") or resource
    position = fields.get("position")
    lead = f"{position}: " if position else ""
    excerpt = fields.get("excerpt")
    message = (f"{without_text_secrets(resource)}: " if resource else "") + without_text_secrets(_sentence(error))
    return lead + message + (f"\n{excerpt}" if excerpt else "")


def explained(problem: Event | Exception, resource: str = "", *, in_check_mode: bool = False) -> str:
    """Return `failure_of` an event, `message_of` an error.

    In check mode a failure that an earlier task might have prevented says so.
    """
    if not isinstance(problem, Event):
        return message_of(problem, resource)
    is_open = in_check_mode and any(isinstance(cause, NotThereYet) for cause in problem.causes)
    return failure_of(problem) + (f"; {_EARLIER_TASKS}" if is_open else "")


def failure_of(event: Event) -> str:
    """Return why a resource failed, after its reference; a fault in another file has its place."""
    return without_text_secrets(f"{event.type}#{event.shown_name}") + f": {reasons_of(event)}"


def reasons_of(event: Event) -> str:
    """Return why a resource failed; a fault in another file than the declaration has its place."""
    declared = event.resource.position if event.resource else None
    own_file = declared.file if declared else ""
    reasons = [_with_position(cause, own_file) if cause else text for text, cause in zip(event.errors, event.causes)]
    return without_text_secrets("; ".join([*reasons, *event.check_failures]))


def failures_of(failures: list[str], total: int, what: str, key: str) -> str:
    """Return the first of several failures, and how many of how many there are.

    `what` is the word for them all, `key` the key of the result that has the others.
    """
    shown = "; ".join(failures[:_FAILURES_IN_FULL])
    more = len(failures) - _FAILURES_IN_FULL
    rest = f"; and {more} more, see {key}" if more > 0 else ""
    return f"{len(failures)} of {total} {what} failed: {shown}{rest}"


def place_of(event: Event) -> str:
    """Return the place of the error of a failed resource, or of its declaration where the error is in another file."""
    declared = event.resource.position if event.resource else None
    if declared is None:
        return ""
    found = [position for position in map(_position, event.causes) if position and position.file == declared.file]
    return without_text_secrets(str(found[0] if found else declared))


def _position(error: Exception | None) -> Position | None:
    position: Position | None = getattr(error, "position", None)
    return position


def _with_position(error: Exception, own_file: str) -> str:
    position = _position(error)
    return (f"{position}: " if position and position.file != own_file else "") + _sentence(error)


def _sentence(error: Exception) -> str:
    fields, text = vars(error), str(error)
    if not isinstance(error, (CCMError, HostError)):
        text = f"{type(error).__name__}: {text}"
    advice = fields.get("advice")
    return text + _property_value(fields, text) + (f"; {advice}" if advice else "")


def _property_value(fields: Options, text: str) -> str:
    name, value = fields.get("property"), fields.get("value")
    if not name:
        return ""
    if value is None or isinstance(value, (dict, list)):
        return "" if name in text else f" (property {name})"
    shown = str(value)
    if len(shown) > _LONGEST_VALUE:
        shown = shown[:_LONGEST_VALUE] + "..."
    if name in text and shown in text:
        return ""
    return f' ({name}: "{shown}")' if isinstance(value, str) else f" ({name}: {shown})"
