# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of functions and methods: how many there are, and whether each is what its parameter takes."""

from __future__ import annotations

from ..go.kinds import type_name
from .nodes import Constant, Nil, Number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from .frame import Code, Frame
    from .function import Function, Parameter
    from .nodes import Node
    from .place import Place

    #: Returns the type of the place that nil was taken from, "" for nil that nothing holds.
    Nilness = Callable[[Frame, Any], str]


def miscounted(name: str, function: Function, given: int, piped: bool) -> str:
    """Return the error for a wrong number of arguments, "" for a right one; ``piped`` adds one from a pipe."""
    wanted = len(function.parameters)
    if function.variadic is not None:
        if given + piped >= wanted:
            return ""
        return f"wrong number of args for {name}: want at least {wanted} got {given}"
    return "" if given + piped == wanted else f"wrong number of args for {name}: want {wanted} got {given + piped}"


def parameter_for(function: Function, number: int) -> Parameter:
    """Return the parameter that takes argument ``number`` (from 0)."""
    if number < len(function.parameters) or function.variadic is None:
        return function.parameters[number]
    return function.variadic


class Argument:
    """An operand in the place of an argument, or what came by pipe (``node`` None).

    ``code`` evaluates it (None for constants); ``here`` is what messages about its value refer to.
    """

    __slots__ = ("code", "here", "nilness", "node")

    def __init__(self, node: Node | None, code: Code | None, here: Place, nilness: Nilness | None = None) -> None:
        self.node = node
        self.code = code
        self.here = here
        self.nilness = nilness

    def checked(self, parameter: Parameter) -> Code:
        """Return what evaluates the argument and raises TemplateFault if it is not what ``parameter`` takes."""
        code = self.code
        if code is None:
            return self._constant(parameter)
        if parameter.constant == "any":
            return code
        if parameter.name == "string":

            def text(frame: Frame, dot: Any) -> Any:
                value = code(frame, dot)
                return value if value.__class__ is str else self.checked_value(parameter, value, frame, dot)

            return text
        return lambda frame, dot: self.checked_value(parameter, code(frame, dot), frame, dot)

    def checked_value(self, parameter: Parameter, value: Any, frame: Frame, dot: Any) -> Any:
        """Return ``value`` as ``parameter`` takes it. Raises TemplateFault."""
        if value is not None:
            if parameter.accepts(value):
                return value
            raise self.here.fault(f"wrong type for value; expected {parameter.name}; got {type_name(value)}")
        place = "" if self.nilness is None else self.nilness(frame, dot)
        if place:
            if parameter.constant == "any":
                return None
            raise self.here.fault(f"wrong type for value; expected {parameter.name}; got {place}")
        if parameter.nilable:
            return parameter.make_nil()
        raise self.here.fault(f"invalid value; expected {parameter.name}")

    def _constant(self, parameter: Parameter) -> Code:
        try:
            value = constant(self.node, parameter)
        except ConstantError as error:
            return failing(self.here, str(error))
        return lambda frame, dot: value


class ConstantError(Exception):
    """A constant where something else is wanted; the text is Go's reason."""


def failing(here: Place, reason: str) -> Code:
    """Return what raises a TemplateFault when it is evaluated."""

    def fail(frame: Frame, dot: Any) -> Any:
        raise here.fault(reason)

    return fail


def constant(node: Any, parameter: Parameter) -> Any:
    """Return the value of a constant (or nil) as a parameter takes it. Raises ConstantError."""
    if isinstance(node, Nil):
        if parameter.nilable:
            return parameter.make_nil()
        raise ConstantError("cannot assign nil to " + parameter.name)
    value, wanted = node.value, parameter.constant
    if wanted == "any":
        return ideal(node)
    if wanted == "":
        raise ConstantError(f"can't handle {node.text()} for arg of type {parameter.name}")
    if isinstance(value, Number):
        found = {"integer": value.integer, "unsigned integer": value.unsigned, "float": value.floating}.get(wanted)
    else:
        found = value if wanted == {bool: "bool", str: "string"}[value.__class__] else None
    if found is None:
        raise ConstantError(f"expected {wanted}; found {node.text()}")
    return parameter.make(found)


def ideal(node: Constant) -> Any:
    """Return the value of a constant where no type is asked for. Raises ConstantError."""
    if not isinstance(node.value, Number):
        return node.value
    if node.value.ideal is None:
        raise ConstantError(node.source + " overflows int")
    return node.value.ideal


def fits(node: Node, parameter: Parameter) -> bool:
    """Return whether a node is a constant that a parameter takes."""
    if not isinstance(node, (Constant, Nil)):
        return False
    try:
        constant(node, parameter)
    except ConstantError:
        return False
    return True


class Arguments:
    """The arguments of what may turn out to be a method: operands, and what came by pipe."""

    __slots__ = ("given", "here", "piped")

    def __init__(self, given: Sequence[Argument], piped: Argument | None, here: Place) -> None:
        self.given = given
        self.piped = piped
        self.here = here

    def values(self, frame: Frame, dot: Any, name: str, method: Function) -> list[Any]:
        """Return the arguments as ``method`` takes them. Raises TemplateFault."""
        wrong = miscounted(name, method, len(self.given), self.piped is not None)
        if wrong:
            raise self.here.fault(wrong)
        found = [*self.given] if self.piped is None else [*self.given, self.piped]
        return [argument.checked(parameter_for(method, at))(frame, dot) for at, argument in enumerate(found)]
