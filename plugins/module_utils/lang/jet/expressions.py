# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokens to nodes: the expressions of a template."""

from __future__ import annotations

from ..go.quoting import quote
from . import lexer, literals, nodes
from .errors import SyntaxFault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lexer import Token

#: How deep statements, and how deep expressions, may be in one another.
MAX_NESTING = 50

_LEVELS = {
    **dict.fromkeys((lexer.AND, lexer.OR), 1),
    **dict.fromkeys(("==", "!="), 2),
    **dict.fromkeys(("<", "<=", ">", ">="), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "%"), 5),
}
FIELDS = (lexer.FIELD, lexer.LOOSE_FIELD)
_EQUALITY = 2
_NOTHING_MORE = (lexer.ERROR, "", 1)


class ExpressionParser:
    """Reads tokens, with the few that were put back, and makes expressions of them.

    ``line`` is the line of the last token taken from the lexer: what messages name.
    """

    def __init__(self, tokens: list[Token], name: str, left: str) -> None:
        self.name = name
        self._left = left
        self.line = 1
        self._tokens = [*tokens, _NOTHING_MORE]
        self._last = len(tokens)
        self._taken = 0
        self._held: list[Token] = [_NOTHING_MORE] * 3
        self._back = 0
        self._depth = 0

    def next(self) -> Token:
        """Return the next token."""
        if self._back:
            self._back -= 1
            return self._held[self._back]
        token = self._tokens[self._taken]
        if self._taken < self._last:
            self._taken += 1
        self.line = token[2]
        self._held[0] = token
        return token

    def backup(self) -> None:
        """Put the last token back."""
        self._back += 1

    def backup_two(self, earlier: Token) -> None:
        """Put the last token back, and ``earlier`` before it; blanks between them are forgotten, as in Jet."""
        kind, text, line = self._held[0]
        if kind == lexer.LOOSE_FIELD:
            self._held[0] = (lexer.FIELD, text, line)
        self._held[1] = earlier
        self._back = 2

    def peek(self) -> Token:
        """Return the next token without taking it."""
        token = self.next()
        self._back += 1
        return token

    def _is_next(self, kind: str) -> bool:
        """Return whether a token of this kind is next, without reading its line."""
        return (self._held[self._back - 1] if self._back else self._tokens[self._taken])[0] == kind

    def fault(self, reason: str) -> SyntaxFault:
        """Return the error of the place that was reached."""
        return SyntaxFault(f"template: {self.name}:{self.line}: {reason}")

    def unexpected(self, token: Token, context: str, expected: str) -> SyntaxFault:
        """Return the error for a token that cannot be where it does."""
        kind, text, _line = token
        if kind in ("extends", "import"):
            return self.fault(
                f"parsing {context}: unexpected keyword '{text}' "
                f"('{text}' statements must be at the beginning of the template)"
            )
        if kind in (lexer.LEFT, lexer.READY):
            text = self._left
        what = "keyword" if kind in lexer.KEYWORDS else "token"
        return self.fault(f"parsing {context}: unexpected {what} '{text}' (expected {expected})")

    def expect(self, kind: str, context: str, expected: str) -> Token:
        """Take the next token, which must be of this kind."""
        token = self.next()
        if token[0] != kind:
            raise self.unexpected(token, context, expected)
        return token

    def expect_one_of(self, kinds: tuple[str, ...], context: str, expected: str) -> Token:
        """Take the next token, which must be of one of the kinds."""
        token = self.next()
        if token[0] not in kinds:
            raise self.unexpected(token, context, expected)
        return token

    def enter(self) -> None:
        """Count one more level of nesting."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise self.fault(f"nested more than {MAX_NESTING} levels deep")

    def leave(self) -> None:
        """End a level of nesting."""
        self._depth -= 1

    def expression(self, context: str) -> nodes.Expression:
        """Read an expression; what ends it is put back."""
        expression = self.any_expression(context)[0]
        self.backup()
        return expression

    def any_expression(self, context: str) -> tuple[nodes.Expression, Token]:
        """Read an expression; return it and the token behind it."""
        self.enter()
        expression, end = self._binary(1, context)
        if end[0] == "?":
            yes, end = self.any_expression(context)
            if end[0] != ":":
                raise self.unexpected(end, "ternary expression", "colon in ternary expression")
            no, end = self.any_expression(context)
            expression = self._checked(nodes.Ternary(self.line, expression, yes, no))
        self.leave()
        return expression, end

    def _checked(self, expression: nodes.Expression) -> nodes.Expression:
        if expression.depth > MAX_NESTING:
            raise self.fault(f"nested more than {MAX_NESTING} levels deep")
        return expression

    def _binary(self, least: int, context: str) -> tuple[nodes.Expression, Token]:
        """Read operands and the operators between them that bind at least as tightly as level ``least``."""
        left, end = self._unary(context)
        sequence: nodes.Sequence | None = None
        while True:
            level = _LEVELS.get(end[0], 0)
            if level < least:
                return left, end
            right, following = self._binary(level + 1, context)
            if sequence is None or sequence.level != level:
                left = sequence = nodes.Sequence(level, left)
            sequence.add(end[0], end[1], right, self.line)
            self._checked(sequence)
            end = following

    def _unary(self, context: str) -> tuple[nodes.Expression, Token]:
        token = self.next()
        if token[0] == lexer.NOT:
            self.enter()
            operand, end = self._binary(_EQUALITY, context)
            self.leave()
            return self._checked(nodes.Not(self.line, operand)), end
        if token[0] in ("-", "+"):
            operand = self._operand("additive expression")
            line = self.line + (operand.source.count("\n") if isinstance(operand, nodes.Literal) else 0)
            return nodes.Sign(line, token[1], operand), self.next()
        self.backup()
        operand = self._operand(context)
        return operand, self.next()

    def _operand(self, context: str) -> nodes.Expression:
        """Read a term and the fields, calls, indexes and slices behind it."""
        term = self.term()
        if term is None:
            raise self.unexpected(self.next(), context, "term")
        node: nodes.Expression = term
        while True:
            if self._is_next(lexer.FIELD):
                node = self._fields(node)
            if not isinstance(node, (nodes.Identifier, nodes.Call, nodes.Field, nodes.Chain, nodes.Index)):
                return node
            follower = self.next()[0]
            if follower == "(":
                line = self.line
                arguments = self.arguments()
                self.expect(")", "call expression", "closing parenthesis")
                node = nodes.Call(line, node, arguments)
            elif follower == "[":
                node = self._index(node)
            else:
                self.backup()
                return node
            self._checked(node)

    def _fields(self, node: nodes.Expression) -> nodes.Expression:
        names: list[str] = []
        line = self.line
        while self.peek()[0] in FIELDS:
            names.append(self.next()[1][1:])
        if isinstance(node, nodes.Field):
            return nodes.Field(self.line, [*node.names, *names])
        if isinstance(node, nodes.Literal):
            raise self.fault(f"unexpected . after term {_quoted(str(node))}")
        return nodes.Chain(line, node, names)

    def _index(self, base: nodes.Expression) -> nodes.Expression:
        start = None
        if self.peek()[0] == ":":
            end = self.next()
        else:
            start, end = self.any_expression("index|slice expression")
        node = base
        if end[0] == ":":
            stop = None
            if self.peek()[0] != "]":
                stop = self.expression("slice expression")
            node = nodes.Slice(base.line, base, start, stop)
        else:
            if end[0] == "]" and start is not None:
                node = nodes.Index(base.line, base, start)
            self.backup()
        self.expect("]", "index expression", "closing bracket")
        return node

    def arguments(self) -> nodes.Arguments:
        """Read the arguments of a call, up to the first token after them."""
        context = "call expression argument list"
        values: list[nodes.Expression] = []
        slots = 0
        while self.peek()[0] != ")":
            value, end = self.any_expression(context)
            slots += isinstance(value, nodes.Underscore)
            if slots > 1:
                raise self.fault("found two pipe slot markers ('_') for the same function call")
            values.append(value)
            if end[0] != ",":
                self.backup()
                break
        return nodes.Arguments(values, slots > 0)

    def assignment_or_expression(self, context: str) -> nodes.Expression:
        """Read an expression, or targets, ``=`` or ``:=``, and values."""
        self.peek()
        line = self.line
        target, end = self.any_expression(context)
        if end[0] not in (",", lexer.ASSIGN):
            self.backup()
            return target
        targets: list[nodes.Target] = []
        while True:
            if not isinstance(target, (nodes.Field, nodes.Chain, nodes.Identifier, nodes.Underscore)):
                raise self.fault("unexpected node in assign")
            targets.append(target)
            if end[0] == lexer.ASSIGN:
                break
            if end[0] != ",":
                raise self.unexpected(end, "assignment", "comma or assignment")
            target, end = self.any_expression(context)
        let = end[1] == ":="
        if let:
            for target in targets:
                if not isinstance(target, (nodes.Identifier, nodes.Underscore)):
                    raise self.fault(f"unexpected node type {target} in variable declaration")
        values: list[nodes.Expression] = []
        while True:
            value, end = self.any_expression("assignment")
            values.append(value)
            if end[0] != ",":
                self.backup()
                break
        return nodes.Assignment(line, let, self._looks_up(context, targets, values), targets, values)

    def _looks_up(self, context: str, targets: list[nodes.Target], values: list[nodes.Expression]) -> bool:
        """Return whether one index gives a value and whether it is there. Raises SyntaxFault for counts that differ."""
        if context == "range":
            fits = len(targets) <= 2 and len(values) == 1
        else:
            fits = len(targets) == len(values)
            if len(targets) == 2 and len(values) == 1 and isinstance(values[0], nodes.Index):
                return True
        if not fits:
            raise self.fault("unexpected number of operands in assign on range")
        return False

    def term(self) -> nodes.Expression | None:
        """Read a literal, a name, a field or an expression in parentheses; None when the next token begins none."""
        token = self.next()
        kind, text, _line = token
        if kind == lexer.IDENTIFIER:
            return nodes.Identifier(self.line, text)
        if kind in FIELDS:
            return nodes.Field(self.line, text[1:].split("."))
        if kind == lexer.BOOL:
            return nodes.Literal(text == "true", text)
        if kind == "nil":
            return nodes.Nil(None, text)
        if kind == lexer.UNDERSCORE:
            return nodes.Underscore(self.line)
        if kind == "(":
            expression = self.expression("parenthesized expression")
            token = self.next()
            if token[0] != ")":
                raise self.unexpected(token, "parenthesized expression", "closing parenthesis")
            return expression
        if kind == lexer.ERROR:
            raise self.fault(text)
        reader = _READERS.get(kind)
        if reader is None:
            self.backup()
            return None
        try:
            return nodes.Literal(reader(text), text)
        except ValueError as error:
            raise self.fault(str(error)) from None


_READERS = {
    lexer.NUMBER: literals.number,
    lexer.CHARACTER: literals.character,
    lexer.STRING: literals.text_of,
    lexer.RAW: literals.text_of,
}


def _quoted(text: str) -> str:
    return quote(text)
