# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of templates, and how they are called."""

from __future__ import annotations

from ..go.values import decoded, truncated, wrapped
from .errors import JetError
from .indexing import Method
from .numbers import ADVICE, number_kind
from .values import MISSING, Boxed, text_of, type_of, unboxed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from .compiler import Argument
    from .runtime import Runtime


class Arguments:
    """What a function is called with: counted, and evaluated when asked for. A piped value is the first one."""

    __slots__ = ("_given", "_piped", "_slot", "runtime")

    def __init__(self, runtime: Runtime, given: Sequence[Argument], slot: bool = False, piped: Any = MISSING) -> None:
        self.runtime = runtime
        self._given = given
        self._slot = slot
        self._piped: Any = piped

    def __len__(self) -> int:
        return len(self._given)

    def require(self, name: str, least: int, most: int | None = None) -> None:
        """Check how many there are. Raises JetError."""
        if len(self) < least or (most is not None and len(self) > most):
            raise JetError(f"unexpected number of arguments in a call to {name}")

    def get(self, number: int) -> Any:
        """Return an argument, from 0; MISSING where there is none. Raises JetError."""
        return self._given[number].value(self.runtime) if number < len(self._given) else MISSING

    def plain(self, number: int) -> Any:
        """Return an argument without its box, None for a missing one. Raises JetError."""
        value = unboxed(self.get(number))
        return None if value is MISSING else value

    def is_set(self, number: int) -> bool:
        """Return whether an argument is there and not nil; errors on the way count as not."""
        return self._given[number].is_set(self.runtime)

    def string(self, number: int, lead: str = "") -> str:
        """Return an argument that must be a text. Raises JetError, with ``lead`` before the reason when it is none."""
        value = self._present(number, lead)
        if not isinstance(value, str):
            raise JetError(f"{lead}could not parse {text_of(value)} ({type_of(value)}) as a text")
        return value

    def integer(self, number: int) -> int:
        """Return an argument that must be a number, without its fraction. Raises JetError."""
        value = self._present(number)
        if not number_kind(value):
            raise JetError(f"could not parse {text_of(value)} ({type_of(value)}) as an integer")
        return truncated(value) if isinstance(value, float) else int(value)

    def _present(self, number: int, lead: str = "") -> Any:
        value = unboxed(self.get(number))
        if value is MISSING:
            raise JetError(f"{lead}argument at position {number} is not a valid value")
        return value


class Function:
    """A function that is handed ``Arguments`` and looks at them itself."""

    GO_TYPE = "jet.Func"
    GO_KIND = "func"
    __slots__ = ("call",)

    def __init__(self, call: Callable[[Arguments], Any]) -> None:
        self.call = call

    def go_text(self) -> str:
        """Return its form in texts; Go shows an address."""
        return "function"


class Native:
    """A function of Go with typed parameters: ``string``, ``int``, ``any``; ``result`` is the Go type it returns."""

    GO_KIND = "func"
    __slots__ = ("call", "parameters", "result")

    def __init__(self, call: Callable[..., Any], result: str, *parameters: str) -> None:
        self.call = call
        self.result = result
        self.parameters = parameters

    @property
    def GO_TYPE(self) -> str:
        """Go's name of its type."""
        names = ("interface {}" if kind == "any" else kind for kind in self.parameters)
        return f"func({', '.join(names)}) {self.result}"

    def go_text(self) -> str:
        """Return its form in texts; Go shows an address."""
        return "function"


class SafeWriter:
    """A function that prints what it is given, escaped in its own way; it must be the last of a pipeline."""

    GO_TYPE = "jet.SafeWriter"
    GO_KIND = "func"
    __slots__ = ("escape",)

    def __init__(self, escape: Callable[[str], str]) -> None:
        self.escape = escape

    def go_text(self) -> str:
        """Return its form in texts; Go shows an address."""
        return "function"


def call(runtime: Runtime, function: Any, given: Sequence[Argument], slot: bool, piped: Any) -> Any:
    """Call a function with arguments; ``piped`` is None or a one-element list. Raises JetError; see ``CallFault``."""
    arguments = given if piped is None else _with_piped(given, slot, piped)
    if isinstance(function, Function):
        value = function.call(Arguments(runtime, arguments))
        return MISSING if value is None else value
    if isinstance(function, Native):
        return _native(runtime, function, arguments)
    if isinstance(function, Method):
        return function.call(*(unboxed(argument.value(runtime)) for argument in arguments))
    raise CallFault(f"call expression: {type_of(function)} prints: it must be the last command of an action")


class CallFault(Exception):
    """A call that cannot be made as it is written; the reason, to which the place is added."""


class _Piped:
    """The argument that came through the pipe."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def value(self, runtime: Runtime) -> Any:
        return self._value

    def is_set(self, runtime: Runtime) -> bool:
        return True


def _with_piped(given: Sequence[Argument], slot: bool, piped: Any) -> list[Any]:
    argument = _Piped(piped[0])
    if not slot:
        return [argument, *given]
    return [argument if each.is_slot else each for each in given]


def _native(runtime: Runtime, function: Native, given: Sequence[Argument]) -> Any:
    parameters = function.parameters
    if len(given) != len(parameters):
        raise CallFault(f"call expression: {function.GO_TYPE} needs {len(parameters)} arguments, but have {len(given)}")
    values = []
    for at, (argument, parameter) in enumerate(zip(given, parameters)):
        value = argument.value(runtime)
        if value is MISSING:
            raise CallFault(f"call expression: argument for position {at} in {function.GO_TYPE} is not a valid value")
        values.append(value if value.__class__ is str and parameter == "string" else _converted(value, parameter))
    return function.call(*values)


def _converted(value: Any, parameter: str) -> Any:
    if parameter == "any":
        return unboxed(value)
    if value.__class__ is Boxed or value is None:
        raise JetError(f"value of type interface {{}} cannot be converted to type {parameter}{ADVICE}")
    if parameter == "string":
        return _as_text(value)
    if not number_kind(value):
        raise JetError(f"value of type {type_of(value)} cannot be converted to type {parameter}")
    return truncated(value) if isinstance(value, float) else wrapped(int(value))


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return decoded(value)
    if number_kind(value) and not isinstance(value, float):
        code = int(value)
        return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
    raise JetError(f"value of type {type_of(value)} cannot be converted to type string")
