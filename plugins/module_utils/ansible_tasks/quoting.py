# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Refuses options of modules that YAML did not read as text, as they were not quoted: modes, versions, dates."""

from __future__ import annotations

import datetime

from ..model.errors import InvalidResource
from ..model.property import boolean_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.property import Property
    from ..model.values import Value
    from .ansible_module import ArgumentSpec, Options

_HIGHEST_NUMBER = 0o777
#: The options of modules that are octal numbers, with the highest text of each.
_HIGHEST = {"mode": "7777", "umask": "0777"}
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
        f'{name} must be text from "0000" to "{_HIGHEST.get(name, _HIGHEST["mode"])}", but YAML reads {kind}: quote it'
    )


def check_quoted(spec: ArgumentSpec, given: Options) -> None:
    """Refuse what is no text where `spec` wants text, invalid modes, and dates anywhere.

    `given` holds a task's options as YAML and templates made them. Raises NotQuoted.
    """
    named = {alias: option for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
    for name, value in given.items():
        option = named.get(name, {})
        if name in _HIGHEST and option.get("type") == "raw" and value is not None:
            written_mode(value, name)
        elif option.get("type") == "str":
            check_text(name, value)
        elif option.get("elements") == "str":
            for entry in value if isinstance(value, list) else [value]:
                check_text(name, entry)
        else:
            _check_dates((name,), value)


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


def check_booleans(properties: Sequence[Property], given: Options) -> None:
    """Refuse other values of options that are a boolean or one of some words. Raises InvalidResource."""
    for prop in properties:
        if prop.kind == "boolean" and prop.choices and given.get(prop.name) is not None:
            written_boolean(prop, given[prop.name])


def check_text(name: str, value: Value) -> None:
    """Refuse all but text and whole numbers as the value of the text option `name`. Raises NotQuoted."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, (str, int))):
        raise _unquoted(name, value)


def check_version(name: str, value: Value) -> None:
    """Refuse any value but text for the option `name` that takes versions. Raises NotQuoted.

    Even for a whole number it is not known how it was written: YAML reads `1:30` as 90 and `010` as 8.
    """
    if value is not None and not isinstance(value, str):
        raise _unquoted(name, value)


def _check_dates(path: tuple[str, ...], value: Value) -> None:
    """Refuse a date in the value at a path, which no module can take. Raises NotQuoted."""
    if isinstance(value, datetime.date):
        raise NotQuoted(f"{'.'.join(path)} must be text, but YAML reads a date: quote it")
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        _check_dates((*path, str(key)), entry)


def _unquoted(name: str, value: Value) -> NotQuoted:
    if isinstance(value, (list, tuple)):
        return NotQuoted(f"{name} must be text, but YAML reads a list: write it as text, or add the filter to_json")
    if isinstance(value, dict):
        return NotQuoted(f"{name} must be text, but YAML reads a mapping: write it as text, or add the filter to_json")
    return NotQuoted(f"{name} must be text, but YAML reads {_scalar(value)}: quote it")


def _scalar(value: Value) -> str:
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    return f"the number {_short(value)}" if isinstance(value, (int, float)) else "a date"


def _kind(value: Value) -> str:
    return "a list" if isinstance(value, (list, tuple)) else "a mapping" if isinstance(value, dict) else _scalar(value)


def _short(value: float) -> str:
    return repr(value) if abs(value) < 1 << 62 else "that is written there"
