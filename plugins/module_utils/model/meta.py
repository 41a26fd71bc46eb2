# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`meta` of a resource: how the engine treats it."""

from __future__ import annotations

from ..lang.digits import whole_number
from ..lang.durations import DurationError, parse
from .errors import InvalidResource, ResourceFailed
from .property import DURATION_PATTERN, NEVER, REFERENCE_PATTERN, Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from .values import Meta

#: The number of tries of a resource that is tried again for ever.
FOR_EVER = -1
REPAIR = "repair"
WATCH_MODES = (REPAIR, "alert", "false", "true")


# A number, also with a fraction, an exponent or a sign.
_NUMBER = r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*"
_END = r"(?![\s\S])"
#: `NAME` or `NAME:COUNT`; no bare number, no empty name or count, and no other number in the place of the count.
SEMAPHORE_PATTERN = (
    rf"^(?!(?:[0-9]*:)?[0-9]+{_END})"
    rf"(?:[\s\S]+:(?=[0-9]{{1,12}}{_END})0*[1-9][0-9]*{_END}|(?![\s\S]*:(?:{_NUMBER})?{_END})[\s\S])"
)


class NotDoneInTime(ResourceFailed):
    """The time of a resource was over; the message says what took it."""


def check_meta(values: Meta, own: Sequence[Property]) -> None:
    """Raise InvalidResource for a value that has no meaning; `own` are the fields that only its type has."""
    if values["retry"] < FOR_EVER:
        message = f"retry must be a number of tries from 0, or {FOR_EVER} for ever"
        raise InvalidResource(message, property="retry", value=values["retry"])
    delay_of(values)
    if values["timeout"] and not timeout_of(values):
        message = f'timeout "{values["timeout"]}" leaves no time'
        raise InvalidResource(message, property="timeout", value=values["timeout"], advice="write a duration like 30s")
    for text in values["sema"]:
        semaphore(text)
    given: Mapping[str, object] = values
    for field in own:
        if field.choices and given[field.name] not in ("", *field.choices):
            message = f"{field.name} must be one of {', '.join(field.choices)}"
            raise InvalidResource(message, property=field.name, value=str(given[field.name]))


def delay_of(values: Meta) -> int:
    """Return the nanoseconds between two tries. Raises InvalidResource."""
    return duration("delay", values["delay"])


def timeout_of(values: Meta) -> int:
    """Return the nanoseconds that one try may take, 0 for any time. Raises InvalidResource."""
    return duration("timeout", values["timeout"])


def duration(name: str, text: str, advice: str = "write a duration like 500ms or 10s") -> int:
    """Return the nanoseconds of the field `name`, 0 for "". Raises InvalidResource."""
    try:
        found = parse(text) if text else 0
        reason = "negative" if found < 0 else ""
    except DurationError as error:
        found, reason = 0, str(error)
    if reason:
        raise InvalidResource(f'{name} "{text}": {reason}', property=name, value=text, advice=advice)
    return found


def semaphore(text: str) -> tuple[str, int]:
    """Return name and count of `NAME` or `NAME:COUNT`; other text after a colon belongs to the name.

    Raises InvalidResource for a bare number, for no name, for no count after a colon, and for a number there that is
    not one from 1.
    """
    import re

    if not re.search(SEMAPHORE_PATTERN, text):
        advice = "write a name, or NAME:COUNT with a count from 1"
        raise InvalidResource(f'sema "{text}" is not a semaphore', property="sema", value=text, advice=advice)
    name, _colon, written = text.rpartition(":")
    count = whole_number(written) if name else None
    return (name, count) if count else (text, 1)


def type_semaphore(name: str) -> str:
    """Return the name of a semaphore of types: it has a space, so that no manifest can use the same name."""
    return f"{name} of types"


def _later(name: str, end: str = "") -> Property:
    help = f"References (type#name) to resources that are managed after this one{end}."
    return Property(name, "strings", when=NEVER, pattern=REFERENCE_PATTERN, may_hold_secrets=True, help=help)


#: The fields that all types have.
FIELDS = (
    _later("before"),
    _later("notify", ", and refreshed when it changed"),
    Property("autoedge", "boolean", nullable=True, default=True, help="Whether what resources provide orders it."),
    Property(
        "autogroup",
        "boolean",
        nullable=True,
        default=True,
        help="Whether a package may be installed or removed together with others.",
    ),
    Property("noop", "boolean", help="Report what would change, and change nothing."),
    Property("retry", "integer", minimum=FOR_EVER, help="How often to try again after a failure; -1 for ever."),
    Property("retry_reset", "boolean", help="Whether success gives back all tries when it is managed again."),
    Property("delay", when=NEVER, pattern=DURATION_PATTERN, help="The pause between two tries, like 500ms."),
    Property(
        "timeout",
        when=NEVER,
        pattern=DURATION_PATTERN,
        help="How long one try may take, like 30s; then its commands and downloads are ended.",
    ),
    Property(
        "send",
        "object",
        help="Its values for others are kept.",
        fields=(Property("sensitive", "boolean", help="Whether they are never shown."),),
    ),
    Property(
        "sema",
        "strings",
        when=NEVER,
        pattern=SEMAPHORE_PATTERN,
        help="Names of semaphores, or NAME:COUNT: of the resources with one only COUNT, or 1, run at once.",
    ),
    # How ccm watch treats it.
    Property(
        "watch", when=NEVER, choices=WATCH_MODES, help="Whether ccm watch repairs it, only reports it, or neither."
    ),
    Property("poll", when=NEVER, help="How often to check it, like 30s, in place of waiting for a change; or once."),
    Property("grace", when=NEVER, pattern=DURATION_PATTERN, help="How long to wait from a change to the repair."),
    Property("limit", when=NEVER, help="How often it is checked at most when it is watched, like 2/s or 1/10s."),
    Property("burst", "integer", minimum=0, help="How many checks may follow each other before the limit counts."),
    Property(
        "rewatch",
        "boolean",
        nullable=True,
        default=True,
        help="Whether it is tried and watched anew when ccm watch reads the manifest again, if it fails.",
    ),
)
