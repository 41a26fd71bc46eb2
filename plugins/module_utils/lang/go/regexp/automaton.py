# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the two automata of a regular expression have in common: classes of characters, places, a limit for memory."""

from __future__ import annotations

from bisect import bisect_right

from . import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict

    from .compiler import Code

    _Answers = Dict[int, bool]
else:
    _Answers = dict

#: What the character beside a place is: there is none, a newline, a character of a word, another one.
NOTHING, NEWLINE, WORD, OTHER = range(4)

#: The most bytes, as estimated below, that the states of one automaton take; an expression has two automata.
#: States are dropped when they take more (decisions.md Q109).
MAX_BYTES = 4 * 1024 * 1024
#: Bytes of a state with nothing in it, of an entry in a dictionary, and of an integer in a tuple.
STATE_BYTES, ENTRY_BYTES, ITEM_BYTES = 500, 150, 8

_NEWLINE_EDGES = (0x0A, 0x0B)
_WORD_EDGES = (0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B)
_WORDS = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


class Automaton:
    """A deterministic automaton whose states are made when a text needs them.

    `work` counts the instructions looked at since the automaton was made, for tests of linear time; `used` is the
    memory that the states take, in bytes; `forgotten` counts how often all states were dropped.
    """

    def __init__(self, code: Code) -> None:
        self.code = code
        self.work = 0
        self.used = 0
        self.forgotten = 0
        edges = {edge for chars in code.sets for edge in chars}
        self._words = not code.places.isdisjoint((tree.WORD_BOUNDARY, tree.NO_WORD_BOUNDARY))
        self._lines = not code.places.isdisjoint((tree.BEGIN_LINE, tree.END_LINE))
        if self._words:
            edges.update(_WORD_EDGES)
        if self._lines:
            edges.update(_NEWLINE_EDGES)
        #: Code points at which a new class of characters begins: no set separates two of one class.
        self._edges = sorted(edges)
        #: The number of a class: one character of it.
        self._representatives: dict[int, str] = {}

    def representative(self, char: str) -> str:
        """Return the character that represents the class of `char`, "" for the end of the text.

        Drops all states first if they take too much memory. A search goes on from the state in which it is.
        """
        if self.used > MAX_BYTES:
            self.forget()
            self.used = 0
            self.forgotten += 1
        number = bisect_right(self._edges, ord(char)) if char else -1
        return self._representatives.setdefault(number, char)

    def forget(self) -> None:
        """Drop all states."""
        raise NotImplementedError

    def kind(self, char: str) -> int:
        """Return the kind of a character as far as the program can distinguish them; "" is the end of the text."""
        if not char:
            return NOTHING
        if self._lines and char == "\n":
            return NEWLINE
        return WORD if self._words and char in _WORDS else OTHER

    def takers(self, char: str) -> _Takers:
        """Return which of the sets have a character."""
        return _Takers(self.code, ord(char) if char else -1)


class _Takers(_Answers):
    """The number of a set: whether it has the character."""

    def __init__(self, code: Code, point: int) -> None:
        super().__init__()
        self.sets = code.sets
        self.point = point

    def __missing__(self, number: int) -> bool:
        takes = self[number] = bool(bisect_right(self.sets[number], self.point) & 1)
        return takes


def places(before: int, after: int) -> set[int]:
    """Return which kinds of places there are between two characters of these kinds."""
    found = {tree.WORD_BOUNDARY if (before == WORD) != (after == WORD) else tree.NO_WORD_BOUNDARY}
    if before == NOTHING:
        found.update((tree.BEGIN_TEXT, tree.BEGIN_LINE))
    elif before == NEWLINE:
        found.add(tree.BEGIN_LINE)
    if after == NOTHING:
        found.update((tree.END_TEXT, tree.END_LINE))
    elif after == NEWLINE:
        found.add(tree.END_LINE)
    return found
