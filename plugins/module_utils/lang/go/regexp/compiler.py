# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From the tree to instructions of a nondeterministic automaton (Thompson's construction)."""

from __future__ import annotations

from . import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Union

    from .charclass import CharSet
    from .parser import Parsed

#: Operations. CHAR: consume a character of `sets[arg]`, go to `out`. SPLIT: try `out`, then `arg`. SAVE: note the
#: position in slot `arg`. ASSERT: go on if the place is of kind `arg`. MATCH: done.
CHAR, SPLIT, SAVE, ASSERT, MATCH = range(5)

#: Steps of the plan: combine what was compiled last.
_JOIN, _EITHER, _OPTIONAL, _LOOP, _SAVED = range(5)


class Code:
    """Instructions: `ops`, `outs` and `args` side by side, the character sets they use, and where to start."""

    def __init__(self) -> None:
        self.ops: list[int] = []
        self.outs: list[int] = []
        self.args: list[int] = []
        self.sets: list[CharSet] = []
        self.start = 0
        #: Kinds of places that are asked for.
        self.places: set[int] = set()
        self._set_numbers: dict[CharSet, int] = {}

    def add(self, operation: int, arg: int = -1) -> int:
        """Append an instruction; its number."""
        self.ops.append(operation)
        self.outs.append(-1)
        self.args.append(arg)
        return len(self.ops) - 1

    def set_number(self, chars: CharSet) -> int:
        """Return the number of the set in `sets`, where equal sets share one."""
        number = self._set_numbers.setdefault(chars, len(self.sets))
        if number == len(self.sets):
            self.sets.append(chars)
        return number


class _Fragment:
    """A stretch of instructions: where it starts, which exits still lead nowhere, and if it can match the empty text.

    An exit is twice the number of the instruction, plus one if its `arg` is the exit.
    """

    __slots__ = ("exits", "nullable", "start")

    def __init__(self, start: int, exits: list[int], nullable: bool) -> None:
        self.start = start
        self.exits = exits
        self.nullable = nullable


def compile_code(parsed: Parsed, groups: bool) -> Code:
    """Instructions for an expression, whose last one is MATCH.

    With `groups` they note the positions of group n in the slots 2 * n and 2 * n + 1.
    """
    code = Code()
    fragment = _Compiler(code, groups).compile(parsed.root)
    _patch(code, fragment, code.add(MATCH))
    code.start = fragment.start
    return code


def _patch(code: Code, fragment: _Fragment, target: int) -> None:
    for way in fragment.exits:
        if way & 1:
            code.args[way >> 1] = target
        else:
            code.outs[way >> 1] = target


class _Compiler:
    """Works through a plan instead of calling itself: expressions may be deeper than Python's stack."""

    def __init__(self, code: Code, groups: bool) -> None:
        self.code = code
        self.groups = groups
        self.done: list[_Fragment] = []

    def compile(self, root: tree.Node) -> _Fragment:
        plan: list[Step] = [root]
        while plan:
            step = plan.pop()
            if isinstance(step, tree.Node):
                plan.extend(reversed(self._expand(step)))
            else:
                self._combine(*step)
        return self.done.pop()

    def _expand(self, node: tree.Node) -> list[Step]:
        """Compile a leaf, or return the steps that compile a node with parts."""
        if isinstance(node, tree.Literal):
            self._chain(node.sets)
        elif isinstance(node, tree.Chars):
            self._chain([node.chars])
        elif isinstance(node, tree.Assert):
            self.code.places.add(node.kind)
            self._leaf(self.code.add(ASSERT, node.kind))
        elif isinstance(node, tree.Capture):
            return [node.sub, (_SAVED, node.index, True)] if self.groups else [node.sub]
        elif isinstance(node, tree.Sequence):
            return [*node.subs, (_JOIN, len(node.subs), True)]
        elif isinstance(node, tree.Choice):
            branches = tree.factored(node.subs)
            return [*branches, (_EITHER, len(branches), True)]
        elif isinstance(node, tree.Repeat):
            return _repetition(node)
        else:
            self._chain([])
        return []

    def _leaf(self, number: int) -> None:
        self.done.append(_Fragment(number, [number << 1], True))

    def _chain(self, sets: list[CharSet]) -> None:
        """Characters in a row. Nothing at all is a fragment too: a split with a single way."""
        if not sets:
            number = self.code.add(SPLIT)
            self._leaf(number)
            return
        code = self.code
        first = len(code.ops)
        for chars in sets:
            number = code.add(CHAR, code.set_number(chars))
            code.outs[number] = number + 1
        code.outs[number] = -1
        self.done.append(_Fragment(first, [number << 1], False))

    def _combine(self, action: int, number: int, greedy: bool) -> None:
        if action == _JOIN:
            self._join(number)
        elif action == _EITHER:
            self._either(number)
        elif action == _OPTIONAL:
            self._optional(greedy)
        elif action == _LOOP:
            self._loop(number, greedy)
        else:
            self._saved(number)

    def _join(self, number: int) -> None:
        parts = self.done[-number:]
        del self.done[-number:]
        for part, following in zip(parts, parts[1:]):
            _patch(self.code, part, following.start)
        self.done.append(_Fragment(parts[0].start, parts[-1].exits, all(part.nullable for part in parts)))

    def _either(self, number: int) -> None:
        """Choices of two choices each: from all branches few instructions lead back to the begin."""
        parts = self.done[-number:]
        del self.done[-number:]
        while len(parts) > 1:
            pairs = [self._either_of_two(*pair) for pair in zip(parts[::2], parts[1::2])]
            parts = pairs + parts[-1:] if len(parts) % 2 else pairs
        self.done += parts

    def _either_of_two(self, preferred: _Fragment, other: _Fragment) -> _Fragment:
        split = self.code.add(SPLIT, other.start)
        self.code.outs[split] = preferred.start
        return _Fragment(split, preferred.exits + other.exits, preferred.nullable or other.nullable)

    def _split(self, into: int, greedy: bool) -> tuple[int, int]:
        """Return a choice between `into` and going on: the instruction and its open exit."""
        split = self.code.add(SPLIT)
        if greedy:
            self.code.outs[split] = into
            return split, split << 1 | 1
        self.code.args[split] = into
        return split, split << 1

    def _optional(self, greedy: bool) -> None:
        part = self.done.pop()
        split, way = self._split(part.start, greedy)
        part.exits.append(way)
        self.done.append(_Fragment(split, part.exits, True))

    def _loop(self, least: int, greedy: bool) -> None:
        """`x+` for least 1, `x*` for 0; a nullable x makes `(x+)?` of `x*`, else the order of preference is lost."""
        part = self.done.pop()
        split, way = self._split(part.start, greedy)
        _patch(self.code, part, split)
        start = part.start if least or part.nullable else split
        self.done.append(_Fragment(start, [way], part.nullable or not least))
        if part.nullable and not least:
            self._optional(greedy)

    def _saved(self, index: int) -> None:
        part = self.done.pop()
        before = self.code.add(SAVE, 2 * index)
        after = self.code.add(SAVE, 2 * index + 1)
        self.code.outs[before] = part.start
        _patch(self.code, part, after)
        self.done.append(_Fragment(before, [after << 1], part.nullable))


def _repetition(node: tree.Repeat) -> list[Step]:
    """x{n,} is n - 1 times x, then x+; x{2,4} is xx(x(x)?)?; x{0} is nothing, without a look at x."""
    sub, least, most, greedy = node.sub, node.least, node.most, node.greedy
    if sub.__class__ is tree.Node or most == 0:
        return [tree.Node()]
    if most < 0:
        copies = max(least, 1)
        return [*[sub] * copies, (_LOOP, min(least, 1), greedy), (_JOIN, copies, True)]
    nested: list[Step] = [(_OPTIONAL, 0, greedy)] * min(most - least, 1)
    for _round in range(most - least - 1):
        nested += [(_JOIN, 2, True), (_OPTIONAL, 0, greedy)]
    parts = least + min(most - least, 1)
    return [*[sub] * most, *nested, (_JOIN, parts, True)]


if TYPE_CHECKING:
    Step = Union[tree.Node, tuple[int, int, bool]]
