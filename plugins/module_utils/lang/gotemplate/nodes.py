# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax tree. ``at`` is an offset in the text; ``text()`` is the node as messages quote it."""

from __future__ import annotations

from ..go.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Union

    Statement = Union["Text", "Action", "Branch", "Call", "Jump", "Mark"]
    Nodes = List[Statement]


class Node:
    """What all nodes share."""

    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at

    def text(self) -> str:
        """Return the node as messages quote it."""
        return ""


class Dot(Node):
    """``.``"""

    __slots__ = ()

    def text(self) -> str:
        """Return the node as messages quote it."""
        return "."


class Nil(Node):
    """``nil``"""

    __slots__ = ()

    def text(self) -> str:
        """Return the node as messages quote it."""
        return "nil"


class Constant(Node):
    """A bool, a string or a number as it is written (``source``) and what it says."""

    __slots__ = ("source", "value")

    def __init__(self, at: int, source: str, value: bool | str | Number) -> None:
        super().__init__(at)
        self.source = source
        self.value = value

    def text(self) -> str:
        """Return the node as messages quote it."""
        return self.source


class Number:
    """What a number may mean: None where it cannot; ``ideal`` is what it is where no type is asked for."""

    __slots__ = ("floating", "ideal", "integer", "unsigned")

    def __init__(
        self,
        integer: int | None,
        unsigned: int | None,
        floating: float | None,
        ideal: int | float | complex | None,
    ) -> None:
        self.integer = integer
        self.unsigned = unsigned
        self.floating = floating
        self.ideal = ideal


class Identifier(Node):
    """The name of a function."""

    __slots__ = ("name",)

    def __init__(self, at: int, name: str) -> None:
        super().__init__(at)
        self.name = name

    def text(self) -> str:
        """Return the node as messages quote it."""
        return self.name


class Field(Node):
    """``.a.b``"""

    __slots__ = ("names",)

    def __init__(self, at: int, names: list[str]) -> None:
        super().__init__(at)
        self.names = names

    def text(self) -> str:
        """Return the node as messages quote it."""
        return "." + ".".join(self.names)


class Variable(Node):
    """``$x.a.b``; the first of ``names`` is the variable with its ``$``."""

    __slots__ = ("names",)

    def __init__(self, at: int, names: list[str]) -> None:
        super().__init__(at)
        self.names = names

    def text(self) -> str:
        """Return the node as messages quote it."""
        return ".".join(self.names)


class Chain(Node):
    """``(pipeline).a.b``, or fields of what a function gives."""

    __slots__ = ("names", "node")

    def __init__(self, at: int, node: Node, names: list[str]) -> None:
        super().__init__(at)
        self.node = node
        self.names = names

    def text(self) -> str:
        """Return the node as messages quote it."""
        inner = self.node.text()
        return ".".join([f"({inner})" if isinstance(self.node, Pipe) else inner, *self.names])


class Command(Node):
    """An operand, or a function or method with its arguments."""

    __slots__ = ("operands",)

    def __init__(self, at: int, operands: list[Node]) -> None:
        super().__init__(at)
        self.operands = operands

    def text(self) -> str:
        """Return the node as messages quote it."""
        return " ".join(
            f"({operand.text()})" if isinstance(operand, Pipe) else operand.text() for operand in self.operands
        )


class Pipe(Node):
    """Commands of which each gets the result of the one before; ``declared`` variables take the last result."""

    __slots__ = ("assigns", "commands", "declared")

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.assigns = False
        self.declared: list[Variable] = []
        self.commands: list[Command] = []

    def text(self) -> str:
        """Return the node as messages quote it."""
        commands = " | ".join(command.text() for command in self.commands)
        if not self.declared:
            return commands
        names = ", ".join(variable.text() for variable in self.declared)
        return f"{names} {'=' if self.assigns else ':='} {commands}"


class Text(Node):
    """Text outside of actions."""

    __slots__ = ("content",)

    def __init__(self, at: int, content: str) -> None:
        super().__init__(at)
        self.content = content


class Action(Node):
    """A pipeline whose result is printed unless it is declared."""

    __slots__ = ("pipe",)

    def __init__(self, at: int, pipe: Pipe) -> None:
        super().__init__(at)
        self.pipe = pipe


class Branch(Node):
    """``if``, ``with`` or ``range`` (``word``) with its ``arms``, each a pipeline and the nodes below it.

    ``otherwise`` are the nodes below ``else``, None without one. Each ``else if`` or ``else with`` is an arm more.
    """

    __slots__ = ("arms", "otherwise", "word")

    def __init__(self, at: int, word: str) -> None:
        super().__init__(at)
        self.word = word
        self.arms: list[tuple[Pipe, Nodes]] = []
        self.otherwise: Nodes | None = None


class Call(Node):
    """``template`` (also what ``block`` leaves in its place); ``pipe`` gives the dot, None for nil."""

    __slots__ = ("name", "pipe")

    def __init__(self, at: int, name: str, pipe: Pipe | None) -> None:
        super().__init__(at)
        self.name = name
        self.pipe = pipe

    def text(self) -> str:
        """Return the node as messages quote it."""
        dot = "" if self.pipe is None else " " + self.pipe.text()
        return "{{template " + quote(self.name) + dot + "}}"


class Jump(Node):
    """``break`` or ``continue``."""

    __slots__ = ("word",)

    def __init__(self, at: int, word: str) -> None:
        super().__init__(at)
        self.word = word


class Mark(Node):
    """``end`` or ``else``: what ends a list of nodes; only the parser sees it."""

    __slots__ = ("word",)

    def __init__(self, at: int, word: str) -> None:
        super().__init__(at)
        self.word = word

    def text(self) -> str:
        """Return the node as messages quote it."""
        return "{{" + self.word + "}}"
