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


#: The most groups of branches whose sets of characters are compared with another one.
_MOST_COMPARED = 100


def factored(branches: list[Node]) -> list[Node]:
    """Return branches of a choice with the same meaning, of which few begin with the same character.

    Branches that begin with the same character become one, that character and a choice of what follows. A branch moves
    only before branches that cannot match where it does, so the order of preference stays.
    """
    merged: list[list[Node]] = []
    groups: dict[CharSet, list[Node]] = {}
    several: list[CharSet] = []
    for branch in branches:
        first = _first_set(branch)
        group = groups.get(first)
        if group is None:
            one = len(first) == 2 and first[0] + 1 == first[1]
            if not first or not _disjoint(first, several if one else list(groups)):
                groups, several = {}, []
            group = []
            merged.append(group)
            if first:
                groups[first] = group
            if first and not one:
                several.append(first)
        group.append(branch)
    return [group[0] if len(group) == 1 else _with_common_begin(group) for group in merged]


def _first_set(branch: Node) -> CharSet:
    """Return the set of the character that a branch begins with, an empty one if it may begin otherwise."""
    if isinstance(branch, Sequence):
        branch = branch.subs[0]
    if isinstance(branch, Chars):
        return branch.chars
    return branch.sets[0] if isinstance(branch, Literal) else charclass.EMPTY


def _disjoint(chars: CharSet, others: list[CharSet]) -> bool:
    outside = charclass.negate(chars)
    return len(others) <= _MOST_COMPARED and all(charclass.union((outside, other)) == outside for other in others)


def _with_common_begin(branches: list[Node]) -> Node:
    """Return one branch for branches that begin with the same character."""
    starts = [_sets_at_start(branch) for branch in branches]
    length = 1
    shortest = min(map(len, starts))
    while length < shortest and all(sets[length] == starts[0][length] for sets in starts):
        length += 1
    return Sequence([Literal(starts[0][:length], False), choice([_rest(branch, length) for branch in branches])])


def _sets_at_start(branch: Node) -> list[CharSet]:
    first = branch.subs[0] if isinstance(branch, Sequence) else branch
    if isinstance(first, Literal):
        return first.sets
    return [first.chars] if isinstance(first, Chars) else []


def _rest(branch: Node, length: int) -> Node:
    """Return what follows so many characters at the begin of a branch."""
    first, following = (branch.subs[0], branch.subs[1:]) if isinstance(branch, Sequence) else (branch, [])
    if isinstance(first, Literal) and len(first.sets) > length:
        following = [Literal(first.sets[length:], first.folded), *following]
    if not following:
        return Node()
    return following[0] if len(following) == 1 else Sequence(following)


def one_character(node: Node) -> CharSet | None:
    """Return the set, if the node is exactly one character of a set."""
    if isinstance(node, Chars):
        return node.chars
    if isinstance(node, Literal) and len(node.sets) == 1:
        return node.sets[0]
    return None
