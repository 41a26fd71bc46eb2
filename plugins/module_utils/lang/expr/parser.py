# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokens to syntax tree, by precedence climbing. Grammar, limits and messages as in expr-lang v1.17."""

from __future__ import annotations

from ..go.quoting import quote
from .catalogue import BUILTINS, PREDICATES
from .errors import Failure
from .lexer import BRACKET, BROKEN, BYTES, EOF, IDENTIFIER, NUMBER, OPERATOR, STRING, is_letter, is_word, tokenize
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Container

#: expr-lang's limit on the size of an expression.
MAX_NODES = 10000
#: How deep expressions may be nested: Python's stack is finite.
MAX_DEPTH = 150

_UNARY = {"not": 50, "!": 50, "-": 90, "+": 90}
_BINARY = {
    "|": 0,
    "or": 10,
    "||": 10,
    "and": 15,
    "&&": 15,
    "==": 20,
    "!=": 20,
    "<": 20,
    ">": 20,
    ">=": 20,
    "<=": 20,
    "in": 20,
    "matches": 20,
    "contains": 20,
    "startsWith": 20,
    "endsWith": 20,
    "..": 25,
    "+": 30,
    "-": 30,
    "*": 60,
    "/": 60,
    "%": 60,
    "**": 100,
    "^": 100,
    "??": 500,
}
_RIGHT_ASSOCIATIVE = ("**", "^")
_COMPARISONS = ("<", ">", ">=", "<=")
_NEGATABLE = ("contains", "matches", "startsWith", "endsWith", "in")
_CONSTANTS = {"true": True, "false": False, "nil": None}
_INT_LIMIT = 1 << 63


def parse(source: str, overridden: Container[str] = ()) -> Node:
    """Return the syntax tree of ``source``; names in ``overridden`` are never taken for builtins. Raises Failure."""
    return _Parser(source, overridden).parse()


class _Parser:
    def __init__(self, source: str, overridden: Container[str]) -> None:
        self._tokens = tokenize(source)
        self._next = 0
        self._overridden = overridden
        self._depth = 0
        self._predicates = 0
        self._count = 0
        self._kind = self._value = ""
        self._at = 0

    def parse(self) -> Node:
        self._advance()
        node = self._sequence()
        if self._kind != EOF:
            raise self._unexpected()
        return node

    # Tokens

    def _advance(self) -> None:
        if self._next == len(self._tokens):
            raise Failure("unexpected end of expression", self._at)
        kind, value, at = self._tokens[self._next]
        if kind == BROKEN:
            raise Failure(value, at)
        self._next += 1
        self._kind, self._value, self._at = kind, value, at

    def _is(self, kind: str, value: str) -> bool:
        return self._value == value and self._kind == kind

    def _expect(self, kind: str, value: str) -> None:
        if self._value != value or self._kind != kind:
            raise self._unexpected()
        self._advance()

    def _unexpected(self) -> Failure:
        return Failure("unexpected token " + self._shown(), self._at)

    def _shown(self) -> str:
        return f"{self._kind}({quote(self._value)})" if self._value else self._kind

    def _made(self) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise Failure("compilation failed: expression exceeds maximum allowed nodes", self._at)

    # Expressions

    def _sequence(self) -> Node:
        first = self._expression(0)
        if not self._is(OPERATOR, ";"):
            return first
        nodes = [first]
        while self._is(OPERATOR, ";"):
            self._advance()
            if self._kind == EOF:
                break
            nodes.append(self._expression(0))
        if len(nodes) == 1:
            return first
        self._made()
        return Sequence(first.at, nodes)

    def _expression(self, precedence: int) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Failure("expression is nested too deeply", self._at)
        if precedence == 0 and self._kind == OPERATOR and self._value in ("let", "if"):
            node = self._let() if self._value == "let" else self._if()
        else:
            node = self._operators(self._primary(), precedence)
            if precedence == 0:
                node = self._ternary(node)
        self._depth -= 1
        return node

    def _operators(self, left: Node, precedence: int) -> Node:
        previous = ""
        while self._kind == OPERATOR:
            operator, at = self._value, self._at
            negated = operator == "not"
            if negated:
                operator, at = self._negated()
            power = _BINARY.get(operator, -1)
            if power < precedence:
                if negated:
                    self._next -= 2
                    self._advance()
                break
            self._advance()
            if operator == "|":
                name, at = self._name()
                left = self._call(name, at, [left])
            elif previous == "??" and operator != "??":
                raise Failure(
                    f"Operator ({operator}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.",
                    at,
                )
            elif operator in _COMPARISONS:
                left = self._comparison(left, operator, at, power)
            else:
                right = self._expression(power if operator in _RIGHT_ASSOCIATIVE else power + 1)
                self._made()
                left = Binary(at, operator, left, right)
                if negated:
                    self._made()
                    left = Unary(at, "not", left)
            previous = operator
        return left

    def _negated(self) -> tuple[str, int]:
        """Step over ``not`` to the operator that it negates."""
        self._advance()
        if self._value not in _NEGATABLE:
            raise self._unexpected()
        return self._value, self._at

    def _name(self) -> tuple[str, int]:
        name, at = self._value, self._at
        if self._kind != IDENTIFIER:
            raise self._unexpected()
        self._advance()
        return name, at

    def _comparison(self, left: Node, operator: str, at: int, power: int) -> Node:
        """Take ``a < b < c`` as ``a < b && b < c``."""
        whole: Node | None = None
        while True:
            right = self._expression(power + 1)
            self._made()
            part = Binary(at, operator, left, right)
            if whole is None:
                whole = part
            else:
                self._made()
                whole = Binary(at, "&&", whole, part)
            if self._kind != OPERATOR or self._value not in _COMPARISONS:
                return whole
            left, operator, at = right, self._value, self._at
            self._advance()

    def _let(self) -> Node:
        self._advance()
        name, at = self._name()
        self._expect(OPERATOR, "=")
        value = self._expression(0)
        self._expect(OPERATOR, ";")
        node = self._sequence()
        self._made()
        return Let(at, name, value, node)

    def _if(self) -> Node:
        self._advance()
        condition = self._expression(0)
        then = self._block()
        self._expect(OPERATOR, "else")
        otherwise = self._expression(0) if self._is(OPERATOR, "if") else self._block()
        return Conditional(0, condition, then, otherwise)

    def _block(self) -> Node:
        self._expect(BRACKET, "{")
        node = self._sequence()
        self._expect(BRACKET, "}")
        return node

    def _ternary(self, node: Node) -> Node:
        while self._is(OPERATOR, "?"):
            self._advance()
            if self._is(OPERATOR, ":"):
                self._advance()
                then = node
            else:
                then = self._expression(0)
                self._expect(OPERATOR, ":")
            otherwise = self._expression(0)
            self._made()
            node = Conditional(self._at, node, then, otherwise)
        return node

    # Operands

    def _primary(self) -> Node:
        kind, value, at = self._kind, self._value, self._at
        if kind == OPERATOR:
            if value in _UNARY:
                self._advance()
                operand = self._expression(_UNARY[value])
                self._made()
                return self._postfix(Unary(at, value, operand))
            if self._predicates and value in ("#", "."):
                return self._pointer(at, value)
            if value == "::":
                self._advance()
                name, at = self._name()
                return self._postfix(self._call(name, at, [], ignore_overrides=True))
        elif kind == BRACKET:
            if value == "(":
                self._advance()
                node = self._sequence()
                self._expect(BRACKET, ")")
                return self._postfix(node)
            if value == "[":
                return self._postfix(self._array())
            if value == "{":
                return self._postfix(self._map())
        elif kind == IDENTIFIER:
            return self._identifier(value, at)
        elif kind == NUMBER:
            self._advance()
            return self._number(value, at)
        elif kind in (STRING, BYTES):
            self._advance()
            self._made()
            return self._postfix(Literal(at, value if kind == STRING else value.encode("latin-1")))
        raise self._unexpected()

    def _pointer(self, at: int, mark: str) -> Node:
        name = ""
        if mark == "#":
            self._advance()
            if self._kind == IDENTIFIER:
                name = self._value
                self._advance()
        self._made()
        return self._postfix(Pointer(at, name))

    def _identifier(self, name: str, at: int) -> Node:
        self._advance()
        if name in _CONSTANTS:
            self._made()
            return Literal(at, _CONSTANTS[name])
        if self._is(BRACKET, "("):
            return self._postfix(self._call(name, at, []))
        self._made()
        return self._postfix(Identifier(at, name))

    def _number(self, text: str, at: int) -> Node:
        value = text.replace("_", "")
        lower = value.lower()
        if lower.startswith("0x"):
            number: int | float = self._integer(value, "hex", 16)
        elif "." in lower or "e" in lower:
            number = self._float(value)
        elif lower.startswith("0b"):
            number = self._integer(value, "binary", 2)
        elif lower.startswith("0o"):
            number = self._integer(value, "octal", 8)
        else:
            number = self._integer(value, "integer", 10)
        self._made()
        return Literal(at, number)

    def _integer(self, text: str, name: str, base: int) -> int:
        reason = "invalid syntax"
        try:
            number = int(text[:400], base)
        except ValueError:
            pass
        else:
            if number < _INT_LIMIT and len(text) <= 400:
                return number
            reason = "value out of range"
        raise Failure(f"invalid {name} literal: strconv.ParseInt: parsing {quote(text)}: {reason}", self._at)

    def _float(self, text: str) -> float:
        reason = "invalid syntax"
        try:
            number = float(text)
        except ValueError:
            pass
        else:
            if number != float("inf"):
                return number
            reason = "value out of range"
        raise Failure(f"invalid float literal: strconv.ParseFloat: parsing {quote(text)}: {reason}", self._at)

    def _array(self) -> Node:
        at = self._at
        self._advance()
        nodes: list[Node] = []
        while not self._is(BRACKET, "]"):
            if nodes:
                self._expect(OPERATOR, ",")
                if self._is(BRACKET, "]"):
                    break
            nodes.append(self._expression(0))
        self._expect(BRACKET, "]")
        self._made()
        return Array(at, nodes)

    def _map(self) -> Node:
        at = self._at
        self._advance()
        pairs: list[tuple[Node, Node]] = []
        while not self._is(BRACKET, "}"):
            if pairs:
                self._expect(OPERATOR, ",")
                if self._is(BRACKET, "}"):
                    break
                if self._is(OPERATOR, ","):
                    raise self._unexpected()
            key = self._key()
            self._expect(OPERATOR, ":")
            value = self._expression(0)
            self._made()
            pairs.append((key, value))
        self._expect(BRACKET, "}")
        self._made()
        return Map(at, pairs)

    def _key(self) -> Node:
        if self._kind in (NUMBER, STRING, IDENTIFIER):
            self._made()
            key = Literal(self._at, self._value)
            self._advance()
            return key
        if self._is(BRACKET, "("):
            return self._expression(0)
        raise Failure(
            "a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses "
            f"(unexpected token {self._shown()})",
            self._at,
        )

    # What follows an operand

    def _postfix(self, node: Node) -> Node:
        while True:
            if self._kind == OPERATOR and self._value in (".", "?."):
                _at, optional = self._at, self._value == "?."
                self._advance()
                if optional and self._is(BRACKET, "["):
                    node = self._index(node, self._at, True)
                else:
                    node = self._property(node, optional)
            elif self._is(BRACKET, "["):
                node = self._index(node, self._at, False)
            else:
                return node

    def _property(self, node: Node, optional: bool) -> Node:
        kind, name, at = self._kind, self._value, self._at
        self._advance()
        if kind != IDENTIFIER and (kind != OPERATOR or not _is_name(name)):
            raise Failure("expected name", self._at)
        self._made()
        chained = isinstance(node, Chain)
        if isinstance(node, Chain):
            node = node.node
        self._made()
        member = Member(at, node, Literal(at, name), optional)
        result: Node = member
        if self._is(BRACKET, "("):
            member.method = True
            arguments = self._arguments([])
            self._made()
            result = Call(at, member, arguments)
        if chained or optional:
            self._made()
            result = Chain(at, result)
        return result

    def _index(self, node: Node, at: int, optional: bool) -> Node:
        self._advance()
        first: Node | None = None
        if not self._is(OPERATOR, ":"):
            first = self._expression(0)
            if not self._is(OPERATOR, ":"):
                self._made()
                result: Node = Member(at, node, first, optional)
                if optional:
                    self._made()
                    result = Chain(at, result)
                self._expect(BRACKET, "]")
                return result
        self._advance()
        last = None if self._is(BRACKET, "]") else self._expression(0)
        self._made()
        self._expect(BRACKET, "]")
        return Slice(at, node, first, last)

    # Calls

    def _call(self, name: str, at: int, arguments: list[Node], ignore_overrides: bool = False) -> Node:
        if name in BUILTINS and (ignore_overrides or name not in self._overridden):
            arguments = self._predicate_arguments(name, arguments) if name in PREDICATES else self._arguments(arguments)
            self._made()
            return Builtin(at, name, arguments)
        self._made()
        callee = Identifier(at, name)
        arguments = self._arguments(arguments)
        self._made()
        return Call(at, callee, arguments)

    def _arguments(self, arguments: list[Node]) -> list[Node]:
        given = len(arguments)
        self._expect(BRACKET, "(")
        while not self._is(BRACKET, ")"):
            if len(arguments) > given:
                self._expect(OPERATOR, ",")
                if self._is(BRACKET, ")"):
                    break
            arguments.append(self._expression(0))
        self._expect(BRACKET, ")")
        return arguments

    def _predicate_arguments(self, name: str, arguments: list[Node]) -> list[Node]:
        """Take the arguments of a builtin with a closure: ``PREDICATES`` says in which order what comes."""
        self._expect(BRACKET, "(")
        wanted = PREDICATES[name][len(arguments) :]
        for position, letter in enumerate(wanted):
            if self._is(BRACKET, ")"):
                if letter.isupper():
                    break
                raise Failure(f"expected at least {len(wanted)} arguments", self._at)
            if position > 0:
                self._expect(OPERATOR, ",")
            arguments.append(self._predicate() if letter in "pP" else self._expression(0))
        if self._is(OPERATOR, ","):
            self._advance()
        self._expect(BRACKET, ")")
        return arguments

    def _predicate(self) -> Node:
        at = self._at
        self._predicates += 1
        if self._is(BRACKET, "{"):
            self._advance()
            node = self._sequence()
            self._predicates -= 1
            self._expect(BRACKET, "}")
        else:
            node = self._expression(0)
            if self._is(OPERATOR, ";"):
                raise Failure("wrap predicate with brackets { and }", at=self._at)
            self._predicates -= 1
        self._made()
        return Predicate(at, node)


def _is_name(text: str) -> bool:
    return bool(text) and is_letter(text[0]) and all(map(is_word, text))
