# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax tree. ``at`` is the offset in the source that errors point to, ``kind`` what the checker found out."""

from __future__ import annotations

from .kinds import UNKNOWN, Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, List, Tuple

    from .kinds import Signature

    Pairs = List[Tuple["Node", "Node"]]


class Node:
    """What all nodes share."""

    __slots__ = ("at", "kind")

    def __init__(self, at: int) -> None:
        self.at = at
        self.kind: Kind = UNKNOWN


class Literal(Node):
    """A value known in advance: nil, bool, int, float, str, bytes, or (after folding) a list or set of those."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Any) -> None:
        super().__init__(at)
        self.value = value


class Identifier(Node):
    """A name: a variable, ``$env``, something of the environment or a function."""

    __slots__ = ("name",)

    def __init__(self, at: int, name: str) -> None:
        super().__init__(at)
        self.name = name


class Unary(Node):
    """``not x``, ``!x``, ``-x``, ``+x``."""

    __slots__ = ("node", "operator")

    def __init__(self, at: int, operator: str, node: Node) -> None:
        super().__init__(at)
        self.operator = operator
        self.node = node


class Binary(Node):
    """Two operands and the operator between them."""

    __slots__ = ("left", "operator", "right")

    def __init__(self, at: int, operator: str, left: Node, right: Node) -> None:
        super().__init__(at)
        self.operator = operator
        self.left = left
        self.right = right


class Chain(Node):
    """The reach of ``?.``: nil at an optional step makes the whole of it nil."""

    __slots__ = ("node",)

    def __init__(self, at: int, node: Node) -> None:
        super().__init__(at)
        self.node = node


class Member(Node):
    """``x.name`` and ``x[index]``; ``method``: a call follows."""

    __slots__ = ("method", "node", "optional", "property")

    def __init__(self, at: int, node: Node, property_: Node, optional: bool) -> None:
        super().__init__(at)
        self.node = node
        self.property = property_
        self.optional = optional
        self.method = False


class Slice(Node):
    """``x[from:to]``, either bound may be missing."""

    __slots__ = ("first", "last", "node")

    def __init__(self, at: int, node: Node, first: Node | None, last: Node | None) -> None:
        super().__init__(at)
        self.node = node
        self.first = first
        self.last = last


class Call(Node):
    """A call of a declared function or of a value; ``signature`` is set where the checker knows it."""

    __slots__ = ("arguments", "callee", "signature")

    def __init__(self, at: int, callee: Node, arguments: list[Node]) -> None:
        super().__init__(at)
        self.callee = callee
        self.arguments = arguments
        self.signature: Signature | None = None


class Builtin(Node):
    """A call of a builtin. The optimizer sets ``strict`` (find nothing = error), ``mapped`` (what to take of an element
    found) and ``threshold`` (count no further)."""

    __slots__ = ("arguments", "mapped", "name", "strict", "threshold")

    def __init__(self, at: int, name: str, arguments: list[Node]) -> None:
        super().__init__(at)
        self.name = name
        self.arguments = arguments
        self.strict = False
        self.mapped: Node | None = None
        self.threshold = 0


class Predicate(Node):
    """The closure handed to a builtin."""

    __slots__ = ("node",)

    def __init__(self, at: int, node: Node) -> None:
        super().__init__(at)
        self.node = node


class Pointer(Node):
    """``#`` (name is empty), ``#index``, ``#acc``."""

    __slots__ = ("name",)

    def __init__(self, at: int, name: str) -> None:
        super().__init__(at)
        self.name = name


class Let(Node):
    """``let name = value; node``."""

    __slots__ = ("name", "node", "value")

    def __init__(self, at: int, name: str, value: Node, node: Node) -> None:
        super().__init__(at)
        self.name = name
        self.value = value
        self.node = node


class Sequence(Node):
    """``a; b``: the last one counts."""

    __slots__ = ("nodes",)

    def __init__(self, at: int, nodes: list[Node]) -> None:
        super().__init__(at)
        self.nodes = nodes


class Conditional(Node):
    """``condition ? then : otherwise`` and ``if``."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, at: int, condition: Node, then: Node, otherwise: Node) -> None:
        super().__init__(at)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


class Array(Node):
    """A list literal."""

    __slots__ = ("nodes",)

    def __init__(self, at: int, nodes: list[Node]) -> None:
        super().__init__(at)
        self.nodes = nodes


class Map(Node):
    """A map literal."""

    __slots__ = ("pairs",)

    def __init__(self, at: int, pairs: Pairs) -> None:
        super().__init__(at)
        self.pairs = pairs
