# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Refuses options of modules that YAML did not read as text, as they were not quoted: modes, versions, dates."""

from __future__ import annotations

import datetime
import shlex

from ..lang.go.quoting import quote
from ..redaction.texts import without_text_secrets
from .written import HIGHEST, NotQuoted, scalar, written_boolean, written_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.property import Property
    from ..model.values import Value
    from .ansible_module import ArgumentSpec, Options

_QUOTE = "quote it, or give a template the filter string"
#: The options of modules that are commands; `name` is one, too, where a module has `command`.
_COMMANDS = ("command", "onlyif", "unless", "validate")


def check_quoted(spec: ArgumentSpec, given: Options, lead: str = "") -> None:
    """Refuse other values where `spec` wants text, invalid modes, and dates anywhere.

    `given` holds a task's options as YAML and templates made them, or the options of one option; errors put `lead`
    before their names. Raises NotQuoted.
    """
    named = {alias: option for name, option in spec.items() for alias in (name, *option.get("aliases", ()))}
    for name, value in given.items():
        option, place = named.get(name, {}), f"{lead}{name}"
        if name in HIGHEST and option.get("type") == "raw" and value is not None:
            written_mode(value, name)
        elif option.get("type") == "str":
            if name == "name" and "command" in spec and not lead and isinstance(value, list):
                raise list_of_words(place, value, name)
            check_text(place, value)
        elif option.get("elements") == "str":
            if isinstance(value, dict):
                raise _mapping_for_list(place, value)
            for entry in value if isinstance(value, list) else [value]:
                check_text(place, entry)
        elif option.get("options") and isinstance(value, list):
            for number, entry in enumerate(value):
                if isinstance(entry, dict):
                    check_quoted(option["options"], entry, f"{place}.{number}.")
        else:
            _check_dates((place,), value)


def written_command(words: Sequence[Value]) -> str:
    """Return a command that is a list as text, in quotes of YAML and without its secrets; "" when it cannot be one.

    The escapes of Go in it are escapes of YAML as well.
    """
    if not words or not all(isinstance(word, (str, int, float)) for word in words):
        return ""
    texts = [str(word).lower() if isinstance(word, bool) else str(word) for word in words]
    return quote(without_text_secrets(" ".join(map(shlex.quote, texts))))


def list_of_words(name: str, words: Sequence[Value], key: str = "") -> NotQuoted:
    """Return the error for a command that is a list; it shows the command as text, after the `key` of the value."""
    command = written_command(words)
    advice = f"write {f'{key}: ' if key else ''}{command}" if command else "write it as text"
    return NotQuoted(f"{name} must be text, but YAML reads a list: {advice}")


def check_commands(name: str, entries: Value) -> None:
    """Refuse a command that is a list in the entries of an option that has commands by name. Raises NotQuoted."""
    for entry in entries if isinstance(entries, list) else ():
        for key, value in entry.items() if isinstance(entry, dict) else ():
            if isinstance(value, list):
                raise list_of_words(f"{name} for {key}", value)


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
        raise NotQuoted(f"{'.'.join(path)} must be text, but YAML reads a date: {_QUOTE}")
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        _check_dates((*path, str(key)), entry)


def _unquoted(name: str, value: Value) -> NotQuoted:
    if isinstance(value, (list, tuple)) and name.rpartition(".")[2] in _COMMANDS:
        return list_of_words(name, value, name.rpartition(".")[2])
    if isinstance(value, (list, tuple, dict)):
        kind, advice = "a mapping" if isinstance(value, dict) else "a list", "write it as text"
        if name.rpartition(".")[2] == "content":
            advice += ", or add the filter to_json"
        elif name == "name" and kind == "a list":
            advice = 'give the task a loop, with name: "{{ item }}"'
        return NotQuoted(f"{name} must be text, but YAML reads {kind}: {advice}")
    return NotQuoted(f"{name} must be text, but YAML reads {scalar(value)}: {_QUOTE}")


def _mapping_for_list(name: str, value: Options) -> NotQuoted:
    """Return the error for a mapping in place of a list of texts; variables are shown without secrets."""
    advice = "write a list"
    if name == "environment" and value:
        pairs = [f"{variable}={text}" for variable, text in value.items()]
        advice = f"write [{', '.join(quote(without_text_secrets(pair)) for pair in pairs)}]"
    return NotQuoted(f"{name} must be a list, but YAML reads a mapping: {advice}")
