# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions as functions of the runtime."""

from __future__ import annotations

from ..go.quoting import quote
from . import nodes
from .calls import CallFault, Function, Native, SafeWriter, call
from .equality import equal
from .errors import JetError, at_node
from .indexing import Method, bound, field, index
from .literals import Imaginary
from .numbers import LEFT, OPERATORS, OperandFault, affirm, negate
from .runtime import TooDeep
from .values import MISSING, VarMap, cut, is_set, is_true, kind_of, printed, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

    from .runtime import Runtime, Scope

    Code = Callable[[Runtime], Any]

_FUNCTIONS = (Function, Native, Method, SafeWriter)


def resolved(runtime: Runtime, name: str) -> Any:
    """Return a variable or function. Raises KeyError."""
    return runtime.context if name == "." else runtime.resolve(name)


class Argument:
    """An argument of a call: its code, and whether it is the place of the piped value."""

    __slots__ = ("_compiler", "_expression", "_is_set", "is_slot", "value")

    def __init__(self, compiler: ExpressionCompiler, expression: nodes.Expression) -> None:
        self.is_slot = isinstance(expression, nodes.Underscore)
        self.value = compiler.code(expression)
        self._compiler = compiler
        self._expression = expression
        self._is_set: Code | None = None

    def is_set(self, runtime: Runtime) -> bool:
        """Return whether it is there and not nil; errors on the way count as not."""
        if self._is_set is None:
            self._is_set = self._compiler.set_code(self._expression)
        depth = runtime.depth
        try:
            return bool(self._is_set(runtime))
        except TooDeep:
            raise
        except JetError:
            runtime.depth = depth
            return False


class ExpressionCompiler:
    """Makes code of expressions; ``name`` is the path of their template, for messages."""

    def __init__(self, name: str) -> None:
        self.name = name

    def fault(self, node: nodes.Node, reason: object) -> JetError:
        """Return the error of a place."""
        return self._at(node.line, str(reason))

    def _at(self, line: int, reason: str) -> JetError:
        return at_node(self.name, line, reason)

    def code(self, node: nodes.Expression) -> Code:
        """Return the code of an expression; it raises JetError."""
        return _BUILDERS[node.__class__](self, node)

    def arguments(self, given: nodes.Arguments) -> list[Argument]:
        """Return what a call is given."""
        return [Argument(self, value) for value in given.values]

    def _literal(self, node: nodes.Literal) -> Code:
        value = node.value
        if isinstance(value, Imaginary):
            return self._failing(node, f"unexpected node type {node} in unary expression evaluating")
        return lambda runtime: value

    def _failing(self, node: nodes.Expression, reason: str) -> Code:
        def fail(runtime: Runtime) -> Any:
            raise self.fault(node, reason)

        return fail

    def _nil(self, node: nodes.Nil) -> Code:
        return lambda runtime: MISSING

    def _underscore(self, node: nodes.Underscore) -> Code:
        return self._failing(node, "unexpected node type _ in unary expression evaluating")

    def _identifier(self, node: nodes.Identifier) -> Code:
        name = node.name
        if name == ".":
            return lambda runtime: runtime.context

        def identifier(runtime: Runtime) -> Any:
            scope: Scope | None = runtime.scope
            while scope is not None:
                if name in scope.variables:
                    return scope.variables[name]
                scope = scope.parent
            try:
                return runtime.globals[name]
            except KeyError:
                raise self.fault(node, unknown(name)) from None

        return identifier

    def _field(self, node: nodes.Field) -> Code:
        names = node.names
        if len(names) == 1:
            return self._one_field(node, names[0])

        def fields(runtime: Runtime) -> Any:
            value: Any = runtime.context
            before: Any = None
            for name in names:
                if name == "Interface" and isinstance(before, VarMap):
                    continue  # what an entry had to be followed by in the original (Q51)
                before = value
                value = self._field_of(node, before, name)
            return value

        return fields

    def _one_field(self, node: nodes.Field, name: str) -> Code:
        def one(runtime: Runtime) -> Any:
            return self._field_of(node, runtime.context, name)

        return one

    def _field_of(self, node: nodes.Field, value: Any, name: str) -> Any:
        try:
            found = field(value, name)
        except JetError as error:
            raise self.fault(node, error) from None
        if found is MISSING:
            raise self.fault(node, f"there is no field or method '{name}' in {type_of(value)} ({node})")
        return found

    def _chain(self, node: nodes.Chain) -> Code:
        base, names, last = self.code(node.base), node.names, len(node.names) - 1

        def chain(runtime: Runtime) -> Any:
            value = base(runtime)
            try:
                for at, name in enumerate(names):
                    before = value
                    value = before.get(name, MISSING) if before.__class__ is dict else field(before, name)
                    if value is MISSING and (at != last or kind_of(before) != "map"):
                        raise JetError(f"there is no field or method '{name}' in {type_of(before)} ({node})")
            except JetError as error:
                raise self.fault(node, error) from None
            return value

        return chain

    def _sequence(self, node: nodes.Sequence) -> Code:
        if node.level == 1:
            return self._logical(node)
        if node.level == 2:
            return self._equality(node)
        if len(node.rest) == 1:
            return self._operation(node)
        first = self.code(node.first)
        rest = [(OPERATORS[kind], self.code(operand)) for kind, _symbol, operand in node.rest]

        def sequence(runtime: Runtime) -> Any:
            value = first(runtime)
            at = 0
            try:
                for operator, operand in rest:
                    value = operator(value, operand(runtime))
                    at += 1
            except OperandFault as fault:
                raise self._operand_fault(node, at, fault) from None
            return value

        return sequence

    def _operation(self, node: nodes.Sequence) -> Code:
        kind, _symbol, operand = node.rest[0]
        operator, left, right = OPERATORS[kind], self.code(node.first), self.code(operand)

        def operation(runtime: Runtime) -> Any:
            try:
                return operator(left(runtime), right(runtime))
            except OperandFault as fault:
                raise self._operand_fault(node, 0, fault) from None

        return operation

    def _operand_fault(self, node: nodes.Sequence, at: int, fault: OperandFault) -> JetError:
        reason = fault.reason.replace(LEFT, node.text_before(at))
        if fault.side == "right":
            return self.fault(node.rest[at][2], reason)
        if fault.side == "left" and not at:
            return self.fault(node.first, reason)
        return self._at(node.lines[at - (fault.side == "left")], reason)

    def _logical(self, node: nodes.Sequence) -> Code:
        first = self.code(node.first)
        rest = [(kind == "and", self.code(operand)) for kind, _symbol, operand in node.rest]

        def logical(runtime: Runtime) -> bool:
            truth = is_true(first(runtime))
            for both, operand in rest:
                if truth is both:
                    truth = is_true(operand(runtime))
            return truth

        return logical

    def _equality(self, node: nodes.Sequence) -> Code:
        first = self.code(node.first)
        rest = [(kind == "==", self.code(operand)) for kind, _symbol, operand in node.rest]

        def equality(runtime: Runtime) -> Any:
            value = first(runtime)
            for wanted, operand in rest:
                value = equal(value, operand(runtime)) is wanted
            return value

        return equality

    def _sign(self, node: nodes.Sign) -> Code:
        operand, operator = self.code(node.operand), negate if node.symbol == "-" else affirm

        def sign(runtime: Runtime) -> Any:
            try:
                return operator(operand(runtime))
            except OperandFault as fault:
                raise self.fault(node, fault.reason) from None

        return sign

    def _not(self, node: nodes.Not) -> Code:
        operand = self.code(node.operand)
        return lambda runtime: not is_true(operand(runtime))

    def _ternary(self, node: nodes.Ternary) -> Code:
        condition, yes, no = self.code(node.condition), self.code(node.yes), self.code(node.no)
        return lambda runtime: yes(runtime) if is_true(condition(runtime)) else no(runtime)

    def _call(self, node: nodes.Call) -> Code:
        base, given, slot = self.code(node.base), self.arguments(node.arguments), node.arguments.has_slot
        keeps = isinstance(node.base, nodes.Field) and node.base.names[1:] == ["Interface"] and not given

        def called(runtime: Runtime) -> Any:
            function = base(runtime)
            if not isinstance(function, _FUNCTIONS):
                if keeps and runtime.context.__class__ is VarMap:
                    return function
                raise self.fault(node, f'node "{node.base}" is not func kind "{type_of(function)}"')
            try:
                return call(runtime, function, given, slot, None)
            except CallFault as fault:
                raise self.fault(node, fault) from None

        return called

    def _index(self, node: nodes.Index) -> Code:
        base, key = self.code(node.base), self.code(node.index)

        def indexed(runtime: Runtime) -> Any:
            value, at = base(runtime), key(runtime)
            try:
                return index(value, at)
            except JetError as error:
                raise self.fault(node, error) from None

        return indexed

    def _slice(self, node: nodes.Slice) -> Code:
        base, start, end = self.code(node.base), self._bound(node.start), self._bound(node.end)

        def sliced(runtime: Runtime) -> Any:
            value = base(runtime)
            first = start(runtime) if start is not None else 0
            return cut(value, first, end(runtime) if end is not None else None)

        return sliced

    def _bound(self, node: nodes.Expression | None) -> Code | None:
        if node is None:
            return None
        place, value = node, self.code(node)

        def bounded(runtime: Runtime) -> int:
            found = value(runtime)
            try:
                return bound(found)
            except JetError as error:
                raise self.fault(place, error) from None

        return bounded

    def set_code(self, node: nodes.Expression) -> Code:
        """Return the code that is whether an expression is there and not nil; it may raise JetError for no."""
        if isinstance(node, nodes.Identifier):
            name = node.name

            def identifier(runtime: Runtime) -> bool:
                try:
                    return is_set(resolved(runtime, name))
                except KeyError:
                    return False

            return identifier
        if isinstance(node, nodes.Underscore):
            return lambda runtime: False
        if isinstance(node, (nodes.Field, nodes.Chain)):
            value = self.code(node)
            return lambda runtime: is_set(value(runtime))
        if isinstance(node, nodes.Index):
            parts, value = [self.set_code(node.base), self.set_code(node.index)], self.code(node)
            return lambda runtime: all(part(runtime) for part in parts) and is_set(value(runtime))
        return lambda runtime: True

    def pipeline(self, commands: Sequence[nodes.Command]) -> Code:
        """Return the code of a pipeline. It gives the value to print; MISSING too when it has printed itself."""
        if len(commands) == 1 and commands[0].arguments is None:
            return self.code(commands[0].base)
        steps = [_Step(self, command) for command in commands]

        def run(runtime: Runtime) -> Any:
            value = steps[0].begin(runtime)
            for step in steps[1:]:
                if value is _PRINTED:
                    raise self.fault(
                        _NOWHERE, f"unexpected command {step.text}, writer command should be the last command"
                    )
                value = step.go_on(runtime, value)
            return MISSING if value is _PRINTED else value

        return run


_PRINTED = object()
_NOWHERE = nodes.Node()


class _Step:
    """A command of a pipeline, compiled."""

    def __init__(self, compiler: ExpressionCompiler, command: nodes.Command) -> None:
        self._fault = compiler.fault
        self._node = command.base
        self._base = compiler.code(command.base)
        self._called = command.arguments is not None
        self._slot = command.arguments is not None and command.arguments.has_slot
        self._given: list[Argument] = [] if command.arguments is None else compiler.arguments(command.arguments)
        self._command = command

    @property
    def text(self) -> str:
        """The command as text."""
        return str(self._command)

    def begin(self, runtime: Runtime) -> Any:
        """Run it as the first of a pipeline."""
        function = self._base(runtime)
        if function is MISSING or not self._called:
            return function
        if not isinstance(function, _FUNCTIONS):
            if self._is_entry(runtime):
                return function
            raise self._fault(
                self._node, f'command "{self.text}" has arguments but is {type_of(function)}, not a function'
            )
        return self._run(runtime, function, None)

    def _is_entry(self, runtime: Runtime) -> bool:
        node = self._node
        entry = isinstance(node, nodes.Field) and node.names[1:] == ["Interface"] and not self._given
        return entry and runtime.context.__class__ is VarMap

    def go_on(self, runtime: Runtime, value: Any) -> Any:
        """Run it with the value of the command before it."""
        function = self._base(runtime)
        if function is MISSING:
            raise self._fault(_NOWHERE, "base expression of command pipe node is invalid value")
        if not isinstance(function, _FUNCTIONS):
            reason = f'pipe command "{self._node}" must be a function, but is {type_of(function)}'
            raise self._fault(self._node, reason)
        return self._run(runtime, function, [value])

    def _run(self, runtime: Runtime, function: Any, piped: list[Any] | None) -> Any:
        if isinstance(function, SafeWriter):
            values = [*(piped or []), *(argument.value(runtime) for argument in self._given)]
            for value in values:
                if value is MISSING:
                    raise self._fault(self._node, f"{self.text}: there is no value to print")
                runtime.out.append(function.escape(printed(value)))
            return _PRINTED
        try:
            return call(runtime, function, self._given, self._slot, piped)
        except CallFault as fault:
            raise self._fault(self._node, fault) from None


def unknown(name: str) -> str:
    """Return the reason for a name that means nothing."""
    return f"identifier {quote(name)} not available in current or parent scope, global, or default variables"


_BUILDERS: dict[type, Any] = {
    nodes.Literal: ExpressionCompiler._literal,
    nodes.Nil: ExpressionCompiler._nil,
    nodes.Underscore: ExpressionCompiler._underscore,
    nodes.Identifier: ExpressionCompiler._identifier,
    nodes.Field: ExpressionCompiler._field,
    nodes.Chain: ExpressionCompiler._chain,
    nodes.Sequence: ExpressionCompiler._sequence,
    nodes.Sign: ExpressionCompiler._sign,
    nodes.Not: ExpressionCompiler._not,
    nodes.Ternary: ExpressionCompiler._ternary,
    nodes.Call: ExpressionCompiler._call,
    nodes.Index: ExpressionCompiler._index,
    nodes.Slice: ExpressionCompiler._slice,
}
