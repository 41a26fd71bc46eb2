# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Go values that Python has no type for, and what messages call values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict

    Mapping = Dict[Any, Any]

MAX_INT = (1 << 63) - 1
MIN_INT = -(1 << 63)
_SPAN = 1 << 64

_HEAVIEST = 4_000_000


class Fault(Exception):
    """A reason why Go would not go on, raised by what does not know where it was called."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Int64(int):
    """An integer that Go would hold as ``int64``, as ``lookup()`` returns it; only its name in messages differs."""

    __slots__ = ()


class Uint8(int):
    """A byte of a text, which indexing gives."""

    __slots__ = ()


class _FloatKey(float):
    """A float as the key of a map where the same integer may be one too."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(("float", float(self)))


class _IntKey(int):
    """0 or 1 as the key of a map where false or true may be one too."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(("int", int(self)))


class _Int64Key(Int64):
    """An ``int64`` as the key of a map where the same ``int`` may be one too."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(("int64", int(self)))


class _Uint8Key(Uint8):
    """A byte as the key of a map where the same ``int`` may be one too."""

    __slots__ = ()

    def __hash__(self) -> int:
        return hash(("uint8", int(self)))


def _key(value: Any) -> Any:
    """Return ``value`` as the key of a map with free keys: Python takes 1, 1.0 and true for the same, Go does not."""
    kind = type(value)
    if kind is Int64:
        return _Int64Key(value)
    if kind is Uint8:
        return _Uint8Key(value)
    if kind is int:
        return _IntKey(value) if value in (0, 1) else value
    if kind is float:
        return _FloatKey(value) if value.is_integer() else value
    return value


def plain_key(key: Any) -> Any:
    """Return the value that a key of a map means."""
    kind = _PLAIN_KEYS.get(key.__class__)
    return key if kind is None else kind(key)


_PLAIN_KEYS: dict[type, Callable[[Any], Any]] = {
    _FloatKey: float,
    _IntKey: int,
    _Int64Key: Int64,
    _Uint8Key: Uint8,
}


class AnyMap(dict):
    """A map whose keys may be any value, as ``groupBy`` and ``fromPairs`` make it. Look into it with ``find``."""

    def put(self, key: Any, value: Any) -> None:
        """Store ``value`` under ``key``. Raises Fault for keys that cannot be one."""
        try:
            self[_key(key)] = value
        except TypeError:
            raise unhashable(key) from None

    def find(self, key: Any, default: Any = None) -> Any:
        """Return the value under ``key``. Raises Fault for keys that cannot be one."""
        try:
            return self.get(_key(key), default)
        except TypeError:
            raise unhashable(key, bool(self)) from None


def unhashable(key: Any, hashed: bool = True) -> Fault:
    """Return the Fault for a value that cannot be the key of a map; ``hashed`` is false for look-ups in empty maps."""
    name = type_name(key)
    return Fault(f"runtime error: hash of unhashable type {name}" if hashed else f"hash of unhashable type: {name}")


class StringMap(dict):
    """A map of texts: a missing key gives the empty text."""


class NilMap(dict):
    """A variable declared as a map that has none: empty, and nil."""


NIL_MAP = NilMap()


class NilList(list):
    """A list that was never made: empty, and nil."""


class FixedList(list):
    """A list of a Go type of its own: it equals only lists of that type, and ``sort`` takes it for nil."""


#: What Go calls the types of values that do not say it themselves; templates take their names from here as well.
GO_TYPES: dict[type, str] = {
    type(None): "<nil>",
    bool: "bool",
    int: "int",
    Int64: "int64",
    Uint8: "uint8",
    float: "float64",
    complex: "complex128",
    _FloatKey: "float64",
    _IntKey: "int",
    _Int64Key: "int64",
    _Uint8Key: "uint8",
    str: "string",
    bytes: "[]uint8",
    list: "[]interface {}",
    tuple: "[]interface {}",
    NilList: "[]interface {}",
    dict: "map[string]interface {}",
    NilMap: "map[string]interface {}",
    AnyMap: "map[interface {}]interface {}",
    StringMap: "map[string]string",
}


def type_name(value: Any) -> str:
    """Return what Go's ``%T`` calls ``value``."""
    if value.__class__ is int and value > MAX_INT:
        return "uint64"
    return named_type(value) or "interface {}"


def named_type(value: Any) -> str:
    """Return the Go type of ``value``: the type of its class, its own ``GO_TYPE``, the type of a base class, or ""."""
    name = GO_TYPES.get(value.__class__) or getattr(value, "GO_TYPE", None)
    if name is not None:
        return str(name)
    for base in (dict, list, str, int, float):
        if isinstance(value, base):
            return GO_TYPES[base]
    return ""


def is_nil(value: Any) -> bool:
    """Return whether ``value`` is nil, a map or list that was never made included."""
    return value is None or isinstance(value, (NilMap, NilList))


def is_number(value: Any) -> bool:
    """Return whether ``value`` is an integer or a float (and no bool)."""
    return isinstance(value, (int, float)) and value.__class__ is not bool and not hasattr(value, "GO_TYPE")


def is_integer(value: Any) -> bool:
    """Return whether ``value`` is an integer of no name of its own."""
    return isinstance(value, int) and value.__class__ is not bool and not hasattr(value, "GO_TYPE")


def wrapped(number: int) -> int:
    """Return ``number`` as 64 bits hold it."""
    if MIN_INT <= number <= MAX_INT:
        return number
    number &= _SPAN - 1
    return number - _SPAN if number > MAX_INT else number


def truncated(number: float) -> int:
    """Return the integer part of a float as the machine converts it: out of range and NaN give the lowest integer."""
    if -9.223372036854775808e18 <= number < 9.223372036854775808e18:
        return int(number)
    return MIN_INT


def to_int(value: Any) -> int:
    """Return a number as an index or bound. Raises Fault for anything else."""
    if value.__class__ is int:
        return wrapped(value)
    if isinstance(value, float):
        return truncated(value)
    if is_integer(value):
        return int(value)
    raise Fault(f"invalid operation: int({type_name(value)})")


def to_text(value: Any) -> str:
    """Return ``value`` if it is a text. Raises Fault for anything else."""
    if isinstance(value, str):
        return value
    raise conversion(value, "string")


def conversion(value: Any, wanted: str) -> Fault:
    """Return the Fault for a value that is not of the Go type ``wanted``."""
    return Fault(f"interface conversion: interface {{}} is {_held(value)}, not {wanted}")


def _held(value: Any) -> str:
    return "nil" if value is None else str(getattr(value, "SHOWN", None) or type_name(value))


def encoded(text: str) -> bytes:
    """Return the bytes of ``text``; surrogate escapes are the bytes they mean."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def decoded(data: bytes) -> str:
    """Return bytes as text; bytes that are no UTF-8 become surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def byte_length(text: str) -> int:
    """Return how many bytes ``text`` has in UTF-8."""
    return len(text) if text.isascii() else len(encoded(text))


def check_weight(value: Any) -> None:
    """Refuse values that hold so much, counted with repetition, that walking them would take for ever.

    Raises Fault. Expressions can build lists that hold one list many times over, level by level.
    """
    if not isinstance(value, (list, tuple, dict)):
        return
    left = _HEAVIEST
    stack: list[Any] = [value]
    while stack:
        item = stack.pop()
        left -= 1
        if isinstance(item, str):
            left -= len(item) >> 4
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
        if left < len(stack):
            raise Fault("memory budget exceeded")
