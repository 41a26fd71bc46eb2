# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running the instructions over a text: an automaton with captures whose states are built when they are first needed.

A state is what a simulation of all threads would hold between two characters: the instructions that are waiting, most
preferred first. A transition, computed once per state and class of character, says which threads live on, which
positions they note, and if one matched. So the cost per character does not depend on the expression once the states are
there, and never grows beyond one simulation step of all threads. States are forgotten when there are too many.
"""

from __future__ import annotations

from bisect import bisect_right

from . import tree
from .compiler import ASSERT, MATCH, SAVE, SPLIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

    from .compiler import Code

    #: Of a thread: the place in the list of threads it goes on from (-1: it starts here) and the slots it notes.
    Move = Tuple[int, Tuple[int, ...]]
    #: Slots noted on a way through the instructions, the last one first: (the ones before, slot).
    Notes = Optional[Tuple["Notes", int]]
    #: An instruction that was reached, by which thread, with which notes.
    Reached = Tuple[int, int, Notes]
    #: State after the character, threads there (None: the same as before), the match before the character.
    Transition = Tuple["State", Optional[Tuple[Move, ...]], Optional[Move]]
    Slots = List[int]
    _Transitions = Dict[str, Transition]
else:
    _Transitions = dict

#: What the character before a place was.
_NOTHING, _NEWLINE, _WORD, _OTHER = range(4)

#: States are forgotten when their transitions and the threads in these come to more than this.
MAX_WEIGHT = 50_000

_NEWLINE_EDGES = (0x0A, 0x0B)
_WORD_EDGES = (0x30, 0x3A, 0x41, 0x5B, 0x5F, 0x60, 0x61, 0x7B)
_WORDS = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")


class State(_Transitions):
    """Character: transition, "" being the end of the text. What is missing is computed by the automaton.

    `pcs` are the waiting instructions, `before` the kind of the character before, `seeking` says that matches may still
    start, `classes` are the transitions by class of character. A state that is `dead` can never lead to a match.
    """

    __slots__ = ("automaton", "before", "classes", "dead", "pcs", "seeking")

    def __init__(self, automaton: Automaton, pcs: tuple[int, ...], before: int, seeking: bool) -> None:
        super().__init__()
        self.automaton = automaton
        self.pcs = pcs
        self.before = before
        self.seeking = seeking
        self.dead = not pcs and not seeking
        self.classes: dict[int, Transition] = {}

    def __missing__(self, char: str) -> Transition:
        return self.automaton.extend(self, char)


class Automaton:
    """Finds the leftmost match of a program, of those the one that a backtracking search would prefer.

    `work` counts the instructions looked at since the automaton was made, for tests of linear time.
    """

    def __init__(self, code: Code) -> None:
        self.code = code
        self.work = 0
        self._states: dict[tuple[tuple[int, ...], int, bool], State] = {}
        self._weight = 0
        edges = {edge for chars in code.sets for edge in chars}
        self._words = not code.places.isdisjoint((tree.WORD_BOUNDARY, tree.NO_WORD_BOUNDARY))
        self._lines = not code.places.isdisjoint((tree.BEGIN_LINE, tree.END_LINE))
        if self._words:
            edges.update(_WORD_EDGES)
        if self._lines:
            edges.update(_NEWLINE_EDGES)
        #: Code points at which a new class of characters begins: no set separates two of one class.
        self._edges = sorted(edges)
        #: Whether every match starts at the beginning of the text.
        self.anchored = code.ops[code.start] == ASSERT and code.args[code.start] == tree.BEGIN_TEXT

    def search(self, text: str, start: int = 0) -> bool:
        """Return whether the program matches anywhere in `text` from `start` on."""
        state = self._initial(text, start)
        end = len(text)
        size = 64
        while start < end:
            for char in text[start : start + size]:
                state, _moves, match = state[char]
                if match is not None:
                    return True
            if state.dead:
                return False
            start += size
            size = 4096
        return state[""][2] is not None

    def find(self, text: str, start: int) -> Slots | None:
        """Return the positions noted by the leftmost match that begins at `start` or later, -1 for a slot not
        reached.
        """
        state = self._initial(text, start)
        fresh = [-1] * self.code.slots
        threads: list[Slots] = [[start, *fresh[1:]] for _pc in state.pcs]
        best: Slots | None = None
        pos = start
        end = len(text)
        size = 64
        while pos < end:
            for char in text[pos : pos + size]:
                state, moves, match = state[char]
                if match is not None:
                    best = _advance(match, threads, fresh, pos)
                    best[1] = pos
                if moves is not None:
                    if state.dead:
                        return best
                    threads = [_advance(move, threads, fresh, pos) for move in moves]
                pos += 1
            if state.dead:
                return best
            size = 4096
        _state, _moves, match = state[""]
        if match is not None:
            best = _advance(match, threads, fresh, end)
            best[1] = end
        return best

    def extend(self, state: State, char: str) -> Transition:
        """Compute, or find among its class, what `char` does in `state`."""
        if self._weight > MAX_WEIGHT:
            self._forget()
        number = bisect_right(self._edges, ord(char)) if char else -1
        transition = state.classes.get(number)
        if transition is None:
            transition = state.classes[number] = self._step(state, char)
            self._weight += len(state.pcs) + len(transition[1] or ())
        self._weight += 1
        state[char] = transition
        return transition

    def _forget(self) -> None:
        """Drop all states. A search that is in one stays there, and computes its transitions again."""
        for state in self._states.values():
            state.clear()
            state.classes.clear()
        self._states.clear()
        self._weight = 0

    def _initial(self, text: str, start: int) -> State:
        before = self._kind(text[start - 1]) if start > 0 else _NOTHING
        if self.anchored:
            return self._state((self.code.start,) if start == 0 else (), before, False)
        return self._state((), before, True)

    def _state(self, pcs: tuple[int, ...], before: int, seeking: bool) -> State:
        key = (pcs, before, seeking)
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(self, pcs, before, seeking)
        return state

    def _kind(self, char: str) -> int:
        """Return the kind of a character as far as the program can distinguish them."""
        if self._lines and char == "\n":
            return _NEWLINE
        return _WORD if self._words and char in _WORDS else _OTHER

    def _places(self, before: int, char: str) -> set[int]:
        """Return which kinds of places there are between a character of kind `before` and `char`."""
        after = self._kind(char) if char else _NOTHING
        boundary = (before == _WORD) != (after == _WORD)
        places = {tree.WORD_BOUNDARY if boundary else tree.NO_WORD_BOUNDARY}
        if before == _NOTHING:
            places.update((tree.BEGIN_TEXT, tree.BEGIN_LINE))
        elif before == _NEWLINE:
            places.add(tree.BEGIN_LINE)
        if after == _NOTHING:
            places.update((tree.END_TEXT, tree.END_LINE))
        elif after == _NEWLINE:
            places.add(tree.END_LINE)
        return places

    def _step(self, state: State, char: str) -> Transition:
        """Let every thread go as far as it can without a character, then take the character."""
        code = self.code
        point = ord(char) if char else -1
        taken: dict[int, bool] = {}
        moves: list[Move] = []
        waiting: dict[int, None] = {}
        match: Move | None = None
        for pc, source, notes in self._expand(state, self._places(state.before, char)):
            if code.ops[pc] == MATCH:
                match = (source, _unroll(notes))
                break
            number = code.args[pc]
            takes = taken.get(number)
            if takes is None:
                takes = taken[number] = bool(bisect_right(code.sets[number], point) & 1)
            if takes and code.outs[pc] not in waiting:
                waiting[code.outs[pc]] = None
                moves.append((source, _unroll(notes)))
        seeking = state.seeking and match is None
        following = self._state(tuple(waiting), self._kind(char), seeking)
        same = not following.dead and moves == [(i, ()) for i in range(len(state.pcs))]
        return following, None if same else tuple(moves), match

    def _expand(self, state: State, places: set[int]) -> list[Reached]:
        """Return the CHAR and MATCH instructions that are reached, most preferred first.

        Ends with the first match: what follows is less preferred.
        """
        ops, outs, args = self.code.ops, self.code.outs, self.code.args
        reached: list[Reached] = []
        pending: list[Reached] = []
        if state.seeking:
            pending.append((self.code.start, -1, (None, 0)))
        pending += [(pc, source, None) for source, pc in reversed(list(enumerate(state.pcs)))]
        seen = set()
        while pending:
            pc, source, notes = pending.pop()
            if pc < 0 or pc in seen:
                continue
            seen.add(pc)
            operation = ops[pc]
            if operation == SPLIT:
                pending.append((args[pc], source, notes))
                pending.append((outs[pc], source, notes))
            elif operation == SAVE:
                pending.append((outs[pc], source, (notes, args[pc])))
            elif operation == ASSERT:
                if args[pc] in places:
                    pending.append((outs[pc], source, notes))
            else:
                reached.append((pc, source, notes))
                if operation == MATCH:
                    break
        self.work += len(seen)
        return reached


def _unroll(notes: Notes) -> tuple[int, ...]:
    slots: list[int] = []
    while notes is not None:
        notes, slot = notes
        slots.append(slot)
    return tuple(slots)


def _advance(move: Move, threads: list[Slots], fresh: Slots, pos: int) -> Slots:
    """Return the slots of a thread after a move. They are shared between threads, hence copied before they change."""
    source, notes = move
    slots = threads[source] if source >= 0 else fresh
    if notes:
        slots = slots[:]
        for slot in notes:
            slots[slot] = pos
    return slots
