# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`meta` of a resource: how the engine treats it."""

from __future__ import annotations

from ..lang.digits import whole_number
from ..lang.durations import DurationError, parse
from .errors import InvalidResource
from .property import DURATION_PATTERN, NEVER, REFERENCE_PATTERN, Property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .values import Meta

#: The number of tries of a resource that is tried again for ever.
FOR_EVER = -1


def _check(values: Meta) -> None:
    """Raise InvalidResource for a value that has no meaning."""
    if values["retry"] < FOR_EVER:
        message = f"retry must be a number of tries from 0, or {FOR_EVER} for ever"
        raise InvalidResource(message, property="retry", value=values["retry"])
    delay_of(values)
    for text in values["sema"]:
        semaphore(text)


def delay_of(values: Meta) -> int:
    """Return the nanoseconds between two tries. Raises InvalidResource."""
    text = values["delay"]
    try:
        found = parse(text) if text else 0
        reason = "negative" if found < 0 else ""
    except DurationError as error:
        found, reason = 0, str(error)
    if reason:
        raise InvalidResource(
            f'delay "{text}": {reason}', property="delay", value=text, advice="write a duration like 500ms or 10s"
        )
    return found


def semaphore(text: str) -> tuple[str, int]:
    """Return name and count of `NAME` or `NAME:COUNT`. Raises InvalidResource for a bare number and for no name."""
    name, colon, digits = text.rpartition(":")
    if not (colon and digits.isascii() and digits.isdigit()):
        name, digits = text, "1"
    count = whole_number(digits)
    if not name or (name.isascii() and name.isdigit()) or not count:
        advice = "write a name, or NAME:COUNT with a count from 1"
        raise InvalidResource(f'sema "{text}" is not a semaphore', property="sema", value=text, advice=advice)
    return name, count


META = Property(
    "meta",
    "object",
    when=NEVER,
    help="How the engine treats the resource.",
    check=_check,
    fields=(
        Property(
            "before",
            "strings",
            when=NEVER,
            pattern=REFERENCE_PATTERN,
            may_hold_secrets=True,
            help="References (type#name) to resources that are managed after this one.",
        ),
        Property(
            "notify",
            "strings",
            when=NEVER,
            pattern=REFERENCE_PATTERN,
            may_hold_secrets=True,
            help="References (type#name) to resources that are managed after this one, and refreshed when it changed.",
        ),
        Property(
            "autoedge",
            "boolean",
            nullable=True,
            default=True,
            help="Whether what resources provide orders it.",
        ),
        Property("noop", "boolean", help="Report what would change, and change nothing."),
        Property("retry", "integer", minimum=FOR_EVER, help="How often to try again after a failure; -1 for ever."),
        Property("delay", when=NEVER, pattern=DURATION_PATTERN, help="The pause between two tries, like 500ms."),
        Property(
            "sema",
            "strings",
            when=NEVER,
            pattern=".",
            help="Names of semaphores, or NAME:COUNT: of the resources with one only COUNT, or 1, run at once.",
        ),
    ),
)
