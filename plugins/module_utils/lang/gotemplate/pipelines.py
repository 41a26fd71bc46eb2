# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pipelines, commands and operands compiled into closures."""

from __future__ import annotations

from . import calls
from .access import Walk
from .arguments import Argument, Arguments, ConstantError, failing, fits, ideal, miscounted, parameter_for
from .builtins import AND, CALL, LEN, NIL_ELEMENT, OR
from .frame import DOLLAR
from .members import INTERFACE, place_type
from .nodes import Chain, Constant, Dot, Field, Identifier, Nil, Pipe, Variable
from .place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from .arguments import Nilness
    from .frame import Code, Frame
    from .function import Functions
    from .nodes import Command, Node
    from .place import Source

_CONSTANTS = (Constant, Nil)


def _dot(frame: Frame, dot: Any) -> Any:
    return dot


class Known:
    """A variable in sight: its place in a frame, and the place of the list or map that ``range`` reads it from."""

    __slots__ = ("name", "origin", "slot")

    def __init__(self, name: str, slot: int, origin: int | None) -> None:
        self.name = name
        self.slot = slot
        self.origin = origin


class Pipelines:
    """Compiles the pipelines of one template.

    ``at`` is the node that Go would name if something went wrong now: it moves on while nodes are compiled in the order
    in which they will be evaluated. ``dot_origin`` is the place in a frame of the list or map that dot is taken from.
    """

    def __init__(self, source: Source, functions: Functions) -> None:
        self.source = source
        self.functions = functions
        self.at: Any = None
        self.known = [Known("$", DOLLAR, None)]
        self.dot_origin: int | None = None
        self.size = DOLLAR + 1

    def slot(self) -> int:
        """Return a place in the frame that nothing else uses."""
        self.size += 1
        return self.size - 1

    def here(self) -> Place:
        """Return the place that messages refer to now."""
        return Place(self.source, self.at)

    def find(self, name: str) -> Known | None:
        """Return the variable of that name that is in sight."""
        return next((known for known in reversed(self.known) if known.name == name), None)

    def origin(self, name: str) -> int | None:
        """Return the place of the list or map that a variable's value was taken from."""
        known = self.find(name)
        return None if known is None else known.origin

    # Pipelines

    def pipe(self, pipe: Pipe) -> Code:
        """Return what evaluates a pipeline and stores the result in the variables that it declares or assigns."""
        code = self.result(pipe)
        for variable in pipe.declared:
            code = self.assigned(variable, code) if pipe.assigns else self.declared(variable, code)
        return code

    def result(self, pipe: Pipe) -> Code:
        """Return what evaluates the commands of a pipeline."""
        self.at = pipe
        code: Code | None = None
        for command in pipe.commands:
            code = self.command(command, code)
        return code or _dot

    def declared(self, variable: Variable, code: Code) -> Code:
        """Return what stores a result in a new variable."""
        known = Known(variable.names[0], self.slot(), None)
        self.known.append(known)
        return _stored(known.slot, code)

    def assigned(self, variable: Variable, code: Code) -> Code:
        """Return what stores a result in a variable in sight."""
        known = self.find(variable.names[0])
        if known is None:
            return then(code, failing(self.here(), "undefined variable: " + variable.names[0]))
        known.origin = None
        return _stored(known.slot, code)

    def command(self, command: Command, before: Code | None) -> Code:
        """Return what evaluates a command; ``before`` gives what comes by pipe."""
        first, rest = command.operands[0], command.operands[1:]
        if before is None:
            return self.applied(command, first, rest, None)
        if self.is_plain_call(first, rest):
            return self.applied(command, first, rest, before)
        slot = self.slot()
        code = self.applied(command, first, rest, lambda frame, dot: frame[slot])
        return then(_stored(slot, before), code)

    def is_plain_call(self, first: Node, rest: Sequence[Node]) -> bool:
        """Return whether a function gets only fitting constants and the piped value: then no order matters."""
        if not isinstance(first, Identifier):
            return False
        function = self.functions[first.name]
        if function is AND or function is OR or miscounted("", function, len(rest), True):
            return False
        return all(fits(operand, parameter_for(function, at)) for at, operand in enumerate(rest))

    def applied(self, command: Command, first: Node, rest: Sequence[Node], piped: Code | None) -> Code:
        """Return the code that evaluates an operand with its arguments and the piped value."""
        if isinstance(first, Identifier):
            return self.call(first, command, rest, piped)
        if isinstance(first, (Field, Chain)) or (isinstance(first, Variable) and len(first.names) > 1):
            return self.walk(first, first, rest, piped)
        if isinstance(first, (Constant, Dot, Nil, Variable)):
            self.at = first
        is_unknown = isinstance(first, Variable) and self.find(first.names[0]) is None
        if (rest or piped is not None) and not is_unknown:
            return failing(self.here(), "can't give argument to non-function " + first.text())
        if isinstance(first, Nil):
            return failing(self.here(), "nil is not a command")
        return self.value(first)

    # Operands

    def value(self, node: Node) -> Code:
        """Return what evaluates an operand without arguments."""
        if isinstance(node, Pipe):
            return self.pipe(node)
        if isinstance(node, Identifier):
            return self.call(node, node, (), None)
        self.at = node
        if isinstance(node, Constant):
            return self.constant(node)
        if isinstance(node, Dot):
            return _dot
        if isinstance(node, Variable) and len(node.names) == 1:
            return self.variable(node.names[0])
        return self.walk(node, node, (), None)

    def constant(self, node: Constant) -> Code:
        """Return what gives a constant."""
        try:
            value = ideal(node)
        except ConstantError as error:
            return failing(self.here(), str(error))
        return lambda frame, dot: value

    def variable(self, name: str) -> Code:
        """Return what reads a variable."""
        known = self.find(name)
        if known is None:
            return failing(self.here(), "undefined variable: " + name)
        slot = known.slot
        return lambda frame, dot: frame[slot]

    def walk(self, node: Any, call: Node, rest: Sequence[Node], piped: Code | None) -> Code:
        """Return what walks along the names behind a dot, a variable or a result."""
        self.at = node
        begin: Code = _dot
        origin, names = self.dot_origin, node.names
        if isinstance(node, Variable):
            begin, origin, names = self.variable(names[0]), self.origin(names[0]), names[1:]
        elif isinstance(node, Chain):
            self.at = node.node
            begin, origin = self.value(node.node), None
        here = self.here()
        arguments = None
        if rest or piped is not None:
            given = [self.argument(operand) for operand in rest]
            arguments = Arguments(given, None if piped is None else Argument(None, piped, self.here()), here)
        walk = Walk(names, origin, here, Place(self.source, call), arguments)
        return walk.from_dot() if isinstance(node, Field) else walk.from_value(begin)

    # Calls

    def call(self, node: Identifier, whole: Node, rest: Sequence[Node], piped: Code | None) -> Code:
        """Return what calls a function; ``whole`` is what messages show when it fails."""
        self.at = node
        function, name = self.functions[node.name], node.name
        wrong = miscounted(name, function, len(rest), piped is not None)
        if wrong:
            return failing(self.here(), wrong)
        codes = [self.argument(operand).checked(parameter_for(function, at)) for at, operand in enumerate(rest)]
        if piped is not None:
            codes.append(Argument(None, piped, self.here()).checked(parameter_for(function, len(rest))))
        if function is AND or function is OR:
            return calls.until(function is OR, codes)
        if function is LEN and rest:
            codes[0] = _held(codes[0], self.nilness(rest[0]))
        if function is CALL:
            source = rest[0].text() if rest else ""
            codes.insert(0, lambda frame, dot: source)
        return calls.call(function, name, codes, Place(self.source, whole))

    def argument(self, node: Node) -> Argument:
        """Return an operand as an argument."""
        self.at = node
        if isinstance(node, _CONSTANTS):
            return Argument(node, None, self.here())
        code = self.value(node)
        return Argument(node, code, self.here(), self.nilness(node))

    def nilness(self, node: Node) -> Nilness | None:
        """Return what gives the type of the place that nil was taken from; None where nothing holds it."""
        if isinstance(node, Identifier):
            return lambda frame, dot: INTERFACE
        if isinstance(node, Dot):
            return _of_origin(self.dot_origin)
        if isinstance(node, Field):
            walk = Walk(node.names, self.dot_origin, self.here(), self.here())
            return lambda frame, dot: walk.follow(frame, dot, dot)[1]
        if not isinstance(node, Variable):
            return None
        known = self.find(node.names[0])
        if known is None or len(node.names) == 1:
            return _of_origin(self.origin(node.names[0]))
        slot, walk = known.slot, Walk(node.names[1:], known.origin, self.here(), self.here())
        return lambda frame, dot: walk.follow(frame, dot, frame[slot])[1]


def _of_origin(origin: int | None) -> Nilness | None:
    return None if origin is None else lambda frame, dot: place_type(frame[origin])


def _held(code: Code, nilness: Nilness | None) -> Code:
    """Return what gives NIL_ELEMENT in the place of nil that a list or map holds."""
    if nilness is None:
        return code

    def run(frame: Frame, dot: Any) -> Any:
        value = code(frame, dot)
        return NIL_ELEMENT if value is None and nilness(frame, dot) else value

    return run


def _stored(slot: int, code: Code) -> Code:
    def store(frame: Frame, dot: Any) -> Any:
        value = frame[slot] = code(frame, dot)
        return value

    return store


def then(first: Code, second: Code) -> Code:
    """Return what evaluates the one after the other and gives what the second gives."""

    def run(frame: Frame, dot: Any) -> Any:
        first(frame, dot)
        return second(frame, dot)

    return run
