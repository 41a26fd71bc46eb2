# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The values that goss compares: how those differ in Go that are alike here, and how messages show them.

A tuple is Go's `[]string`, a list its `[]any`; an int is an `int`, a float a `float64`.
"""

from __future__ import annotations

from ...lang.go.fmt import GoFormatError, sorted_keys, sprint
from ...lang.go.json import GoJSONError, marshal
from ...lang.go.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Dict, List, Mapping, Protocol, Sequence, Tuple, TypeGuard, Union

    from ...model.values import Value

    Number = Union[int, float]
    Collection = Union[Tuple[Value, ...], List[Value], Dict[str, Value]]

    class Displayed(Protocol):
        """A value with a special form in messages."""

        def go_json(self) -> Showable: ...

    #: What messages can show: values, and matchers and transformations among them.
    Showable = Union[Value, Displayed, Sequence["Showable"], Mapping[str, "Showable"]]

_LONGEST_SHOWN = 4000
_LONG_FORM = 20
_DEEPEST_SHOWN = 10


class NoStrings(tuple):
    """A `[]string` that is nil: empty, and shown as null."""

    __slots__ = ()

    def go_json(self) -> None:
        """Return None."""


class RuleError(Exception):
    """A rule that cannot be evaluated; its text, in goss's words, becomes the message of the test that failed.

    It ends with the value `got`, as `show` returns it for the value and for the part of it that is to be shown.
    """

    def __init__(self, words: str, got: Value = None, show: Callable[[Value, Value], str] | None = None) -> None:
        super().__init__(words + (show(got, got) if show else ""))
        self.words = words
        self._got = got
        self._show = show

    def behind(self, words: str) -> RuleError:
        """Return the error with other words before it."""
        return RuleError(words + self.words, self._got, self._show)

    def shown(self, shorten: Callable[[str], str]) -> str:
        """Return its text with each text and list of lines in it shortened."""
        if self._show is None:
            return self.words
        part = self._got
        if isinstance(part, str):
            part = shorten(part)
        elif isinstance(part, tuple):
            part = tuple(shorten(text_of(part)).split("\n"))
        return self.words + self._show(self._got, part)


def is_number(value: Value) -> TypeGuard[Number]:
    """Return whether a value is a number for goss."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_collection(value: Value) -> TypeGuard[Collection]:
    """Return whether a value has elements."""
    return isinstance(value, (tuple, list, dict))


def elements_of(value: Collection) -> list[Value]:
    """Return the elements of a list, or the values of a mapping in the order of its keys."""
    return [value[key] for key in sorted_keys(value)] if isinstance(value, dict) else list(value)


def same(one: Value, other: Value) -> bool:
    """Return whether two values are equal and of the same kind, in all their parts."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        kinds = isinstance(one, tuple) == isinstance(other, tuple)
        return kinds and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return _go_type(one) == _go_type(other) and bool(one == other)


def text_of(value: Value) -> str:
    """Return a value as `to-string` makes it: lists line by line, all else as Go prints it."""
    if isinstance(value, (tuple, list)):
        return "\n".join(text_of(item) if isinstance(item, str) else _printed(item) for item in value)
    return _printed(value)


def _printed(value: Value) -> str:
    try:
        return sprint(value)
    except GoFormatError as error:
        raise RuleError(str(error)) from None


def as_json(value: Showable) -> str:
    """Return a value as messages show it.

    A matcher has a special form (`go_json`), whose texts are safe for HTML.
    """
    if isinstance(value, (tuple, list)) and not hasattr(value, "go_json"):
        return "[" + ",".join(map(as_json, value)) + "]"
    try:
        return marshal(value, escape_html=getattr(value, "escapes_html", False))
    except GoJSONError as error:
        return str(error)


def described(value: Value, part: Value) -> str:
    """Return a value with its kind, as errors show it: `<string>: abc`, `<[]string | len:1, cap:1>: ["a"]`.

    `part` is the shown part of the value: itself, or its beginning.
    """
    shown = part if isinstance(part, str) else _shown(part, 1)
    return f"<{_kind(value)}>: {shown[:_LONGEST_SHOWN]}"


def type_name(value: Value) -> str:
    """Return the name of a value's kind in Go, as `%T` prints it."""
    return "<nil>" if value is None else _go_type(value)


def _go_type(value: Value) -> str:
    if value is None:
        return "nil"
    for kind, name in (
        (bool, "bool"),
        (str, "string"),
        (int, "int"),
        (float, "float64"),
        (tuple, "[]string"),
        (list, "[]interface {}"),
        (dict, "map[string]interface {}"),
        (bytes, "[]uint8"),
    ):
        if isinstance(value, kind):
            return name
    return type(value).__name__


def _kind(value: Value) -> str:
    name = _go_type(value)
    if isinstance(value, (tuple, list)):
        return f"{name} | len:{len(value)}, cap:{len(value)}"
    return f"{name} | len:{len(value)}" if isinstance(value, dict) else name


def _shown(value: Value, depth: int) -> str:
    if depth > _DEEPEST_SHOWN:
        return "..."
    if value is None or isinstance(value, NoStrings):
        return "nil"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, tuple):
        return _bracketed("[]", [_shown(item, depth + 1) for item in value])
    if isinstance(value, list):
        return _bracketed("[]", [_element(item, depth + 1) for item in value])
    if isinstance(value, dict):
        return _bracketed("{}", [f"{quote(key)}: {_element(value[key], depth + 1)}" for key in sorted(value)])
    return _printed(value)


def _element(value: Value, depth: int) -> str:
    return "nil" if value is None else f"<{_kind(value)}>{_shown(value, depth)}"


def _bracketed(brackets: str, items: list[str]) -> str:
    if any(len(item) > _LONG_FORM for item in items):
        return f"{brackets[0]} {', '.join(items)}, {brackets[1]}"
    return brackets[0] + ", ".join(items) + brackets[1]


def quoted(value: Value) -> str:
    """Return a value as Go's `%q` prints it, which is for texts."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, (tuple, list)):
        return "[" + " ".join(map(_quoted_part, value)) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{quote(key)}:{_quoted_part(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, int) and not isinstance(value, bool):
        is_character = 0 <= value <= 0x10FFFF and not 0xD800 <= value < 0xE000
        return "'" + quote(chr(value) if is_character else "\ufffd")[1:-1].replace("'", "\\'") + "'"
    return f"%!q({'<nil>' if value is None else f'{_go_type(value)}={_printed(value)}'})"


def _quoted_part(value: Value) -> str:
    return "<nil>" if value is None else quoted(value)
