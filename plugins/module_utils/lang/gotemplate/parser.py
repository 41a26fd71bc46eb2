# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tokens become trees, one for each template that a text defines."""

from __future__ import annotations

from ..go.quoting import quote
from . import literals
from .errors import TemplateFault
from .lexer import KEYWORDS, tokens
from .nodes import (
    Action,
    Branch,
    Call,
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Identifier,
    Jump,
    Mark,
    Nil,
    Node,
    Pipe,
    Text,
    Variable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .function import Functions
    from .lexer import Token
    from .nodes import Nodes

#: Parentheses and blocks within each other. Go takes more of both.
MAX_DEPTH = 100

_TERMS = {
    "bool",
    "character",
    "complex",
    "dot",
    "field",
    "identifier",
    "number",
    "nil",
    "raw",
    "string",
    "variable",
    "(",
}
#: How far behind the last token the parser may look before it notices the end.
_SPARE = 4
_NOT_EXECUTABLE = (Constant, Dot, Nil)


def parse(name: str, text: str, functions: Functions, left: str, right: str) -> dict[str, Nodes]:
    """Return the nodes of each template in ``text`` by name; the text itself is ``name``. Raises TemplateFault."""
    trees: dict[str, Nodes] = {}
    parser = _Parser(name, text, tokens(text, left, right), functions, trees)
    parser.whole()
    return trees


def _is_empty(nodes: Nodes) -> bool:
    """Return whether there is nothing but space."""
    return all(isinstance(node, Text) and not node.content.strip() for node in nodes)


def _shown(token: Token) -> str:
    """Return a token as messages call it."""
    kind, text = token[0], token[2]
    if kind == "eof":
        return "EOF"
    if kind == "error":
        return text
    if kind in KEYWORDS or kind == "dot":
        return f"<{text}>"
    return quote(text[:10]) + "..." if len(text.encode("utf-8", "surrogateescape")) > 10 else quote(text)


class _Parser:
    def __init__(
        self, name: str, source: str, found: list[Token], functions: Functions, trees: dict[str, Nodes]
    ) -> None:
        self.name = name
        self.source = source
        self.tokens = found + found[-1:] * _SPARE
        self.functions = functions
        self.trees = trees
        self.next_at = 0
        self.newest = 0
        self.variables = ["$"]
        self.action_at: int | None = None
        self.ranges = 0
        self.depth = 0

    def next(self) -> Token:
        at = self.next_at
        if at > self.newest:
            self.newest = at
        self.next_at = at + 1
        return self.tokens[at]

    def peek(self) -> Token:
        at = self.next_at
        if at > self.newest:
            self.newest = at
        return self.tokens[at]

    def next_solid(self) -> Token:
        """Take the next token that is no space."""
        token = self.next()
        while token[0] == "space":
            token = self.next()
        return token

    def peek_solid(self) -> Token:
        """Step over space; look at what follows."""
        token = self.peek()
        while token[0] == "space":
            self.next()
            token = self.peek()
        return token

    def fault(self, reason: str) -> TemplateFault:
        return TemplateFault(f"template: {self.name}:{self.line_of(self.tokens[self.newest][1])}: {reason}")

    def line_of(self, at: int) -> int:
        return self.source.count("\n", 0, at) + 1

    def unexpected(self, token: Token, context: str) -> TemplateFault:
        kind, at, text = token
        if kind != "error":
            return self.fault(f"unexpected {_shown(token)} in {context}")
        began = self.line_of(at if self.action_at is None else self.action_at)
        if began != self.line_of(at):
            word = "" if text.endswith(" action") else " in action"
            text = f"{text}{word} started at {self.name}:{began}"
        return self.fault(text)

    def expect(self, kind: str, context: str) -> Token:
        token = self.next_solid()
        if token[0] != kind:
            raise self.unexpected(token, context)
        return token

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fault("max expression depth exceeded")

    # Lists of nodes

    def whole(self) -> None:
        nodes: Nodes = []
        while self.peek()[0] != "eof":
            if self.peek()[0] == "left":
                start = self.next_at
                self.next()
                if self.next_solid()[0] == "define":
                    self.definition()
                    continue
                self.next_at = start
            node = self.text_or_action()
            if isinstance(node, Mark):
                raise self.fault("unexpected " + node.text())
            nodes.append(node)
        self.add(self.name, nodes)

    def add(self, name: str, nodes: Nodes) -> None:
        known = self.trees.get(name)
        if known is None or _is_empty(known):
            self.trees[name] = nodes
        elif not _is_empty(nodes):
            raise self.fault(f"template: multiple definition of template {quote(name)}")

    def nodes(self) -> tuple[Nodes, Mark]:
        """Read nodes up to ``end`` or ``else``; return them and which of the two it is."""
        found: Nodes = []
        while self.peek_solid()[0] != "eof":
            node = self.text_or_action()
            if isinstance(node, Mark):
                return found, node
            found.append(node)
        raise self.fault("unexpected EOF")

    def definition(self) -> None:
        context = "define clause"
        token = self.next_solid()
        name = self.template_name(token, context)
        self.expect("right", context)
        self.add(name, self.separate(context, None))

    def separate(self, context: str, newest: int | None) -> Nodes:
        """Read the body of a template of its own up to its ``end``; ``newest`` is the token that mistakes refer to."""
        outer = self.variables, self.ranges, self.action_at
        self.variables, self.ranges, self.action_at = ["$"], 0, None
        self.deeper()
        nodes, mark = self.nodes()
        self.depth -= 1
        self.variables, self.ranges, self.action_at = outer
        if mark.word != "end":
            self.newest = self.newest if newest is None else newest
            raise self.fault(f"unexpected {mark.text()} in {context}")
        return nodes

    def text_or_action(self) -> Text | Action | Branch | Call | Jump | Mark:
        token = self.next_solid()
        if token[0] == "text":
            return Text(token[1], token[2])
        if token[0] != "left":
            raise self.unexpected(token, "input")
        self.action_at = token[1]
        node = self.action()
        self.action_at = None
        return node

    # Actions

    def action(self) -> Action | Branch | Call | Jump | Mark:
        token = self.peek_solid()
        kind = token[0]
        if kind in ("if", "with", "range"):
            self.next()
            return self.control(kind)
        if kind in ("else", "end"):
            self.next()
            return self.mark(kind)
        if kind == "template":
            self.next()
            return self.template()
        if kind == "block":
            self.next()
            return self.block()
        if kind in ("break", "continue"):
            self.next()
            return self.jump(token)
        return Action(token[1], self.pipeline("command", "right"))

    def mark(self, word: str) -> Mark:
        if word == "else" and self.peek_solid()[0] in ("if", "with"):
            return Mark(self.peek()[1], "else")
        return Mark(self.expect("right", word)[1], word)

    def jump(self, token: Token) -> Jump:
        following = self.next_solid()
        shown = "{{" + token[0] + "}}"
        if following[0] != "right":
            raise self.unexpected(following, shown)
        if not self.ranges:
            raise self.fault(shown + " outside {{range}}")
        return Jump(token[1], token[0])

    def control(self, word: str) -> Branch:
        known = len(self.variables)
        self.deeper()
        branch = Branch(self.peek_solid()[1], word)
        while self.arm(branch):
            pass
        self.depth -= 1
        del self.variables[known:]
        return branch

    def arm(self, branch: Branch) -> bool:
        """Read a pipeline and the nodes below it; return whether the next token begins another arm."""
        word = branch.word
        pipe = self.pipeline(word, "right")
        self.ranges += word == "range"
        body, mark = self.nodes()
        self.ranges -= word == "range"
        branch.arms.append((pipe, body))
        if mark.word == "end":
            return False
        if word != "range" and self.peek()[0] == word:
            self.next()
            return True
        branch.otherwise, mark = self.nodes()
        if mark.word != "end":
            raise self.fault("expected end; found " + mark.text())
        return False

    def template_name(self, token: Token, context: str) -> str:
        if token[0] not in ("string", "raw"):
            raise self.unexpected(token, context)
        return self.unquoted(token[2])

    def template(self) -> Call:
        context = "template clause"
        token = self.next_solid()
        name = self.template_name(token, context)
        if self.peek_solid()[0] == "right":
            self.next()
            return Call(token[1], name, None)
        return Call(token[1], name, self.pipeline(context, "right"))

    def block(self) -> Call:
        context = "block clause"
        token = self.next_solid()
        name = self.template_name(token, context)
        pipe = self.pipeline(context, "right")
        self.add(name, self.separate(context, self.newest))
        return Call(token[1], name, pipe)

    # Pipelines

    def pipeline(self, context: str, end: str) -> Pipe:
        pipe = Pipe(self.peek_solid()[1])
        while self.peek_solid()[0] == "variable" and self.declaration(pipe, context):
            pass
        while True:
            token = self.peek_solid()
            if token[0] == end:
                self.next()
                break
            if token[0] not in _TERMS:
                self.next()
                raise self.unexpected(token, context)
            pipe.commands.append(self.command())
        if not pipe.commands:
            raise self.fault("missing value for " + context)
        for stage, command in enumerate(pipe.commands[1:], 2):
            if isinstance(command.operands[0], _NOT_EXECUTABLE):
                raise self.fault(f"non executable command in pipeline stage {stage}")
        return pipe

    def declaration(self, pipe: Pipe, context: str) -> bool:
        """Read a variable that takes the result, if it is one; return whether another may follow."""
        start = self.next_at
        at, name = self.next()[1:]
        following = self.peek_solid()
        if following[0] in ("=", ":="):
            pipe.assigns = following[0] == "="
            self.next()
            self.declare(pipe, at, name)
            return False
        if following[0] == "char" and following[2] == ",":
            self.next()
            self.declare(pipe, at, name)
            if context != "range" or len(pipe.declared) > 1:
                raise self.fault("too many declarations in " + context)
            if self.peek_solid()[0] not in ("variable", "right", ")"):
                raise self.fault("range can only initialize variables")
            return True
        self.next_at = start
        return False

    def declare(self, pipe: Pipe, at: int, name: str) -> None:
        pipe.declared.append(Variable(at, [name]))
        self.variables.append(name)

    def command(self) -> Command:
        command = Command(self.peek_solid()[1], [])
        while True:
            self.peek_solid()
            operand = self.operand()
            if operand is not None:
                command.operands.append(operand)
            token = self.next()
            if token[0] == "space":
                continue
            if token[0] in ("right", ")"):
                self.next_at -= 1
            elif token[0] != "|":
                raise self.unexpected(token, "operand")
            break
        return command

    def operand(self) -> Node | None:
        node = self.term()
        if node is None or self.peek()[0] != "field":
            return node
        at = self.peek()[1]
        names: list[str] = []
        while self.peek()[0] == "field":
            names.append(self.next()[2][1:])
        if isinstance(node, (Field, Variable)):
            return node.__class__(at, node.names + names)
        if isinstance(node, _NOT_EXECUTABLE):
            raise self.fault("unexpected . after term " + quote(node.text()))
        return Chain(at, node, names)

    def term(self) -> Node | None:
        token = self.next_solid()
        kind, at, text = token
        if kind == "identifier":
            if text not in self.functions:
                raise self.fault(f"function {quote(text)} not defined")
            return Identifier(at, text)
        if kind == "field":
            return Field(at, [text[1:]])
        if kind == "variable":
            if text not in self.variables:
                raise self.fault("undefined variable " + quote(text))
            return Variable(at, [text])
        if kind == "dot":
            return Dot(at)
        if kind == "(":
            self.deeper()
            pipe = self.pipeline("parenthesized pipeline", ")")
            self.depth -= 1
            return pipe
        if kind in ("string", "raw"):
            return Constant(at, text, self.unquoted(text))
        if kind in ("number", "character", "complex"):
            return self.number(kind, at, text)
        if kind == "bool":
            return Constant(at, text, text == "true")
        if kind == "nil":
            return Nil(at)
        self.next_at -= 1
        return None

    def unquoted(self, source: str) -> str:
        try:
            return literals.unquote(source)
        except literals.LiteralError as error:
            raise self.fault(str(error)) from None

    def number(self, kind: str, at: int, source: str) -> Constant:
        read = {"number": literals.number, "character": literals.character, "complex": literals.two_parts}[kind]
        try:
            return Constant(at, source, read(source))
        except literals.LiteralError as error:
            raise self.fault(str(error)) from None
