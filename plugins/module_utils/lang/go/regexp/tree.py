# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax tree of a regular expression.

A node knows its measures, which bound what an expression may cost: `height` of the tree below it, `size` when compiled
(instructions) and `copies`, how often counted repetitions repeat its innermost part.
"""

from __future__ import annotations

from . import charclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .charclass import CharSet

#: Places between characters, as `Assert.kind`.
BEGIN_TEXT, END_TEXT, BEGIN_LINE, END_LINE, WORD_BOUNDARY, NO_WORD_BOUNDARY = range(6)


class Node:
    """A part of an expression; by itself the empty expression, which matches the empty text."""

    __slots__ = ("copies", "height", "size")

    def __init__(self, height: int = 1, size: int = 1, copies: int = 0) -> None:
        self.height = height
        self.size = size
        self.copies = copies


class Literal(Node):
    """Characters in a row, each given as a set because of `(?i)`; `folded` says whether `(?i)` was on."""

    __slots__ = ("folded", "sets")

    def __init__(self, sets: list[CharSet], folded: bool) -> None:
        super().__init__(size=len(sets))
        self.sets = sets
        self.folded = folded


class Chars(Node):
    """One character of a set."""

    __slots__ = ("chars",)

    def __init__(self, chars: CharSet) -> None:
        super().__init__()
        self.chars = chars


class Assert(Node):
    """The empty text at a place of the given kind, one of the constants above."""

    __slots__ = ("kind",)

    def __init__(self, kind: int) -> None:
        super().__init__()
        self.kind = kind


class Capture(Node):
    """A capturing group; `index` counts from 1."""

    __slots__ = ("index", "sub")

    def __init__(self, sub: Node, index: int) -> None:
        super().__init__(sub.height + 1, sub.size + 2, sub.copies)
        self.sub = sub
        self.index = index


class Repeat(Node):
    """`sub` between `least` and `most` times, `most` -1 for without limit.

    `counted` distinguishes `x{n,m}` from `*`, `+` and `?`: only the former count for Go's limit of 1000 copies.
    """

    __slots__ = ("greedy", "least", "most", "sub")

    def __init__(self, sub: Node, least: int, most: int, greedy: bool, counted: bool) -> None:
        endless = 2 + sub.size if least == 0 else 1 + least * sub.size
        size = endless if most < 0 else most * sub.size + most - least
        times = least if most < 0 else most
        copies = sub.copies
        if counted and times > 0:
            copies = times * max(copies, 1)
        elif counted and most == 0:
            copies = 0
        super().__init__(sub.height + 1, max(size, 1), copies)
        self.sub = sub
        self.least = least
        self.most = most
        self.greedy = greedy


class Sequence(Node):
    """One part after the other."""

    __slots__ = ("subs",)

    def __init__(self, subs: list[Node]) -> None:
        super().__init__(
            1 + max(sub.height for sub in subs), sum(sub.size for sub in subs), max(sub.copies for sub in subs)
        )
        self.subs = subs


class Choice(Node):
    """One of the parts, the first that fits preferred."""

    __slots__ = ("subs",)

    def __init__(self, subs: list[Node]) -> None:
        super().__init__(
            1 + max(sub.height for sub in subs),
            sum(sub.size for sub in subs) + len(subs) - 1,
            max(sub.copies for sub in subs),
        )
        self.subs = subs


def sequence(items: list[Node]) -> Node:
    """Return the items in a row, in the flattest form: runs of literals become one, sequences inside are spread out."""
    flat: list[Node] = []
    literals: list[Literal] = []

    def end_run() -> None:
        if literals:
            flat.append(Literal([chars for literal in literals for chars in literal.sets], literals[0].folded))
            literals.clear()

    for item in items:
        for part in item.subs if isinstance(item, Sequence) else (item,):
            if not isinstance(part, Literal):
                end_run()
                flat.append(part)
                continue
            if literals and literals[0].folded != part.folded:
                end_run()
            literals.append(part)
    end_run()
    if not flat:
        return Node()
    return flat[0] if len(flat) == 1 else Sequence(flat)


def choice(branches: list[Node]) -> Node:
    """Return a choice of the branches, in the flattest form: neighbours of one character each become one set."""
    flat: list[Node] = []
    singles: list[Node] = []

    def end_run() -> None:
        if len(singles) == 1:
            flat.append(singles[0])
        elif singles:
            flat.append(Chars(charclass.union([one_character(single) or () for single in singles])))
        singles.clear()

    for branch in branches:
        for part in branch.subs if isinstance(branch, Choice) else (branch,):
            if one_character(part) is None:
                end_run()
                flat.append(part)
            else:
                singles.append(part)
    end_run()
    return flat[0] if len(flat) == 1 else Choice(flat)


def one_character(node: Node) -> CharSet | None:
    """Return the set, if the node is exactly one character of a set."""
    if isinstance(node, Chars):
        return node.chars
    if isinstance(node, Literal) and len(node.sets) == 1:
        return node.sets[0]
    return None
