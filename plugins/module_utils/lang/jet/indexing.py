# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Looking into values: fields, keys, indexes, methods; and setting what can be set."""

from __future__ import annotations

from ..go.quoting import quote
from ..go.values import Fault, encoded
from .errors import JetError
from .numbers import number_kind, to_int
from .values import (
    MISSING,
    AnyMap,
    Boxed,
    CaughtError,
    Integers,
    StringMap,
    Uint8,
    VarMap,
    entries,
    kind_of,
    text_of,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Method:
    """A method of a value, ready to be called."""

    GO_TYPE = "func()"
    GO_KIND = "func"
    __slots__ = ("call", "name")

    def __init__(self, name: str, call: Any) -> None:
        self.name = name
        self.call = call


def field(value: Any, name: str) -> Any:
    """Return what lies in ``value`` under a name, MISSING when a map has no such key. Raises JetError."""
    if value.__class__ is dict:
        return value.get(name, MISSING)
    return index(value, name)


def index(value: Any, key: Any) -> Any:
    """Return what lies in ``value`` at a key, position or name; MISSING when a map has no such key. Raises JetError."""
    value = _opened(value, key)
    if hasattr(value, "keys"):
        return _entry(value, key)
    if isinstance(key, str):
        found = _member(value, key)
        if found is not MISSING:
            return found
    if isinstance(value, (str, bytes)):
        data = encoded(value) if isinstance(value, str) else value
        return Uint8(data[position(key, len(data))])
    if isinstance(value, (list, tuple)):
        return value[position(key, len(value))]
    if hasattr(value, "GO_FIELDS"):
        raise JetError(f"can't use {text_of(key)} as field name in struct type {type_of(value).lstrip('*')}")
    raise JetError(f"can't evaluate index {text_of(key)} in type {type_of(value)}")


def _opened(value: Any, key: Any) -> Any:
    """Return the value in a box; nil and missing values have nothing inside."""
    if value is MISSING:
        raise JetError(f"there is no field or method '{text_of(key)}' in <invalid>")
    if value.__class__ is Boxed:
        value = value.value
    if value is None:
        raise JetError(f"nil pointer evaluating interface {{}}.{text_of(key)}")
    return value


def _entry(value: Any, key: Any) -> Any:
    if isinstance(value, AnyMap):
        try:
            return value.find(key, MISSING)
        except Fault as fault:
            raise JetError(fault.message) from None
    if isinstance(key, str):
        return value.get(key, MISSING)
    if number_kind(key) and not isinstance(key, float):
        raise JetError(f"the keys of {type_of(value)} are texts, not of type {type_of(key)}")
    raise JetError(f"can't use {text_of(key)} ({type_of(key)}) as key for map of type {type_of(value)}")


def _member(value: Any, name: str) -> Any:
    """Return a method or field of an object of Go, MISSING when there is none."""
    if isinstance(value, CaughtError):
        return Method(name, value.error) if name == "Error" else MISSING
    method = getattr(value, "GO_METHODS", {}).get(name)
    if method is not None:
        return Method(name, lambda *given: method.call(value, *given))
    attribute = getattr(value, "GO_FIELDS", {}).get(name)
    return MISSING if attribute is None else getattr(value, attribute)


def position(key: Any, size: int) -> int:
    """Return a key as a position in a list or text of this size; fractions are cut off. Raises JetError."""
    if not number_kind(key):
        if key is MISSING:
            raise JetError("cannot index slice/array/string with nil")
        raise JetError(f"cannot index slice/array/string with type {type_of(key)}")
    at = to_int(key)
    if not 0 <= at < size:
        raise JetError(f"index out of range: {at}")
    return at


def bound(value: Any) -> int:
    """Return a bound of a slice. Raises JetError."""
    if not number_kind(value):
        raise JetError(f"non numeric value in index expression kind {kind_of(value)}")
    return to_int(value)


def assign(target: Any, name: str, value: Any) -> None:
    """Set an entry of a map, or a field; MISSING takes an entry away. Other values stay alone. Raises JetError."""
    if value.__class__ is Boxed:
        value = value.value
    if hasattr(target, "keys"):
        if isinstance(target, StringMap) and not isinstance(value, str) and value is not MISSING:
            raise JetError(f"value of type {type_of(value)} is not assignable to type string")
        if value is MISSING:
            target.pop(name, None)
        elif isinstance(target, AnyMap):
            target.put(name, value)
        else:
            target[name] = value
        return
    fields = getattr(target, "GO_FIELDS", None)
    if fields is None:
        return
    if name not in fields:
        raise JetError(f"identifier {quote(name)} is not available in the current scope")
    current = getattr(target, fields[name])
    if type_of(current) != type_of(value):
        raise JetError(f"value of type {type_of(value)} is not assignable to type {type_of(current)}")
    setattr(target, fields[name], value)


def walked(value: Any) -> Any:
    """Return pairs of index or key and entry to range over. Raises JetError for what has no entries."""
    if value is MISSING:
        raise JetError("can't range over invalid value")
    if value.__class__ is Boxed:
        value = value.value
    if value is None:
        raise JetError("cannot range over nil pointer/interface (interface {})")
    if isinstance(value, bytes):
        return ((at, Uint8(byte)) for at, byte in enumerate(value))
    if isinstance(value, Integers):
        return enumerate(range(value.start, value.stop))
    if isinstance(value, (list, tuple)):
        pairs: Any = enumerate(value)
    elif hasattr(value, "keys"):
        pairs = entries(value)
    else:
        pairs = None
    if pairs is not None:
        boxes = type_of(value).endswith("interface {}") or value.__class__ is VarMap
        return ((key, _boxed(entry)) for key, entry in pairs) if boxes else iter(pairs)
    raise JetError(f"value {text_of(value)} (type {type_of(value)}) is not rangeable")


def _boxed(value: Any) -> Any:
    return None if value is None else Boxed(value)
