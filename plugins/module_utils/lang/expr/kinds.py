# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Static kinds: what the checker knows of a value before the expression runs, under the names that Go gives them.

A function is declared by the kinds of its parameters and its result.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

_INTEGERS = frozenset(("int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"))


class Kind:
    """A static kind.

    ``name`` is what messages show and what makes two kinds the same. ``sort`` is the family: ``invalid`` (nothing is
    known, or nil), ``interface``, ``bool``, ``int``, ``int64``, ``uint8``, ``float64``, ``string``, ``slice``, ``map``,
    ``func``, ``struct``, ``ptr``. ``element`` and ``key`` describe lists and maps, ``signature`` functions.
    """

    __slots__ = ("element", "floating", "integer", "key", "name", "nil", "signature", "sort", "unknown")

    def __init__(
        self,
        name: str,
        sort: str,
        element: Kind | None = None,
        key: Kind | None = None,
        signature: Signature | None = None,
        nil: bool = False,
    ) -> None:
        self.name = name
        self.sort = sort
        self.element = element
        self.key = key
        self.signature = signature
        self.nil = nil
        self.integer = name in _INTEGERS
        self.floating = name == "float64"
        self.unknown = not nil and sort in ("invalid", "interface")

    @property
    def number(self) -> bool:
        """Whether arithmetic takes it (named kinds such as durations are none)."""
        return self.integer or self.floating

    def assignable_to(self, other: Kind) -> bool:
        """Return whether a value of this kind may be where ``other`` is asked for."""
        if self.nil:
            return other.sort in ("ptr", "interface", "func", "map", "slice")
        if self.sort == "invalid" or other.sort == "invalid":
            return False
        return other.sort == "interface" or self.name == other.name

    def comparable_to(self, other: Kind) -> bool:
        """Return whether ``==`` between the two can make sense."""
        if self.unknown or other.unknown or self.nil or other.nil:
            return True
        if self.number and other.number:
            return True
        return (self.sort == "slice" and other.sort == "slice") or self.assignable_to(other)


class Signature:
    """Kinds of the parameters and of the result of a function; ``variadic``: the last parameter repeats."""

    __slots__ = ("parameters", "result", "results", "variadic")

    def __init__(self, parameters: Sequence[Kind], result: Kind, variadic: bool = False, results: int = 1) -> None:
        self.parameters = tuple(parameters)
        self.result = result
        self.variadic = variadic
        self.results = results

    def text(self) -> str:
        """Return the signature as Go writes a function type."""
        names = [kind.name for kind in self.parameters]
        if self.variadic:
            names[-1] = "..." + names[-1]
        result = f"({self.result.name}, error)" if self.results == 2 else self.result.name
        return "func({}) {}".format(", ".join(names), result)


UNKNOWN = Kind("unknown", "invalid")
NIL = Kind("unknown", "invalid", nil=True)
ANY = Kind("interface {}", "interface")
BOOL = Kind("bool", "bool")
INT = Kind("int", "int")
INT64 = Kind("int64", "int64")
UINT8 = Kind("uint8", "uint8")
FLOAT = Kind("float64", "float64")
STRING = Kind("string", "string")
BYTES = Kind("[]uint8", "slice", UINT8)
LIST = Kind("[]interface {}", "slice", ANY)
INTS = Kind("[]int", "slice", INT)
FLOATS = Kind("[]float64", "slice", FLOAT)
STRINGS = Kind("[]string", "slice", STRING)
MAP = Kind("map[string]interface {}", "map", ANY, STRING)
STRING_MAP = Kind("map[string]string", "map", STRING, STRING)
ANY_MAP = Kind("map[interface {}]interface {}", "map", ANY, ANY)
GROUPS = Kind("map[interface {}][]interface {}", "map", LIST, ANY)
TIME = Kind("time.Time", "struct")
DURATION = Kind("time.Duration", "int64")
MONTH = Kind("time.Month", "int")
WEEKDAY = Kind("time.Weekday", "int")
LOCATION = Kind("*time.Location", "ptr")

_LOCATION_VALUE = Kind("time.Location", "struct")

_NAMED = {
    "any": ANY,
    "bool": BOOL,
    "int": INT,
    "int64": INT64,
    "float": FLOAT,
    "string": STRING,
    "list": LIST,
    "[]string": STRINGS,
    "map": MAP,
    "map[string]string": STRING_MAP,
    "duration": DURATION,
    "time": TIME,
}


def named(name: str) -> Kind:
    """Return the kind a declaration names: any, bool, int, int64, float, string, list, []string, map,
    map[string]string, duration, time. Raises KeyError for another name."""
    return _NAMED[name]


def dereferenced(kind: Kind) -> Kind:
    """Return what a kind points to; all but places are values themselves."""
    return _LOCATION_VALUE if kind is LOCATION else kind


def list_of(element: Kind) -> Kind:
    """Return the kind of a list whose elements are known better than its Go type says."""
    return Kind("[]interface {}", "slice", element)


def promoted(left: Kind, right: Kind) -> Kind:
    """Return the kind of a sum, difference or product of two numbers."""
    return FLOAT if left.floating or right.floating else INT


class Function:
    """A function that expressions may call.

    ``call`` takes the arguments and returns the value; without it the function is handed to ``Program.run``. It raises
    ExprFunctionError, whose text is shown with the place of the call. ``parameters`` and ``result`` name kinds as
    environments do; without parameters it takes any number of any values, as functions of CCM do. ``variadic``
    says that the last parameter repeats.
    """

    __slots__ = ("call", "parameters", "result", "signature", "variadic")

    def __init__(
        self,
        call: Callable[..., Any] | None = None,
        parameters: Sequence[str] | None = None,
        result: str = "any",
        variadic: bool = False,
    ) -> None:
        self.call = call
        self.parameters = None if parameters is None else tuple(parameters)
        self.result = result
        self.variadic = variadic
        if parameters is None:
            self.signature = Signature([ANY], named(result), variadic=True, results=2)
        else:
            self.signature = Signature([named(name) for name in parameters], named(result), variadic, results=2)
