# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values as Jet sees them: Go's (gotemplate/values.py), and values that only reflection distinguishes.

``MISSING`` is no value at all (a key that is not there, ``nil``); None is nil, found as an entry of a list or map. An
entry met by walking a list or map is ``Boxed``: Jet does not know the value inside before a variable names it.
"""

from __future__ import annotations

import math

from ..go.fmt import GoFormatError, float_plain, sorted_keys, sprint
from ..go.kinds import StringList, Uint64, kind_name, type_name
from ..go.values import (
    AnyMap,
    Fault,
    Int64,
    NilList,
    NilMap,
    StringMap,
    Uint8,
    byte_length,
    decoded,
    encoded,
    plain_key,
)
from ..go.values import check_weight as check
from .errors import JetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

__all__ = [
    "MISSING",
    "AnyMap",
    "Boxed",
    "CaughtError",
    "Int64",
    "Integers",
    "NilList",
    "NilMap",
    "StringList",
    "StringMap",
    "Uint8",
    "Uint64",
    "VarMap",
]

MAX_INT = (1 << 63) - 1
#: Longest text that a template may make of one value, in characters.
MAX_TEXT = 1 << 26


class Missing:
    """The class of ``MISSING``."""

    GO_TYPE = "<invalid>"
    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def go_text(self) -> str:
        """Return how Go shows it inside a message."""
        return "<invalid reflect.Value>"

    go_syntax = go_text


MISSING = Missing()


class Boxed:
    """A value whose type Jet does not look at: an entry of a list or map of anything."""

    GO_TYPE = "interface {}"
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def go_text(self) -> str:
        """Return the value as Go prints it."""
        return text_of(self.value)


class VarMap(dict):
    """The variables of a template as its context: what ``.`` is in a scaffold."""

    GO_TYPE = "jet.VarMap"


class HiddenBool:
    """What ``includeIfExists`` gives: true or false, and nothing when printed."""

    GO_TYPE = "jet.hiddenBool"
    GO_KIND = "bool"
    __slots__ = ("truth",)

    def __init__(self, truth: bool) -> None:
        self.truth = truth

    def go_text(self) -> str:
        """Return it as Go's ``fmt`` prints it."""
        return "true" if self.truth else "false"


class JSONText:
    """What ``writeJson`` gives: JSON and a line end, made when it is printed."""

    GO_TYPE = "jet.RendererFunc"
    GO_KIND = "func"
    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def rendered(self) -> str:
        """Return the text. Raises JetError."""
        check_weight(self.value)
        return json_text(self.value) + "\n"


def json_text(value: Any) -> str:
    """Return a value as JSON. Raises JetError for a value that has no such form."""
    from ..go.json import GoJSONError, marshal

    try:
        return marshal(plain(value))
    except GoJSONError as error:
        raise JetError(str(error)) from None


class Integers:
    """What ``ints`` gives: the integers from ``start`` up to, not including, ``stop``."""

    GO_TYPE = "*jet.intsRanger"
    GO_FIELD_COUNT = 3
    __slots__ = ("start", "stop")

    def __init__(self, start: int, stop: int) -> None:
        self.start = start
        self.stop = stop

    def go_text(self) -> str:
        """Return it as Go prints it."""
        return f"{{-1 {self.start - 1} {self.stop}}}"

    def go_json(self) -> dict[str, int]:
        """Return what Go writes of it: none of its fields is public."""
        return {}


class CaughtError:
    """The error in a variable of ``catch``: its text, and a method ``Error`` that gives it."""

    GO_TYPE = "*errors.errorString"
    GO_FIELD_COUNT = 1
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def go_text(self) -> str:
        """Return the text."""
        return self.text

    def error(self) -> str:
        """Return the text, as the method ``Error``."""
        return self.text


def unboxed(value: Any) -> Any:
    """Return the value in a box, or the value itself."""
    return value.value if value.__class__ is Boxed else value


def plain(value: Any) -> Any:
    """Return a value as JSON and texts take it: no box, nil for a missing value."""
    if value.__class__ is Boxed:
        return value.value
    if isinstance(value, HiddenBool):
        return value.truth
    return None if value is MISSING else value


def is_true(value: Any) -> bool:
    """Return whether a value counts as true: all that is there, but for nil, false, 0 and the empty text.

    Empty lists and maps are true; so is a boxed value, unless it is nil.
    """
    kind = value.__class__
    if kind is bool or kind is str or kind is int or kind is float:
        return bool(value)
    if value is None or value is MISSING or isinstance(value, (NilMap, NilList)):
        return False
    if isinstance(value, (str, int, float)):
        return bool(value)
    return value.truth if kind is HiddenBool else True


def is_set(value: Any) -> bool:
    """Return whether a value is there and not nil."""
    return value is not None and value is not MISSING and not isinstance(value, (NilMap, NilList))


def type_of(value: Any) -> str:
    """Return Go's name of the type of a value."""
    if value is None:
        return "interface {}"
    if value.__class__ is int and value > MAX_INT:
        return "uint64"
    return type_name(value)


def kind_of(value: Any) -> str:
    """Return Go's name of the kind of a value: ``int``, ``float64``, ``slice``, ``interface``, ``invalid`` …"""
    if value is None or value.__class__ is Boxed:
        return "interface"
    if value is MISSING:
        return "invalid"
    if value.__class__ is VarMap:
        return "map"
    return kind_name(value)


def text_of(value: Any) -> str:
    """Return a value as Go's ``fmt.Sprint`` prints it. Raises JetError for what cannot be shown."""
    if value.__class__ is str:
        return value
    check_weight(value)
    try:
        return sprint(value)
    except GoFormatError as error:
        raise JetError(str(error)) from None


def printed(value: Any) -> str:
    """Return a value as an action prints it: floats never with an exponent, unless boxed. Raises JetError."""
    kind = value.__class__
    if kind is str:
        return value
    if kind is float:
        return float_text(value)
    if kind is bytes:
        return decoded(value)
    if kind is JSONText:
        return value.rendered()
    if kind is HiddenBool:
        return ""
    if isinstance(value, float):
        return float_text(value)
    return text_of(value)


def float_text(value: float) -> str:
    """Return a float with its shortest digits and no exponent."""
    if math.isnan(value):
        return "Nan"
    return float_plain(value)


def check_weight(value: Any) -> None:
    """Refuse lists and maps that hold so much, counted with repetition, that showing them takes for ever. JetError."""
    inner = unboxed(value)
    if isinstance(inner, (list, dict)):
        try:
            check(inner)
        except Fault as fault:
            raise JetError("value is too big to be shown: " + fault.message) from None


def check_size(size: int) -> None:
    """Refuse to make texts of more than MAX_TEXT characters. Raises JetError."""
    if size > MAX_TEXT:
        raise JetError(f"text of more than {MAX_TEXT} characters")


def entries(value: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the entries of a map in the order of its keys, as Go prints it."""
    if isinstance(value, AnyMap):
        return [(plain_key(key), value[key]) for key in sorted_keys(value)]
    return [(key, value[key]) for key in sorted_keys(value)]


def length(value: Any) -> int:
    """Return the length of a text in bytes, or of a list or map, or the number of fields. Raises JetError."""
    if isinstance(value, str):
        return byte_length(value)
    if isinstance(value, (list, tuple, bytes)) or hasattr(value, "keys"):
        return len(value)
    count = getattr(value, "GO_FIELD_COUNT", None)
    if count is not None:
        return int(count)
    raise JetError(f"len(): invalid value type {type_of(value)}")


def cut(value: Any, start: int, end: int | None) -> Any:
    """Return the part of a text (in bytes) or list from ``start`` up to ``end``. Raises JetError."""
    value_kind = kind_of(value)
    if isinstance(value, str):
        data: Any = value if value.isascii() else encoded(value)
    elif isinstance(value, (list, tuple, bytes)):
        data = value
    else:
        raise JetError(f"cannot slice a value of type {type_of(value)} ({value_kind})")
    size = len(data)
    stop = size if end is None else end
    if not 0 <= start <= stop <= size:
        raise JetError(f"slice bounds out of range: [{start}:{stop}] of {size}")
    part = data[start:stop]
    if isinstance(value, str):
        return part if isinstance(part, str) else decoded(part)
    return StringList(part) if isinstance(value, StringList) else part
