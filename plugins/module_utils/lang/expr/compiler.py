# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checked tree to Python closures. Every closure takes the frame of the run and returns a value.

The frame is a list: variables, functions, memory used so far, then one slot for each ``let`` and three for each closure
of a builtin (element, index, accumulator). Closures raise Failure with the offset of their node.
"""

from __future__ import annotations

from ..go.values import NIL_MAP, Fault, StringMap, byte_length, conversion, is_nil, type_name
from . import operators
from .catalogue import MEASURED, NAMES_ITSELF, PREDICATES, TAKES_FIRST, TAKES_LAST, implementation
from .combining import EQUALS, combined, element_code, equal_of_kind, in_range, matches_constant
from .errors import ExprError, ExprFunctionError, Failure
from .kinds import BOOL
from .nodes import (
    Array,
    Binary,
    Builtin,
    Call,
    Chain,
    Conditional,
    Identifier,
    Let,
    Literal,
    Map,
    Member,
    Node,
    Pointer,
    Predicate,
    Sequence,
    Slice,
    Unary,
)
from .values import Whole, WholePointer, grow, not_bool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, List

    from .kinds import Kind, Signature

    Frame = List[Any]
    Code = Callable[[Frame], Any]
    Names = Dict[str, int]

#: First slot of the frame that is free for ``let`` and closures.
FIRST_SLOT = 3


class _Stop:
    """What a chain gives once an optional step met nil."""


STOP = _Stop()


class Compiler:
    """Turns one tree into code. ``variables`` and ``functions`` are what the environment declares."""

    def __init__(self, variables: dict[str, Kind], functions: dict[str, Signature], env_name: str) -> None:
        self.variables = variables
        self.functions = functions
        self.env_name = env_name
        self.slots = FIRST_SLOT
        self._locals: list[tuple[str, int]] = []
        #: Whether ``$env`` came already, which values may be from then on.
        self._has_pointer = False
        #: Slot of the element of each closure that is open, innermost last.
        self.closures: list[int] = []

    def code(self, node: Node) -> Code:
        """Return the code of ``node``."""
        code: Code = _BUILDERS[type(node)](self, node)
        return code

    def operand(self, node: Node) -> Code:
        """Return the code of what an operator or builtin takes: of ``$env`` what it points to."""
        code = self.code(node)
        return _pointed_to(code) if self._has_pointer and node.kind is not BOOL else code

    def slot(self, count: int = 1) -> int:
        """Reserve slots in the frame and return the first."""
        first = self.slots
        self.slots += count
        return first

    # Names and literals

    def _literal(self, node: Literal) -> Code:
        value = node.value
        if value.__class__ is list:
            return lambda frame: list(value)
        return lambda frame: value

    def _identifier(self, node: Identifier) -> Code:
        name, at = node.name, node.at
        for local, slot in reversed(self._locals):
            if local == name:
                return lambda frame: frame[slot]
        if name == "$env":
            if self.env_name.startswith("map["):
                return lambda frame: frame[0]
            known = tuple(self.variables)
            self._has_pointer = True
            return lambda frame: WholePointer((name, frame[0].get(name)) for name in known)
        kind = self.variables.get(name)
        if kind is None:
            return _unknown(name, self.env_name, at)
        if kind.sort != "map":
            return lambda frame: frame[0].get(name)
        texts = kind.name == "map[string]string"

        def load(frame: Frame) -> Any:
            value = frame[0].get(name)
            if value is None:
                return NIL_MAP
            return StringMap(value) if texts and not isinstance(value, StringMap) else value

        return load

    def _pointer(self, node: Pointer) -> Code:
        slot = self.closures[-1]
        if not node.name:
            return element_code(slot, node.at)
        slot += {"index": 1, "acc": 2}[node.name]
        return lambda frame: frame[slot]

    # Operators

    def _unary(self, node: Unary) -> Code:
        operand, at = self.operand(node.node), node.at
        if node.operator == "+":
            return operand
        if node.operator == "-":
            return lambda frame: operators.negate(operand(frame), at)

        def negated(frame: Frame) -> bool:
            value = operand(frame)
            if value is True:
                return False
            if value is False:
                return True
            raise not_bool(value, at)

        return negated

    def _binary(self, node: Binary) -> Code:
        spine = []
        first: Node = node
        while isinstance(first, Binary):
            spine.append(first)
            first = first.left
        code = self.operand(first)
        for part in reversed(spine):
            code = self._combined(part, code)
        return code

    def _combined(self, node: Binary, left: Code) -> Code:
        operator, at = node.operator, node.at
        if operator == "matches" and isinstance(node.right, Literal) and isinstance(node.right.value, str):
            return matches_constant(left, node.right.value, at)
        kind = node.left.kind.name
        if operator in ("==", "!=") and kind in EQUALS and kind == node.right.kind.name:
            return equal_of_kind(left, self.operand(node.right), kind, operator, at)
        if operator == "in" and isinstance(node.right, Binary) and node.right.operator == "..":
            span = node.right
            return in_range(left, self.operand(span.left), self.operand(span.right), span.at)
        return combined(operator, left, self.operand(node.right), at)

    # Access

    def _chain(self, node: Chain) -> Code:
        inner = self._link(node.node)

        def chain(frame: Frame) -> Any:
            value = inner(frame)
            return None if value is STOP or is_nil(value) else value

        return chain

    def _link(self, node: Node) -> Code:
        """Return the code of a step of a chain, which may give STOP."""
        if isinstance(node, Member):
            return _linked_member(self._link(node.node), self.code(node.property), node.optional, node.at)
        if isinstance(node, Call) and isinstance(node.callee, Member):
            return self._value_call(node, self._link(node.callee))
        return self.code(node)

    def _member(self, node: Member) -> Code:
        at, owner, property_ = node.at, node.node, node.property
        if isinstance(owner, Identifier) and owner.name == "$env":
            return self._environment_member(node)
        if not isinstance(property_, Literal) or not isinstance(property_.value, str):
            return _indexed(self.code(owner), self.code(property_), at)
        key = property_.value
        if isinstance(owner, Identifier):
            kind = self.variables.get(owner.name)
            if kind is not None and kind.sort == "map" and all(owner.name != local for local, _slot in self._locals):
                return _variable_member(owner.name, key, "" if kind.name == "map[string]string" else None, at)
        return _member_of(self.code(owner), key, at)

    def _environment_member(self, node: Member) -> Code:
        property_, at = node.property, node.at
        if isinstance(property_, Literal) and property_.value in self.variables:
            return self._identifier(Identifier(at, property_.value))
        return _indexed(self._identifier(Identifier(at, "$env")), self.code(property_), at)

    def _slice(self, node: Slice) -> Code:
        owner, at = self.code(node.node), node.at
        first = None if node.first is None else self.code(node.first)
        last = None if node.last is None else self.code(node.last)

        def sliced(frame: Frame) -> Any:
            value = owner(frame)
            end = operators.length(value, at) if last is None else last(frame)
            start = 0 if first is None else first(frame)
            return operators.slice_of(value, start, end, at)

        return sliced

    # Calls

    def _call(self, node: Call) -> Code:
        callee = node.callee
        if isinstance(callee, Identifier):
            local = any(callee.name == name for name, _slot in self._locals)
            if callee.name in self.functions and not local:
                return self._function_call(callee.name, node)
        return self._value_call(node, self.code(callee))

    def _function_call(self, name: str, node: Call) -> Code:
        arguments, at = list(map(self.code, node.arguments)), node.at
        signature = self.functions[name]
        checked = [_parameter_check(kind.sort) for kind in signature.parameters]
        last = len(checked) - 1
        checks = [checked[min(position, last)] for position in range(len(arguments))] if checked else []
        plain = not any(checks)

        def call(frame: Frame) -> Any:
            values = [argument(frame) for argument in arguments]
            function = frame[1].get(name)
            if function is None:
                raise Failure(name + " function not available", at)
            try:
                if not plain:
                    values = [check(value) if check else value for check, value in zip(checks, values)]
                return function(*values)
            except (ExprFunctionError, ExprError) as error:
                raise Failure(str(error), at) from error
            except Fault as fault:
                raise Failure(fault.message, at) from None

        return call

    def _value_call(self, node: Call, callee: Code) -> Code:
        arguments, at = list(map(self.code, node.arguments)), node.at

        def call(frame: Frame) -> Any:
            values = [argument(frame) for argument in arguments]
            function = callee(frame)
            if function is STOP:
                return STOP
            if function is None:
                raise Failure("invalid operation: cannot call nil", at)
            invoke = getattr(function, "invoke", None)
            if invoke is None:
                name = type_name(function)
                raise Failure("invalid operation: cannot call non-function of type " + name, at)
            try:
                return invoke(values)
            except Fault as fault:
                raise Failure(fault.message, at) from None

        return call

    def _builtin(self, node: Builtin) -> Code:
        if node.name in PREDICATES:
            from .closures import build

            return build(self, node)
        function, at = implementation(node.name), node.at
        arguments = list(map(self.operand, node.arguments))
        if node.name == "type" and len(arguments) == 1 and node.arguments[0].kind is BOOL:
            return _type_of_condition(function, arguments[0])
        least, most = _arity(function)
        if not least <= len(arguments) <= most:
            return _miscounted(node.name, function, arguments, at)
        if node.name in MEASURED:
            return _measured_call(function, arguments, at)
        if len(arguments) == 1:
            return _call_of_one(function, arguments[0], at)

        def call(frame: Frame) -> Any:
            values = [argument(frame) for argument in arguments]
            try:
                return function(*values)
            except Fault as fault:
                raise Failure(fault.message, at) from None

        return call

    def _predicate(self, node: Predicate) -> Code:
        return self.code(node.node)

    # The rest

    def _let(self, node: Let) -> Code:
        value = self.code(node.value)
        slot = self.slot()
        self._locals.append((node.name, slot))
        body = self.code(node.node)
        self._locals.pop()

        def let(frame: Frame) -> Any:
            frame[slot] = value(frame)
            return body(frame)

        return let

    def _sequence(self, node: Sequence) -> Code:
        *firsts, last = map(self.code, node.nodes)

        def sequence(frame: Frame) -> Any:
            for code in firsts:
                code(frame)
            return last(frame)

        return sequence

    def _conditional(self, node: Conditional) -> Code:
        condition, then, otherwise = self.operand(node.condition), self.code(node.then), self.code(node.otherwise)
        at = node.at

        def conditional(frame: Frame) -> Any:
            value = condition(frame)
            if value is True:
                return then(frame)
            if value is False:
                return otherwise(frame)
            raise not_bool(value, at)

        return conditional

    def _array(self, node: Array) -> Code:
        codes, at = list(map(self.code, node.nodes)), node.at
        size = len(codes)

        def array(frame: Frame) -> list[Any]:
            grow(frame, size, at)
            return [code(frame) for code in codes]

        return array

    def _map(self, node: Map) -> Code:
        pairs, at = [(self.code(key), self.code(value)) for key, value in node.pairs], node.at
        size = len(pairs)

        def mapping(frame: Frame) -> dict[str, Any]:
            entries = [(key(frame), value(frame)) for key, value in pairs]
            grow(frame, size, at)
            result: dict[str, Any] = {}
            for key, value in entries:
                if not isinstance(key, str):
                    raise Failure(conversion(key, "string").message, at)
                result.setdefault(key, value)
            return result

        return mapping


# Builders of code that need no compiler


def _pointed_to(code: Code) -> Code:
    def load(frame: Frame) -> Any:
        value = code(frame)
        return Whole(value) if isinstance(value, WholePointer) else value

    return load


def _type_of_condition(function: Callable[[Any], str], condition: Code) -> Code:
    """Return the code of ``type``, for which ``$env && true``, and so ``$env`` as a condition, is of no type."""

    def call(frame: Frame) -> str:
        value = condition(frame)
        return "unknown" if isinstance(value, WholePointer) else function(value)

    return call


def _unknown(name: str, env_name: str, at: int) -> Code:
    """Return the code of a name that the environment lacks; the checker lets it pass only where nothing is known."""
    if env_name.startswith("map["):
        return lambda frame: None

    def unknown(frame: Frame) -> Any:
        raise Failure(f"cannot fetch {name} from {env_name}", at)

    return unknown


def _variable_member(name: str, key: str, missing: str | None, at: int) -> Code:
    def member(frame: Frame) -> Any:
        owner = frame[0].get(name)
        if owner.__class__ is dict:
            return owner.get(key, missing)
        if owner is None:
            return missing
        try:
            return owner[key]
        except KeyError:
            return missing

    return member


def _member_of(owner: Code, key: str, at: int) -> Code:
    fetch = operators.fetch

    def member(frame: Frame) -> Any:
        value = owner(frame)
        if value.__class__ is dict:
            return value.get(key)
        return fetch(value, key, at)

    return member


def _indexed(owner: Code, key: Code, at: int) -> Code:
    fetch = operators.fetch
    return lambda frame: fetch(owner(frame), key(frame), at)


def _linked_member(owner: Code, key: Code, optional: bool, at: int) -> Code:
    fetch = operators.fetch

    def member(frame: Frame) -> Any:
        value = owner(frame)
        if value is STOP or (optional and is_nil(value)):
            return STOP
        return fetch(value, key(frame), at)

    return member


def _arity(function: Callable[..., Any]) -> tuple[int, float]:
    """Return how many arguments a builtin takes at least and at most."""
    code = function.__code__
    least = code.co_argcount - len(function.__defaults__ or ())
    return least, float("inf") if code.co_flags & 4 else code.co_argcount


def _miscounted(name: str, function: Callable[..., Any], arguments: list[Code], at: int) -> Code:
    """Return the code of a call with a number of arguments that the builtin does not take.

    The checker has not seen calls inside operands of unknown kind. Some builtins go on with the last argument or the
    first ones.
    """
    least, most = _arity(function)
    expected = str(least) if least == most else f"at least {least}" if most > least + 1 else f"{least} or {most}"
    subject = " for " + name if name in NAMES_ITSELF else ""

    def call(frame: Frame) -> Any:
        values = [argument(frame) for argument in arguments]
        if name in TAKES_LAST:
            if not values:
                raise Failure("stack underflow", at)
            values = values[-1:]
        elif len(values) > most and name in TAKES_FIRST:
            values = values[: int(most)]
        else:
            raise Failure(f"invalid number of arguments{subject} (expected {expected}, got {len(values)})", at)
        try:
            return function(*values)
        except Fault as fault:
            raise Failure(fault.message, at) from None

    return call


def _call_of_one(function: Callable[[Any], Any], argument: Code, at: int) -> Code:
    def call(frame: Frame) -> Any:
        try:
            return function(argument(frame))
        except Fault as fault:
            raise Failure(fault.message, at) from None

    return call


def _measured_call(function: Callable[..., Any], arguments: list[Code], at: int) -> Code:
    def call(frame: Frame) -> Any:
        values = [argument(frame) for argument in arguments]
        try:
            result = function(*values)
        except Fault as fault:
            raise Failure(fault.message, at) from None
        grow(frame, byte_length(result) if isinstance(result, str) else len(result), at)
        return result

    return call


def _parameter_check(sort: str) -> Callable[[Any], Any] | None:
    """Return what makes sure of (and fits) an argument whose kind only shows at run time."""
    types = {"string": (str, "string"), "bool": (bool, "bool"), "slice": (list, "[]interface {}")}
    if sort == "float64":
        return lambda value: float(value) if value.__class__ is int else value
    if sort not in types:
        return None
    wanted, name = types[sort]

    def check(value: Any) -> Any:
        if isinstance(value, wanted):
            return value
        raise conversion(value, name)

    return check


_BUILDERS: dict[type, Any] = {
    Literal: Compiler._literal,
    Identifier: Compiler._identifier,
    Unary: Compiler._unary,
    Binary: Compiler._binary,
    Chain: Compiler._chain,
    Member: Compiler._member,
    Slice: Compiler._slice,
    Call: Compiler._call,
    Builtin: Compiler._builtin,
    Predicate: Compiler._predicate,
    Pointer: Compiler._pointer,
    Let: Compiler._let,
    Sequence: Compiler._sequence,
    Conditional: Compiler._conditional,
    Array: Compiler._array,
    Map: Compiler._map,
}
