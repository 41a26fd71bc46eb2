# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of options as they were written: octal modes that YAML read as numbers, and words that are booleans."""

from __future__ import annotations

from ..model.errors import InvalidResource
from ..model.property import boolean_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.property import Property
    from ..model.values import Value

_HIGHEST_NUMBER = 0o777
#: The options of modules that are octal numbers, with the highest text of each.
HIGHEST = {"mode": "7777", "umask": "0777"}
_TRUE = ("y", "yes", "on", "1", "true", "t", "1.0")
_FALSE = ("n", "no", "off", "0", "false", "f", "0.0")


class NotQuoted(InvalidResource):
    """A value that YAML did not read as the intended text; the message advises to quote it."""


def written_mode(value: Value, name: str = "mode") -> str:
    """Return the mode or umask of an option as octal text: an integer that YAML made of an octal mode is written back.

    Raises NotQuoted for an integer above 0o777 (`644` without quotes is a decimal number), for any integer as a umask
    (`22` is a decimal number as well), and for other values that are no text.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if name != "umask" and 0 <= value <= _HIGHEST_NUMBER:
            return f"{value:04o}"
        kind = f"the number {_short(value)}"
    else:
        kind = "nothing" if value is None else _kind(value)
    raise NotQuoted(
        f'{name} must be text from "0000" to "{HIGHEST.get(name, HIGHEST["mode"])}", but YAML reads {kind}: quote it'
    )


def written_boolean(prop: Property, value: Value) -> Value:
    """Return the value of an option that is a boolean, written as Ansible takes it, or one of some words.

    Raises InvalidResource.
    """
    if isinstance(value, bool) or value in prop.choices:
        return value
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise InvalidResource(f"{prop.name} must be {boolean_words(prop)}, not {value!r}", property=prop.name, value=value)


def scalar(value: Value) -> str:
    """Return what YAML read in place of text: a boolean, a number or a date."""
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    return f"the number {_short(value)}" if isinstance(value, (int, float)) else "a date"


def _kind(value: Value) -> str:
    return "a list" if isinstance(value, (list, tuple)) else "a mapping" if isinstance(value, dict) else scalar(value)


def _short(value: float) -> str:
    return repr(value) if abs(value) < 1 << 62 else "that is written there"
