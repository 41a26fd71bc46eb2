# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a parsed template is made of. ``str()`` of an expression is its text in messages.

``line`` is the line that messages name; expressions that carry none have 0, as in Jet.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple, Union

    #: (name or "", value or None): a parameter of a block or yield
    Parameter = Tuple[str, "Expression | None"]

    #: What can be given a value.
    Target = Union["Field", "Chain", "Identifier", "Underscore"]


class Node:
    """A part of a template."""

    __slots__ = ("line",)

    def __init__(self, line: int = 0) -> None:
        self.line = line


class Expression(Node):
    """A part with a value."""

    __slots__ = ("depth",)

    def __init__(self, line: int = 0, *parts: Expression | None) -> None:
        self.line = line
        self.depth: int = 1
        for part in parts:
            if part is not None and part.depth >= self.depth:
                self.depth = part.depth + 1


class Literal(Expression):
    """A number, text, boolean or nil; ``source`` is how it is in the template."""

    __slots__ = ("source", "value")

    def __init__(self, value: Any, source: str) -> None:
        super().__init__()
        self.value = value
        self.source = source

    def __str__(self) -> str:
        return self.source


class Nil(Literal):
    """The word ``nil``."""

    __slots__ = ()


class Identifier(Expression):
    """A variable, a function, or ``.``."""

    __slots__ = ("name",)

    def __init__(self, line: int, name: str) -> None:
        super().__init__(line)
        self.name = name

    def __str__(self) -> str:
        return self.name


class Underscore(Expression):
    """``_``: a place that discards, or the one where a piped value goes."""

    __slots__ = ()

    def __str__(self) -> str:
        return "_"


class Field(Expression):
    """``.a.b``: fields of the context."""

    __slots__ = ("names",)

    def __init__(self, line: int, names: list[str]) -> None:
        super().__init__(line)
        self.names = names

    def __str__(self) -> str:
        return "".join("." + name for name in self.names)


class Chain(Expression):
    """``x.a.b``: fields of a value."""

    __slots__ = ("base", "names")

    def __init__(self, line: int, base: Expression, names: list[str]) -> None:
        super().__init__(line, base)
        self.base = base
        self.names = names

    def __str__(self) -> str:
        return str(self.base) + "".join("." + name for name in self.names)


class Sequence(Expression):
    """Operators of one level between operands: ``first``, then pairs of operator and operand.

    ``lines`` has the line of each operator's node.
    """

    __slots__ = ("first", "level", "lines", "rest")

    def __init__(self, level: int, first: Expression) -> None:
        super().__init__(0, first)
        self.level = level
        self.first = first
        self.rest: list[tuple[str, str, Expression]] = []
        self.lines: list[int] = []

    def add(self, kind: str, symbol: str, operand: Expression, line: int) -> None:
        """Append an operator and the operand to its right."""
        self.rest.append((kind, symbol, operand))
        self.lines.append(line)
        self.depth = max(self.depth, operand.depth + 1)

    def __str__(self) -> str:
        return self.text_before(len(self.rest))

    def text_before(self, count: int) -> str:
        """Return the text of the first operand and the ``count`` operators after it."""
        return str(self.first) + "".join(f" {symbol} {operand}" for _kind, symbol, operand in self.rest[:count])


class Sign(Expression):
    """``-x`` or ``+x``."""

    __slots__ = ("operand", "symbol")

    def __init__(self, line: int, symbol: str, operand: Expression) -> None:
        super().__init__(line, operand)
        self.symbol = symbol
        self.operand = operand

    def __str__(self) -> str:
        return f"{self.symbol} {self.operand}"


class Not(Expression):
    """``!x``."""

    __slots__ = ("operand",)

    def __init__(self, line: int, operand: Expression) -> None:
        super().__init__(line, operand)
        self.operand = operand

    def __str__(self) -> str:
        return f"!{self.operand}"


class Ternary(Expression):
    """``a ? b : c``."""

    __slots__ = ("condition", "no", "yes")

    def __init__(self, line: int, condition: Expression, yes: Expression, no: Expression) -> None:
        super().__init__(line, condition, yes, no)
        self.condition = condition
        self.yes = yes
        self.no = no

    def __str__(self) -> str:
        return f"{self.condition}?{self.yes}:{self.no}"


class Arguments:
    """What a call is given; ``has_slot`` when one of them is ``_``."""

    __slots__ = ("has_slot", "values")

    def __init__(self, values: list[Expression], has_slot: bool) -> None:
        self.values = values
        self.has_slot = has_slot

    def __str__(self) -> str:
        return ", ".join(map(str, self.values))


class Call(Expression):
    """``f(a, b)``."""

    __slots__ = ("arguments", "base")

    def __init__(self, line: int, base: Expression, arguments: Arguments) -> None:
        super().__init__(line, base, *arguments.values)
        self.base = base
        self.arguments = arguments

    def __str__(self) -> str:
        return f"{self.base}({self.arguments})"


class Index(Expression):
    """``x[i]``."""

    __slots__ = ("base", "index")

    def __init__(self, line: int, base: Expression, index: Expression) -> None:
        super().__init__(line, base, index)
        self.base = base
        self.index = index

    def __str__(self) -> str:
        return f"{self.base}[{self.index}]"


class Slice(Expression):
    """``x[i:j]``; either bound may be missing."""

    __slots__ = ("base", "end", "start")

    def __init__(self, line: int, base: Expression, start: Expression | None, end: Expression | None) -> None:
        super().__init__(line, base, start, end)
        self.base = base
        self.start = start
        self.end = end

    def __str__(self) -> str:
        return f"{self.base}[{self.start or ''}:{self.end or ''}]"


class Assignment(Expression):
    """``a, b := x, y`` (``let``) or ``=``. With ``looks_up`` it is ``x, is_there = y[z]``."""

    __slots__ = ("let", "looks_up", "targets", "values")

    def __init__(self, line: int, let: bool, looks_up: bool, targets: list[Target], values: list[Expression]) -> None:
        super().__init__(line, *targets, *values)
        self.let = let
        self.looks_up = looks_up
        self.targets = targets
        self.values = values


class Command:
    """A step of a pipeline: an expression, with arguments when something is called."""

    __slots__ = ("arguments", "base")

    def __init__(self, base: Expression, arguments: Arguments | None) -> None:
        self.base = base
        self.arguments = arguments

    def __str__(self) -> str:
        return str(self.base) if self.arguments is None else f"{self.base}({self.arguments})"


class Text(Node):
    """The text between actions."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text


class Shared:
    """An action that templates have in common: the ``word`` it begins with or "", its parts, and their ``code``."""

    __slots__ = ("assignment", "code", "value", "word")

    def __init__(self, word: str, assignment: Assignment | None, value: Any) -> None:
        self.word = word
        self.assignment = assignment
        self.value = value
        self.code: Any = None


class Action(Node):
    """An assignment, a pipeline, or both. They may be ``shared``: then what they say of lines does not hold here."""

    __slots__ = ("assignment", "pipeline", "shared")

    def __init__(
        self, line: int, assignment: Assignment | None, pipeline: list[Command], shared: Shared | None = None
    ) -> None:
        super().__init__(line)
        self.assignment = assignment
        self.pipeline = pipeline
        self.shared = shared


class Head:
    """What follows ``if`` or ``range``: an assignment or None, and an expression; ``shared`` as in ``Action``."""

    __slots__ = ("assignment", "line", "shared", "value")

    def __init__(
        self, line: int, assignment: Assignment | None, value: Expression, shared: Shared | None = None
    ) -> None:
        self.line = line
        self.assignment = assignment
        self.value = value
        self.shared = shared


class Branch(Node):
    """One condition of an ``if`` and what follows it."""

    __slots__ = ("body", "head")

    def __init__(self, head: Head, body: list[Node]) -> None:
        super().__init__(head.line)
        self.head = head
        self.body = body


class If(Node):
    """``if``, with each ``else if`` as one more branch."""

    __slots__ = ("branches", "otherwise")

    def __init__(self, line: int, branches: list[Branch], otherwise: list[Node] | None) -> None:
        super().__init__(line)
        self.branches = branches
        self.otherwise = otherwise


class Range(Node):
    """``range``: over the value of its head, with variables when that has an assignment."""

    __slots__ = ("body", "head", "otherwise")

    def __init__(self, head: Head, body: list[Node], otherwise: list[Node] | None) -> None:
        super().__init__(head.line)
        self.head = head
        self.body = body
        self.otherwise = otherwise


class Try(Node):
    """``try``; ``catch`` is the name for the error ("" without one) and what follows, or None."""

    __slots__ = ("body", "catch")

    def __init__(self, line: int, body: list[Node], catch: Catch | None) -> None:
        super().__init__(line)
        self.body = body
        self.catch = catch


class Catch(Node):
    """``catch``; outside of ``try`` it means nothing."""

    __slots__ = ("body", "name")

    def __init__(self, line: int, name: str, body: list[Node]) -> None:
        super().__init__(line)
        self.name = name
        self.body = body


class Block(Node):
    """``block``: defines a block, and yields it at its place. ``template`` is the path it was defined in."""

    __slots__ = ("body", "content", "context", "name", "parameters", "template")

    def __init__(
        self,
        line: int,
        template: str,
        name: str,
        parameters: list[Parameter],
        context: Expression | None,
        body: list[Node],
        content: list[Node] | None,
    ) -> None:
        super().__init__(line)
        self.template = template
        self.name = name
        self.parameters = parameters
        self.context = context
        self.body = body
        self.content = content


class Yield(Node):
    """``yield name(…)``; without a name it is ``yield content``."""

    __slots__ = ("content", "context", "name", "parameters")

    def __init__(
        self,
        line: int,
        name: str,
        parameters: list[Parameter],
        context: Expression | None,
        content: list[Node] | None,
    ) -> None:
        super().__init__(line)
        self.name = name
        self.parameters = parameters
        self.context = context
        self.content = content


class Include(Node):
    """``include``: another template at this place."""

    __slots__ = ("context", "name")

    def __init__(self, line: int, name: Expression, context: Expression | None) -> None:
        super().__init__(line)
        self.name = name
        self.context = context


class Return(Node):
    """``return``: the value that ``exec`` gives."""

    __slots__ = ("value",)

    def __init__(self, line: int, value: Expression) -> None:
        super().__init__(line)
        self.value = value


class Ending(Node):
    """``end``, ``else`` or ``content``: closes a list of nodes; where it closes nothing it means nothing.

    ``chained`` is the head of the ``if`` behind ``else`` in the same action, when that is known already.
    """

    __slots__ = ("chained", "word")

    def __init__(self, word: str, chained: Head | None = None) -> None:
        super().__init__()
        self.word = word
        self.chained = chained
