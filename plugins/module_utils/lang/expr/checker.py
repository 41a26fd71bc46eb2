# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Types before the run: every node gets its kind, and what cannot fit is refused in expr-lang's words."""

from __future__ import annotations

from .catalogue import BUILTINS, signatures
from .checks import check_builtin
from .errors import Failure
from .kinds import (
    ANY,
    BOOL,
    BYTES,
    DURATION,
    FLOAT,
    INT,
    LIST,
    LOCATION,
    MAP,
    MONTH,
    NIL,
    STRING,
    TIME,
    UNKNOWN,
    WEEKDAY,
    Kind,
    Signature,
    dereferenced,
    list_of,
    promoted,
)
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
from .operators import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping
    from typing import Sequence as Many

_LITERALS = {type(None): NIL, bool: BOOL, int: INT, float: FLOAT, str: STRING, bytes: BYTES}
#: Kinds with methods; their tables are imported when such a value turns up.
_WITH_METHODS = (TIME, DURATION, MONTH, WEEKDAY, LOCATION)
_CALLABLE = Signature([ANY], ANY, variadic=True, results=2)


class Checker:
    """Walks a tree once. ``variables`` and ``functions`` are the kinds and signatures that the environment declares."""

    def __init__(self, variables: Mapping[str, Kind], functions: Mapping[str, Signature], env_name: str) -> None:
        self.variables = variables
        self.functions = functions
        self.env_name = env_name
        self._locals: list[tuple[str, Kind]] = []
        #: Kind of the collection and names such as #index, innermost closure last.
        self._closures: list[tuple[Kind, dict[str, Kind]]] = []

    def check(self, node: Node) -> Kind:
        """Return the kind of ``node`` after having set the kinds of all below it. Raises Failure."""
        node.kind = kind = _VISITORS[type(node)](self, node)
        return kind

    # Names and literals

    def _literal(self, node: Literal) -> Kind:
        return _LITERALS[type(node.value)]

    def _identifier(self, node: Identifier) -> Kind:
        for name, kind in reversed(self._locals):
            if name == node.name:
                return kind
        if node.name == "$env":
            return UNKNOWN
        return self._named(node, node.name)

    def _named(self, node: Node, name: str) -> Kind:
        if name in self.variables:
            return self.variables[name]
        signature = self.functions.get(name)
        if signature is None and name in BUILTINS:
            signature = (signatures(name) or [_CALLABLE])[0]
        if signature is None:
            raise Failure("unknown name " + name, node.at)
        return Kind(signature.text(), "func", signature=signature)

    def _pointer(self, node: Pointer) -> Kind:
        if not self._closures:
            raise Failure("cannot use pointer accessor outside predicate", node.at)
        collection, names = self._closures[-1]
        if not node.name:
            return collection.element or UNKNOWN
        if node.name not in names:
            raise Failure("unknown pointer #" + node.name, node.at)
        return names[node.name]

    # Operators

    def _unary(self, node: Unary) -> Kind:
        kind = dereferenced(self.check(node.node))
        if node.operator in ("!", "not"):
            if kind is BOOL or kind.unknown:
                return BOOL
        elif kind.number:
            return kind
        elif kind.unknown:
            return UNKNOWN
        raise Failure(f"invalid operation: {node.operator} (mismatched type {kind.name})", node.at)

    def _binary(self, node: Binary) -> Kind:
        spine = []
        first: Node = node
        while isinstance(first, Binary):
            spine.append(first)
            first = first.left
        left = self.check(first)
        for part in reversed(spine):
            left = part.kind = self._combined(part, dereferenced(left), dereferenced(self.check(part.right)))
        return left

    def _combined(self, node: Binary, left: Kind, right: Kind) -> Kind:
        operator = node.operator
        if operator == "??":
            return _coalesced(left, right)
        if operator == "in":
            if _in_fits(node, left, right):
                return BOOL
        elif operator in ("==", "!="):
            if left.comparable_to(right):
                return BOOL
        else:
            if operator == "matches" and isinstance(node.right, Literal) and isinstance(node.right.value, str):
                compiled(node.right.value, node.at)
            result = _RULES[operator](operator, left, right)
            if result is not None:
                return result
        raise Failure(f"invalid operation: {operator} (mismatched types {left.name} and {right.name})", node.at)

    # Access

    def _chain(self, node: Chain) -> Kind:
        return self.check(node.node)

    def _member(self, node: Member) -> Kind:
        owner, name = node.node, _text(node.property)
        if isinstance(owner, Identifier) and owner.name == "$env":
            return self._environment_member(node, name)
        base = self.check(owner)
        key = self.check(node.property)
        if base.unknown:
            return UNKNOWN
        if name is not None:
            if base.nil:
                raise Failure("type nil has no field " + name, node.at)
            if base in _WITH_METHODS:
                method = _method(base, name)
                if method is not None:
                    return method
        base = dereferenced(base)
        if base.sort == "map":
            if not key.unknown and base.key is not None and not key.assignable_to(base.key):
                raise Failure(f"cannot use {key.name} to get an element from {base.name}", node.property.at)
            return base.element or UNKNOWN
        if base.sort == "slice":
            key = dereferenced(key)
            if not key.integer and not key.unknown:
                reason = f"array elements can only be selected using an integer (got {key.name})"
                raise Failure(reason, node.property.at)
            return base.element or UNKNOWN
        if name is None:
            raise Failure(f"type {base.name}[{key.name}] is undefined", node.at)
        raise Failure("type {} has no {} {}".format(base.name, "method" if node.method else "field", name), node.at)

    def _environment_member(self, node: Member, name: str | None) -> Kind:
        if name is None:
            return UNKNOWN
        if name in self.variables:
            return self.variables[name]
        if node.optional:
            return UNKNOWN
        raise Failure("unknown name " + name, node.at)

    def _slice(self, node: Slice) -> Kind:
        kind = self.check(node.node)
        if kind.unknown:
            return UNKNOWN
        if kind.sort not in ("string", "slice"):
            raise Failure("cannot slice " + kind.name, node.at)
        for bound in (node.first, node.last):
            if bound is not None:
                index = self.check(bound)
                if not index.integer and not index.unknown:
                    raise Failure("non-integer slice index " + index.name, bound.at)
        return kind

    # Calls

    def _call(self, node: Call) -> Kind:
        callee = node.callee
        if isinstance(callee, Identifier) and callee.name == "$env":
            raise Failure(f"{self.env_name} is not callable", node.at)
        kind = self.check(callee)
        if kind.unknown:
            return UNKNOWN
        name = "function"
        if isinstance(callee, Identifier):
            name = callee.name
        elif isinstance(callee, Member):
            name = _text(callee.property) or name
        if kind.nil:
            raise Failure(f"{name} is nil; cannot call nil as function", node.at)
        if kind.signature is None:
            raise Failure(f"{kind.name} is not callable", node.at)
        node.signature = kind.signature
        return self.overloads(name, [kind.signature], node, node.arguments)

    def overloads(self, name: str, candidates: Many[Signature], node: Node, arguments: Many[Node]) -> Kind:
        """Return the result of the first signature that takes the arguments; else raise what the last one lacks."""
        failure = Failure("no matching overload for " + name, node.at)
        kinds: list[Kind] = []
        for signature in candidates:
            mismatch = self._mismatch(name, signature, node, arguments, kinds)
            if mismatch is None:
                return signature.result
            failure = mismatch
        raise failure

    def _mismatch(
        self, name: str, signature: Signature, node: Node, arguments: Many[Node], kinds: list[Kind]
    ) -> Failure | None:
        if signature.results > 2:
            return Failure(f"func {name} returns more then two values", node.at)
        wanted, given = len(signature.parameters), len(arguments)
        few = given < wanted - 1 if signature.variadic else given < wanted
        many = given > wanted and not signature.variadic
        if few or many:
            while len(kinds) < given:
                kinds.append(self.check(arguments[len(kinds)]))
            return Failure("{} arguments to call {}".format("not enough" if few else "too many", name), node.at)
        for position, argument in enumerate(arguments):
            if position == len(kinds):
                kinds.append(self.check(argument))
            parameter = signature.parameters[min(position, wanted - 1)]
            reason = _unfit(kinds[position], parameter)
            if reason is not None:
                return Failure(reason % {"name": name}, argument.at)
        return None

    def _builtin(self, node: Builtin) -> Kind:
        kind = check_builtin(self, node)
        if kind is not None:
            return kind
        return self.overloads(node.name, signatures(node.name), node, node.arguments)

    def closure(self, collection: Kind, predicate: Node, **names: Kind) -> Kind:
        """Return the kind of the results of a closure over ``collection``; the closure itself is a function."""
        self._closures.append((collection, names))
        kind = self.check(predicate)
        self._closures.pop()
        return kind

    def _predicate(self, node: Predicate) -> Kind:
        return self.check(node.node)

    # The rest

    def _let(self, node: Let) -> Kind:
        name = node.name
        for taken, what in ((self.variables, ""), (self.functions, "function "), (BUILTINS, "builtin ")):
            if name in taken:
                raise Failure(f"cannot redeclare {what}{name}", node.at)
        if any(name == other for other, _kind in self._locals):
            raise Failure("cannot redeclare variable " + name, node.at)
        kind = self.check(node.value)
        self._locals.append((name, kind))
        result = self.check(node.node)
        self._locals.pop()
        return result

    def _sequence(self, node: Sequence) -> Kind:
        kind = UNKNOWN
        for part in node.nodes:
            kind = self.check(part)
        return kind

    def _conditional(self, node: Conditional) -> Kind:
        condition = dereferenced(self.check(node.condition))
        if condition is not BOOL and not condition.unknown:
            reason = f"non-bool expression (type {condition.name}) used as condition"
            raise Failure(reason, node.condition.at)
        then, otherwise = self.check(node.then), self.check(node.otherwise)
        if then.nil or otherwise.nil:
            return otherwise if then.nil else then
        if not then.assignable_to(otherwise):
            return UNKNOWN
        if then.sort == "slice" and otherwise.sort == "slice":
            one, other = then.element or UNKNOWN, otherwise.element or UNKNOWN
            if not one.assignable_to(other) or not other.assignable_to(one):
                return LIST
        return then

    def _array(self, node: Array) -> Kind:
        kinds = [self.check(part) for part in node.nodes]
        if not kinds:
            return list_of(UNKNOWN)
        if all(kind.sort == kinds[0].sort for kind in kinds):
            return list_of(kinds[-1])
        return LIST

    def _map(self, node: Map) -> Kind:
        for key, value in node.pairs:
            self.check(key)
            self.check(value)
        return MAP


def _text(node: Node) -> str | None:
    if isinstance(node, Literal) and isinstance(node.value, str):
        return node.value
    return None


def _method(kind: Kind, name: str) -> Kind | None:
    from .methods import signature_of

    signature = signature_of(kind, name)
    return None if signature is None else Kind(signature.text(), "func", signature=signature)


def _unfit(given: Kind, wanted: Kind) -> str | None:
    """Return why a value of kind ``given`` cannot be the argument (a template that lacks the function's name)."""
    if given.integer and (wanted.floating or wanted.integer):
        return None
    if given.nil:
        if wanted.sort in ("ptr", "interface"):
            return None
        return f"cannot use nil as argument (type {wanted.name}) to call %(name)s"
    if given.unknown or given.assignable_to(wanted):
        return None
    return f"cannot use {given.name} as argument (type {wanted.name}) to call %(name)s "


def _coalesced(left: Kind, right: Kind) -> Kind:
    if left.nil:
        return right
    if right.nil or right.assignable_to(left):
        return left
    return UNKNOWN


def _in_fits(node: Binary, left: Kind, right: Kind) -> bool:
    if (left.sort == "string" or left.unknown) and right.sort == "struct":
        return True
    if right.sort == "map":
        key = right.key or ANY
        if not left.unknown and not left.assignable_to(key):
            raise Failure(f"cannot use {left.name} as type {key.name} in map key", node.at)
        return True
    if right.sort == "slice":
        element = right.element or UNKNOWN
        if not left.comparable_to(element):
            raise Failure(f"cannot use {left.name} as type {element.name} in array", node.at)
        return True
    return (left.unknown and right.sort == "string") or right.unknown


# What an operator makes of two kinds; None where they do not fit. One side unknown is decided by the other.


def _is_number(kind: Kind) -> bool:
    return kind.number


def _is_integer(kind: Kind) -> bool:
    return kind.integer


def _is_string(kind: Kind) -> bool:
    return kind.sort == "string"


def _is_bool(kind: Kind) -> bool:
    return kind is BOOL


def _is_time(kind: Kind) -> bool:
    return kind is TIME


def _is_duration(kind: Kind) -> bool:
    return kind is DURATION


def _maybe(left: Kind, right: Kind, *tests: Any) -> bool:
    if left.unknown:
        return right.unknown or any(test(right) for test in tests)
    return right.unknown and any(test(left) for test in tests)


def _logical(operator: str, left: Kind, right: Kind) -> Kind | None:
    return BOOL if (left is BOOL and right is BOOL) or _maybe(left, right, _is_bool) else None


def _ordered(operator: str, left: Kind, right: Kind) -> Kind | None:
    for test in (_is_number, _is_string, _is_time, _is_duration):
        if test(left) and test(right):
            return BOOL
    return BOOL if _maybe(left, right, _is_number, _is_string, _is_time, _is_duration) else None


def _added(operator: str, left: Kind, right: Kind) -> Kind | None:
    if left.number and right.number:
        return promoted(left, right)
    if _is_string(left) and _is_string(right):
        return STRING
    if (left is TIME and right is DURATION) or (left is DURATION and right is TIME):
        return TIME
    if left is DURATION and right is DURATION:
        return DURATION
    return UNKNOWN if _maybe(left, right, _is_number, _is_string, _is_time, _is_duration) else None


def _subtracted(operator: str, left: Kind, right: Kind) -> Kind | None:
    if left.number and right.number:
        return promoted(left, right)
    if (left is TIME and right is TIME) or (left is DURATION and right is DURATION):
        return DURATION
    if left is TIME and right is DURATION:
        return TIME
    return UNKNOWN if _maybe(left, right, _is_number, _is_time, _is_duration) else None


def _multiplied(operator: str, left: Kind, right: Kind) -> Kind | None:
    if left.number and right.number:
        return promoted(left, right)
    if (left is DURATION and (right.number or right is DURATION)) or (left.number and right is DURATION):
        return DURATION
    return UNKNOWN if _maybe(left, right, _is_number, _is_duration) else None


def _divided(operator: str, left: Kind, right: Kind) -> Kind | None:
    return FLOAT if (left.number and right.number) or _maybe(left, right, _is_number) else None


def _remainder(operator: str, left: Kind, right: Kind) -> Kind | None:
    return INT if (left.integer and right.integer) or _maybe(left, right, _is_integer) else None


def _ranged(operator: str, left: Kind, right: Kind) -> Kind | None:
    return list_of(INT) if _remainder(operator, left, right) else None


def _compared_text(operator: str, left: Kind, right: Kind) -> Kind | None:
    if _is_string(right) and (_is_string(left) or (operator == "matches" and left is BYTES)):
        return BOOL
    return BOOL if _maybe(left, right, _is_string) else None


_RULES = {
    "or": _logical,
    "||": _logical,
    "and": _logical,
    "&&": _logical,
    "<": _ordered,
    ">": _ordered,
    "<=": _ordered,
    ">=": _ordered,
    "+": _added,
    "-": _subtracted,
    "*": _multiplied,
    "/": _divided,
    "**": _divided,
    "^": _divided,
    "%": _remainder,
    "..": _ranged,
    "matches": _compared_text,
    "contains": _compared_text,
    "startsWith": _compared_text,
    "endsWith": _compared_text,
}

_VISITORS: dict[type, Any] = {
    Literal: Checker._literal,
    Identifier: Checker._identifier,
    Unary: Checker._unary,
    Binary: Checker._binary,
    Chain: Checker._chain,
    Member: Checker._member,
    Slice: Checker._slice,
    Call: Checker._call,
    Builtin: Checker._builtin,
    Predicate: Checker._predicate,
    Pointer: Checker._pointer,
    Let: Checker._let,
    Sequence: Checker._sequence,
    Conditional: Checker._conditional,
    Array: Checker._array,
    Map: Checker._map,
}
