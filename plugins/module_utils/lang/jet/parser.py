# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokens to nodes: the statements of a template. Expressions are in expressions.py."""

from __future__ import annotations

from .. import letters
from . import lexer, nodes
from .expressions import FIELDS, ExpressionParser
from .literals import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

#: How many actions are remembered.
MAX_KNOWN = 4096
_KNOWN: dict[tuple[str, str], dict[str, nodes.Shared]] = {}


def _known(left: str, right: str) -> dict[str, nodes.Shared]:
    """Return the actions that were read before with these delimiters, by their text.

    Templates of one tree are much alike, and what an action says does not depend on its place. The word at its
    beginning and the parts that templates can share are remembered.
    """
    known = _KNOWN.setdefault((left, right), {})
    if len(known) > MAX_KNOWN:
        known = _KNOWN[left, right] = {}
    return known


class Parser(ExpressionParser):
    """The parser of one template.

    ``name`` is its path in messages; ``blocks`` holds those it defines by name; ``refer`` is called with ``extends`` or
    ``import`` and the path behind it, and may raise JetError.
    """

    def __init__(self, text: str, name: str, left: str, right: str, refer: Callable[[str, str], None]) -> None:
        self._known = _known(left, right)
        self._right_mark = right
        self._key = ""
        super().__init__(lexer.tokenize(text, left, right, self._known), name, left)
        self.blocks: dict[str, nodes.Block] = {}
        self._refer = refer

    def parse(self) -> list[nodes.Node]:
        """Return the nodes of the template. Raises SyntaxFault."""
        self._references()
        found: list[nodes.Node] = []
        while True:
            node = self._text_or_action()
            if node is None:
                return found
            if isinstance(node, nodes.Ending):
                raise self.fault("unexpected {{" + node.word + "}}")
            found.append(node)

    def _references(self) -> None:
        """Read ``extends`` and ``import``; blank text among them, and before the first action, is dropped."""
        words: list[str] = []
        while True:
            token = self.next()
            if token[0] == lexer.TEXT and not token[1].strip(letters.SPACES):
                continue
            if token[0] != lexer.LEFT:
                self.backup()
                return
            word = self.next()[0]
            if word not in ("extends", "import"):
                self.backup_two(token)
                return
            path = self._string_literal()
            if word == "extends" and words:
                said = "each template can only extend one template"
                if words[0] == "import":
                    said = "the 'extends' clause should come before all import clauses"
                raise self.fault("Unexpected extends clause: " + said)
            words.append(word)
            self._refer(word, path)
            self.expect(lexer.RIGHT, "extends|import", "closing delimiter")

    def _string_literal(self) -> str:
        token = self.expect_one_of((lexer.STRING, lexer.RAW), "extends|import", "string literal")
        try:
            return text_of(token[1])
        except ValueError as error:
            raise self.fault(str(error)) from None

    def _list(
        self, opening: str, line: int, *endings: str, chains: bool = False
    ) -> tuple[list[nodes.Node], nodes.Node]:
        """Return the nodes up to one of the endings (``end``, ``else``, ``content``, ``catch``), and that one.

        ``opening`` and ``line`` are word and line of the statement that they belong to. Only where it ``chains`` an
        ``else`` may be followed by ``if``.
        """
        self.enter()
        found: list[nodes.Node] = []
        while True:
            node = self._text_or_action()
            if node is None:
                fault = self.fault("unexpected EOF")
                fault.advice = f"write {self._left} end {self._right_mark} for the {opening} in line {line}"
                fault.opened = line
                raise fault
            word = ""
            if isinstance(node, nodes.Ending):
                word = node.word
                if node.chained is not None and not chains:
                    raise self.unexpected(("if", "if", self.line), "input", "text or action")
            elif isinstance(node, nodes.Catch):
                word = "catch"
            if word in endings:
                self.leave()
                return found, node
            found.append(node)

    def _text_or_action(self) -> nodes.Node | None:
        """Return the next node, None at the end of the template."""
        token = self.next()
        if token[0] == lexer.TEXT:
            return nodes.Text(token[1])
        if token[0] == lexer.READY:
            return self._ready(token[1])
        if token[0] == lexer.LEFT:
            self._key = token[1]
            return self._action()
        if token[0] == lexer.EOF:
            return None
        raise self.unexpected(token, "input", "text or action")

    def _learn(self, word: str, assignment: nodes.Assignment | None = None, value: Any = None) -> None:
        """Remember what the action was that is being read, for every template that has the same."""
        if self._key:
            self._known[self._key] = nodes.Shared(word, assignment, value)

    def _ready(self, key: str) -> nodes.Node:
        """Return the node of an action that was read before."""
        shared = self._known[key]
        word, assignment, value = shared.word, shared.assignment, shared.value
        if not word:
            return nodes.Action(self.line, assignment, value, shared)
        if value is None:
            return nodes.Ending(word)
        head = nodes.Head(self.line, assignment, value, shared)
        if word == "else":
            return nodes.Ending("else", head)
        return self._if(head) if word == "if" else self._range(head)

    def _action(self) -> nodes.Node:
        statement = _STATEMENTS.get(self.next()[0])
        if statement is not None:
            return statement(self)
        self.backup()
        self.peek()
        line = self.line
        expression = self.assignment_or_expression("command")
        if not isinstance(expression, nodes.Assignment):
            commands = self._pipeline(expression)
            self._learn("", None, commands)
            return nodes.Action(line, None, commands)
        pipeline: list[nodes.Command] = []
        end = self.expect_one_of((";", lexer.RIGHT), "command", "semicolon or right delimiter")
        if end[0] == ";":
            pipeline = self._pipeline(self.expression("command"))
        self._learn("", expression, pipeline)
        return nodes.Action(line, expression, pipeline)

    def _pipeline(self, first: nodes.Expression) -> list[nodes.Command]:
        commands = [self._command(first)]
        while self.expect_one_of(("|", lexer.RIGHT), "pipeline", "pipe or right delimiter")[0] == "|":
            token = self.next()
            if token[0] not in (*FIELDS, lexer.IDENTIFIER):
                raise self.unexpected(token, "pipeline", "field or identifier")
            self.backup()
            self.peek()
            commands.append(self._command(self.expression("command")))
        return commands

    def _command(self, base: nodes.Expression) -> nodes.Command:
        if isinstance(base, nodes.Call):
            return nodes.Command(base.base, base.arguments)
        if self.next()[0] == ":":
            return nodes.Command(base, self.arguments())
        self.backup()
        return nodes.Command(base, None)

    def _right(self, context: str) -> None:
        self.expect(lexer.RIGHT, context, "closing delimiter")

    def _control(self, context: str, word: str) -> nodes.Head:
        """Read what follows ``if`` or ``range``, to be remembered as what follows ``word``."""
        line = self.line
        assignment = None
        value = self.assignment_or_expression(context)
        if isinstance(value, nodes.Assignment):
            assignment = value
            if context == "range":
                value = assignment.values[0]
            else:
                self.expect(";", "if", "semicolon between assignment and expression")
                value = self.expression(context)
        self._right(context)
        self._learn(word, assignment, value)
        return nodes.Head(line, assignment, value)

    def _if(self, known: nodes.Head | None = None) -> nodes.Node:
        branches: list[nodes.Branch] = []
        otherwise = None
        head = known or self._control("if", "if")
        line = head.line
        while True:
            body, ending = self._list("if", line, "else", "end", chains=True)
            branches.append(nodes.Branch(head, body))
            if isinstance(ending, nodes.Ending) and ending.word == "else":
                if ending.chained is not None:
                    head = ending.chained
                    continue
                if self.peek()[0] == "if":
                    self.next()
                    head = self._control("if", "else")
                    continue
                otherwise = self._list("if", line, "end")[0]
            return nodes.If(branches[0].line, branches, otherwise)

    def _range(self, known: nodes.Head | None = None) -> nodes.Node:
        head = known or self._control("range", "range")
        body, ending = self._list("range", head.line, "else", "end")
        otherwise = None
        if isinstance(ending, nodes.Ending) and ending.word == "else":
            otherwise = self._list("range", head.line, "end")[0]
        return nodes.Range(head, body, otherwise)

    def _end(self) -> nodes.Node:
        self._right("end")
        self._learn("end")
        return nodes.Ending("end")

    def _content(self) -> nodes.Node:
        self._right("content")
        return nodes.Ending("content")

    def _else(self) -> nodes.Node:
        if self.peek()[0] != "if":
            self._right("else")
            self._learn("else")
        return nodes.Ending("else")

    def _try(self) -> nodes.Node:
        line = self.line
        self._right("try")
        body, ending = self._list("try", line, "catch", "end")
        return nodes.Try(line, body, ending if isinstance(ending, nodes.Catch) else None)

    def _catch(self) -> nodes.Node:
        line = self.line
        name = ""
        if self.peek()[0] != lexer.RIGHT:
            variable = self.term()
            if not isinstance(variable, nodes.Identifier):
                raise self.fault(f"unexpected node '{variable or self.peek()[1]}' in catch")
            name = variable.name
        self._right("catch")
        return nodes.Catch(line, name, self._list("catch", line, "end")[0])

    def _block(self) -> nodes.Node:
        context, line = "block clause", self.line
        name = self.expect(lexer.IDENTIFIER, context, "name")[1]
        parameters = self._parameters(True, context)
        dot = None
        if self.peek()[0] != lexer.RIGHT:
            dot = self.expression(context)
        self._right(context)
        body, ending = self._list("block", line, "content", "end")
        content = None
        if isinstance(ending, nodes.Ending) and ending.word == "content":
            content = self._list("block", line, "end")[0]
        block = nodes.Block(self.line, self.name, name, parameters, dot, body, content)
        self.blocks[name] = block
        return block

    def _parameters(self, declaring: bool, context: str) -> list[nodes.Parameter]:
        self.expect("(", context, "opening parenthesis")
        found: list[nodes.Parameter] = []
        while True:
            token = self.next()
            if token[0] == lexer.IDENTIFIER:
                follower = self.next()
                if follower[0] in (",", ")"):
                    found.append((token[1], None))
                    token = follower
                elif follower[0] == lexer.ASSIGN:
                    name = token[1]
                    value, token = self.any_expression(context)
                    found.append((name, value))
                elif declaring:
                    raise self.unexpected(follower, "block clause", "comma, assignment, or closing parenthesis")
                else:
                    self.backup_two(token)
                    value, token = self.any_expression(context)
                    found.append(("", value))
            elif not declaring and token[0] not in (",", ")"):
                self.backup()
                value, token = self.any_expression(context)
                found.append(("", value))
            if token[0] != ",":
                self.backup()
                break
        self.expect(")", context, "closing parenthesis")
        return found

    def _yield(self) -> nodes.Node:
        context, line = "yield clause", self.line
        token = self.next()
        if token[0] == "content":
            dot = None
            if self.peek()[0] != lexer.RIGHT:
                dot = self.expression(context)
            self._right(context)
            return nodes.Yield(self.line, "", [], dot, None)
        if token[0] != lexer.IDENTIFIER:
            raise self.unexpected(token, context, "block name")
        parameters = self._parameters(False, context)
        dot = content = None
        if self.peek()[0] not in (lexer.RIGHT, "content"):
            dot = self.expression("yield")
        follower = self.next()
        if follower[0] == "content":
            self._right(context)
            content = self._list("yield", line, "end")[0]
        elif follower[0] != lexer.RIGHT:
            raise self.unexpected(follower, context, "content keyword or closing delimiter")
        return nodes.Yield(self.line, token[1], parameters, dot, content)

    def _include(self) -> nodes.Node:
        name = self.expression("include")
        context = None
        if self.peek()[0] != lexer.RIGHT:
            context = self.expression("include")
        self._right("include invocation")
        return nodes.Include(self.line, name, context)

    def _return(self) -> nodes.Node:
        value = self.expression("return")
        self._right("return")
        return nodes.Return(self.line, value)


_STATEMENTS = {
    "include": Parser._include,
    "block": Parser._block,
    "end": Parser._end,
    "yield": Parser._yield,
    "content": Parser._content,
    "if": Parser._if,
    "else": Parser._else,
    "range": Parser._range,
    "try": Parser._try,
    "catch": Parser._catch,
    "return": Parser._return,
}
