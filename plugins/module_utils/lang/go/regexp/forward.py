# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading a text forwards: whether there is a match, and where the match that is preferred ends.

A state is what a simulation of all threads would hold between two characters: the instructions that are waiting, most
preferred first. It does not know where threads began or what their groups are (`backward.py` finds both), so texts
need few states, and a character whose transition is known costs the same for every expression.
"""

from __future__ import annotations

from . import tree
from .automaton import ENTRY_BYTES, ITEM_BYTES, STATE_BYTES, Automaton, places
from .compiler import ASSERT, MATCH, SPLIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterable, Tuple

    from .compiler import Code

    _Transitions = Dict[str, "State"]
    #: Waiting instructions, the kind of the character before, whether matches may still start, whether one ended.
    Key = Tuple[Tuple[int, ...], int, bool, bool]
else:
    _Transitions = dict


class State(_Transitions):
    """Character: state after it, "" being the end of the text. The automaton computes a missing entry.

    `pcs` are the waiting instructions, `before` is the kind of the character before, `seeking` says that matches may
    still start. `matched` says that a match ended before the last character. A state that is `dead` can never lead to a
    match. `special` says that it is one of both.
    """

    __slots__ = ("automaton", "before", "dead", "matched", "pcs", "seeking", "special")

    def __init__(self, automaton: Forward, key: Key) -> None:
        super().__init__()
        self.automaton = automaton
        self.pcs, self.before, self.seeking, self.matched = key
        self.dead = not self.pcs and not self.seeking
        self.special = self.dead or self.matched

    def __missing__(self, char: str) -> State:
        automaton = self.automaton
        same = automaton.representative(char)
        state = self.get(same)
        if state is None:
            state = self[same] = automaton.step(self, same)
        self[char] = state
        automaton.used += ENTRY_BYTES
        return state


class Forward(Automaton):
    """Finds the end of the leftmost match of a program that a backtracking search would prefer."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self._states: dict[Key, State] = {}
        #: What a match that begins at a place leads to: the instructions that wait then, and if it is empty.
        self._fresh: dict[tuple[int, str], tuple[dict[int, None], bool]] = {}
        #: Whether every match starts at the beginning of the text.
        self._anchored = code.ops[code.start] == ASSERT and code.args[code.start] == tree.BEGIN_TEXT

    def find_end(self, text: str, start: int, any_match: bool = False) -> int:
        """Return where the leftmost match that begins at `start` or later ends, -1 for no match.

        With `any_match` it is the end of the first match seen, which need not be the leftmost.
        """
        before = self.kind(text[start - 1 : start])
        first = (self.code.start,) if self._anchored and start == 0 else ()
        state = self._state((first, before, not self._anchored, False))
        pos = start
        end = len(text)
        found = -1
        size = 64
        while pos < end and not state.dead:
            for char in text[pos : pos + size]:
                state = state[char]
                if state.special:
                    if state.matched:
                        found = pos
                    if any_match or state.dead:
                        return found
                pos += 1
            size = 4096
        return end if state[""].matched else found

    def step(self, state: State, char: str) -> State:
        """Let every thread go as far as it can without a character, then take the character."""
        waiting: dict[int, None] = {}
        matched = self._follow(state.pcs, state.before, char, waiting)
        if state.seeking and not matched:
            fresh = self._fresh.get((state.before, char))
            if fresh is None:
                following: dict[int, None] = {}
                fresh = following, self._follow((self.code.start,), state.before, char, following)
                self._fresh[state.before, char] = fresh
                self.used += STATE_BYTES + ENTRY_BYTES * len(following)
            waiting.update(fresh[0])
            matched = fresh[1]
        return self._state((tuple(waiting), self.kind(char), state.seeking and not matched, matched))

    def forget(self) -> None:
        for state in self._states.values():
            state.clear()
        self._states.clear()
        self._fresh.clear()

    def _state(self, key: Key) -> State:
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(self, key)
            self.used += STATE_BYTES + ITEM_BYTES * len(state.pcs)
        return state

    def _follow(self, pcs: Iterable[int], before: int, char: str, waiting: dict[int, None]) -> bool:
        """Add to `waiting` what waits after a character, most preferred first; return whether a match ends before it.

        Threads less preferred than the match are left out.
        """
        ops, outs, args = self.code.ops, self.code.outs, self.code.args
        here = places(before, self.kind(char))
        takers = self.takers(char)
        pending = list(pcs)[::-1]
        seen = set()
        matched = False
        while pending:
            pc = pending.pop()
            if pc < 0 or pc in seen:
                continue
            seen.add(pc)
            operation = ops[pc]
            if operation == SPLIT:
                pending.append(args[pc])
                pending.append(outs[pc])
            elif operation == ASSERT:
                if args[pc] in here:
                    pending.append(outs[pc])
            elif operation == MATCH:
                matched = True
                break
            elif takers[args[pc]]:
                waiting[outs[pc]] = None
        self.work += len(seen)
        return matched
