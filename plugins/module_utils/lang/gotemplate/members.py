# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The names behind a point: entries of maps, fields and methods of objects."""

from __future__ import annotations

from ..go.kinds import element_type, type_name
from ..go.values import AnyMap, Fault
from .function import CallError, Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple

    #: A value, and the type of the place that it was taken from where this is an interface ("" where it is its own).
    Typed = Tuple[Any, str]

#: The type of a place that holds anything.
INTERFACE = "interface {}"


class MemberError(Exception):
    """Something that has no such member; the text is Go's reason."""


def method_of(value: Any, name: str) -> Function | None:
    """Return a method of ``value``; its ``call`` takes the value before the arguments. Raises MemberError."""
    methods = getattr(value, "GO_METHODS", None)
    if methods is not None:
        found: Function | None = methods.get(name)
        return found
    return _method_of_time(value, name) if type_name(value) in _TIMES else None


_TIMES = ("time.Time", "time.Duration", "time.Month", "time.Weekday", "*time.Location")
#: Methods that give more than templates can take, with Go's words for it.
_TOO_MUCH = {
    "Clock": "function Clock has 3 return values; should be 1 or 2",
    "Date": "function Date has 3 return values; should be 1 or 2",
    "ISOWeek": "invalid function signature for ISOWeek: second return value should be error; is int",
    "Zone": "invalid function signature for Zone: second return value should be error; is int",
}


def _method_of_time(value: Any, name: str) -> Function | None:
    from ..expr.methods import declared

    found = declared(type_name(value), name)
    if found is None:
        return None
    if name in _TOO_MUCH:
        raise MemberError(_TOO_MUCH[name])
    call, parameters = found

    def refusing(*arguments: Any) -> Any:
        try:
            return call(*arguments)
        except Fault as fault:
            raise CallError(fault.message) from None

    return Function(refusing, *parameters)


def member(receiver: Typed, name: str, has_arguments: bool = False) -> Typed:
    """Return the entry or field ``name`` of a value that has no method of that name. Raises MemberError.

    A missing entry of a map is nil of no type, and so is every member of it.
    """
    value, place = receiver
    if value is None:
        if place:
            raise MemberError(f"nil pointer evaluating {place}.{name}")
        return None, ""
    if hasattr(value, "keys"):
        if has_arguments:
            raise MemberError(name + " is not a method but has arguments")
        return _entry(value, name)
    fields = getattr(value, "GO_FIELDS", {})
    if name not in fields:
        raise MemberError(f"can't evaluate field {name} in type {place or type_name(value)}")
    if has_arguments:
        raise MemberError(name + " has arguments but cannot be invoked as function")
    return getattr(value, fields[name]), ""


def _entry(value: Any, name: str) -> Typed:
    if isinstance(value, AnyMap):
        found = value.find(name)
    elif name in value:
        found = value[name]
    else:
        return None, ""
    return found, place_type(value)


def place_type(container: Any) -> str:
    """Return the type of a list's or map's places where this is an interface, else ""."""
    return INTERFACE if element_type(container) == INTERFACE else ""
