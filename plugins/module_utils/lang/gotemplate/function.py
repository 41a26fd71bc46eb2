# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How a function is declared that templates may call.

    FUNCTIONS = {
        "upper": Function(str.upper, "string"),
        "repeat": Function(lambda count, text: text * count, "int", "string"),
        "cat": Function(cat, "...any"),
        "now": Function(lambda context: context.now(), with_context=True),
    }

Arguments come by position and checked: a ``string`` is a str, an ``int`` an int, and so on (values.py). What does not
fit is refused before the call, in Go's words. With ``with_context`` the context handed to ``Template.render`` comes
first: clock, randomness and all else that is not of the language. A function raises CallError for what Go's would
return as its error; the evaluator adds where. It answers Go values (values.py), of the class for the right type.
"""

from __future__ import annotations

from ..go.fmt import GoFormatError
from ..go.kinds import Uint32, type_name
from ..go.time.times import Duration
from ..go.values import Int64, NilList, NilMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Protocol

    class Functions(Protocol):
        """Functions by name: a dict, or what finds them when they are asked for."""

        def __contains__(self, name: object, /) -> bool:
            """Return whether there is a function of that name."""

        def __getitem__(self, name: str, /) -> Function:
            """Return the function of that name."""


class CallError(Exception):
    """Raised by a function: what Go's would return as its error, or panic with. The text is the message."""


#: What a function raises when it refuses: its own words, or that a value cannot be printed.
REFUSALS = (CallError, GoFormatError)


class Parameter:
    """What a parameter takes.

    ``name`` is Go's name of the type; ``constant`` what constants of a template fit (``bool``, ``string``, ``integer``,
    ``unsigned integer``, ``float``, ``any``, or "" for none) and ``make`` makes the value of one. A ``nilable`` one
    takes nil and gets ``make_nil()``.
    """

    __slots__ = ("constant", "make", "make_nil", "name", "nilable")

    def __init__(
        self,
        name: str,
        constant: str = "",
        make_nil: Callable[[], Any] | None = None,
        make: Callable[[Any], Any] | None = None,
    ) -> None:
        self.name = name
        self.constant = constant
        self.nilable = make_nil is not None
        self.make_nil = make_nil or _nothing
        self.make = make or _same

    def accepts(self, value: Any) -> bool:
        """Return whether a value other than nil is of this type."""
        return self.constant == "any" or type_name(value) == self.name


def _nothing() -> None:
    return None


def _same(value: Any) -> Any:
    return value


def _span(value: int) -> Any:
    return Duration(value)


_KNOWN: dict[str, Parameter] = {
    "any": Parameter("interface {}", "any", _nothing),
    "bool": Parameter("bool", "bool"),
    "string": Parameter("string", "string"),
    "int": Parameter("int", "integer"),
    "int64": Parameter("int64", "integer", make=Int64),
    "uint32": Parameter("uint32", "unsigned integer", make=Uint32),
    "float64": Parameter("float64", "float"),
    "time.Duration": Parameter("time.Duration", "integer", make=_span),
    "[]any": Parameter("[]interface {}", "", NilList),
    "map[string]any": Parameter("map[string]interface {}", "", NilMap),
}


def _parameter(name: str) -> Parameter:
    """Return what a name in a declaration means; names not listed above are types without constants."""
    found = _KNOWN.get(name)
    if found is None:
        found = _KNOWN[name] = Parameter(name, "", _nothing if name.startswith("*") else None)
    return found


class Function:
    """A function or method of templates: ``call`` and the Go types of its parameters.

    Types are ``any`` (which takes everything), ``bool``, ``string``, ``int``, ``int64``, ``uint32``, ``float64``,
    ``[]any``, ``map[string]any``, or any other name that ``type_name`` gives, such as ``time.Time``. A last one with
    ``...`` in front takes any number of arguments, each handed over by itself.
    """

    __slots__ = ("call", "parameters", "variadic", "with_context")

    def __init__(self, call: Callable[..., Any], *parameters: str, with_context: bool = False) -> None:
        self.call = call
        self.with_context = with_context
        self.variadic: Parameter | None = None
        if parameters and parameters[-1].startswith("..."):
            self.variadic = _parameter(parameters[-1][3:])
            parameters = parameters[:-1]
        self.parameters = tuple(map(_parameter, parameters))
