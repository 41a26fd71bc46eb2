# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading a text backwards from the end of a match: where the match begins, and what its groups are.

A state is the set of instructions that take the next character on a way to the end of the match. The leftmost place
from which the first instruction leads to such a way is the begin of the match. Going forwards from there, the choice
that is preferred among all that lead to the end is the match that a backtracking search finds, without going back.
"""

from __future__ import annotations

from .automaton import ENTRY_BYTES, ITEM_BYTES, STATE_BYTES, Automaton, places
from .compiler import ASSERT, CHAR, MATCH, SAVE, SPLIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Iterator, Optional, Sequence, Tuple

    from .compiler import Code

    #: Slots noted on a way through the instructions, the last one first: (the ones before, slot).
    Notes = Optional[Tuple["Notes", int]]
    #: The instruction after the character, -1 for the end of the match, and the slots noted before it.
    Choice = Tuple[int, Tuple[int, ...]]
    _Choices = Dict[int, Choice]
    _Transitions = Dict[str, "Step"]
    #: Instructions that take the character after the place, and the kind of that character.
    Key = Tuple[Tuple[int, ...], int]
else:
    _Choices = _Transitions = dict

#: Bytes of a step with one choice, and of a further choice.
_STEP_BYTES, _CHOICE_BYTES = 500, 250
#: How many characters are read before it is looked at whether states were dropped, at first and then.
_SIZES = 64, 1024


class State(_Transitions):
    """Character before the place: step over the place, "" being the begin of the text.

    `pcs` are the instructions that take the character after the place, `after` is the kind of that character.
    """

    __slots__ = ("after", "automaton", "pcs")

    def __init__(self, automaton: Backward, key: Key) -> None:
        super().__init__()
        self.automaton = automaton
        self.pcs, self.after = key

    def __missing__(self, char: str) -> Step:
        automaton = self.automaton
        same = automaton.representative(char)
        step = self.get(same)
        if step is None:
            step = self[same] = automaton.step(self, same)
        self[char] = step
        automaton.used += ENTRY_BYTES
        return step


class Step(_Choices):
    """Instruction at a place: what a thread there does next. The automaton computes a missing entry.

    `begins` says that a match may begin at the place, `following` is the state at the place before.
    """

    __slots__ = ("before", "begins", "following", "state")

    def __init__(self, state: State, before: int, begins: bool, following: State) -> None:
        super().__init__()
        self.state = state
        self.before = before
        self.begins = begins
        self.following = following

    def __missing__(self, pc: int) -> Choice:
        choice = self[pc] = self.state.automaton.choose(self, pc)
        return choice


class Backward(Automaton):
    """Finds the begin and the groups of the match of a program whose end is known."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self._states: dict[Key, State] = {}
        #: The instructions that lead to each instruction without a character, and with one.
        self._silent: list[list[int]] = [[] for _pc in code.ops]
        self._taking: list[list[int]] = [[] for _pc in code.ops]
        for pc, operation in enumerate(code.ops):
            if code.outs[pc] >= 0:
                (self._taking if operation == CHAR else self._silent)[code.outs[pc]].append(pc)
            if operation == SPLIT and code.args[pc] >= 0:
                self._silent[code.args[pc]].append(pc)

    def find_start(self, text: str, low: int, end: int) -> int:
        """Return where the match that ends at `end` begins, at `low` or later."""
        return self._read(text, low, end, [], [])

    def find_groups(self, text: str, low: int, end: int) -> dict[int, int]:
        """Return where the match that ends at `end` begins, at `low` or later (slot 0), and the positions of the slots
        of groups that took part.
        """
        marks: list[tuple[int, State]] = []
        steps: list[Step] = []
        start = self._read(text, low, end, marks, steps)
        slots = {0: start, 1: end}
        pc = self.code.start
        for pos, step in enumerate(self._forwards(text, start, marks, steps), start):
            pc, noted = step[pc]
            for slot in noted:
                slots[slot] = pos
        return slots

    def step(self, state: State, char: str) -> Step:
        """Go back over a place, as far as that is possible without a character, and over the character before it."""
        before = self.kind(char)
        reached = self._reached(state, before)
        args = self.code.args
        takers = self.takers(char)
        taking = {pc for target in reached for pc in self._taking[target] if takers[args[pc]]}
        self.used += _STEP_BYTES
        return Step(state, before, self.code.start in reached, self._state((tuple(sorted(taking)), before)))

    def choose(self, step: Step, pc: int) -> Choice:
        """Return the preferred choice of those with which a thread reaches the end of the match."""
        ops, outs, args = self.code.ops, self.code.outs, self.code.args
        good = set(step.state.pcs)
        possible: set[int] | None = None
        pending: list[tuple[int, Notes]] = [(pc, None)]
        while True:
            pc, notes = pending.pop()
            if pc in good:
                break
            if possible is None and ops[pc] == SPLIT:
                possible = self._reached(step.state, step.before)
            if possible is not None:
                if pc not in possible:
                    continue
                possible.remove(pc)
            if ops[pc] == SAVE:
                notes = (notes, args[pc])
            elif ops[pc] == SPLIT:
                pending.append((args[pc], notes))
            pending.append((outs[pc], notes))
        self.used += _CHOICE_BYTES
        return -1 if ops[pc] == MATCH else outs[pc], _unrolled(notes)

    def forget(self) -> None:
        for state in self._states.values():
            state.clear()
        self._states.clear()

    def _state(self, key: Key) -> State:
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(self, key)
            self.used += STATE_BYTES + ITEM_BYTES * len(state.pcs)
        return state

    def _reached(self, state: State, before: int) -> set[int]:
        """Return the instructions at a place that lead to an instruction of the state without a character."""
        ops, args = self.code.ops, self.code.args
        here = places(before, state.after)
        reached = set(state.pcs)
        pending = list(state.pcs)
        while pending:
            for pc in self._silent[pending.pop()]:
                if pc not in reached and (ops[pc] != ASSERT or args[pc] in here):
                    reached.add(pc)
                    pending.append(pc)
        self.work += len(reached)
        return reached

    def _read(self, text: str, low: int, end: int, marks: list[tuple[int, State]], steps: list[Step]) -> int:
        """Read backwards from `end`, to `low` at most, and return the leftmost begin of a match that ends there.

        Notes in `marks` each place where reading began or states were dropped, with the state there, and in `steps` the
        steps since the last mark: so these take no more memory than the states that may be kept.
        """
        pos = end
        start = -1
        state = self._state(((len(self.code.ops) - 1,), self.kind(text[end : end + 1])))
        marks.append((pos, state))
        forgotten = self.forgotten
        size = _SIZES[0]
        while state.pcs and pos >= low:
            for char in _before(text, max(low, pos - size), pos):
                step = state[char]
                steps.append(step)
                if step.begins:
                    start = pos
                state = step.following
                pos -= 1
            if self.forgotten != forgotten:
                marks.append((pos, state))
                steps.clear()
                forgotten = self.forgotten
            size = _SIZES[1]
        return start

    def _forwards(self, text: str, start: int, marks: list[tuple[int, State]], steps: list[Step]) -> Iterator[Step]:
        """Yield the steps over the places from `start` to the end of the match, which were read backwards."""
        while marks:
            high, state = marks.pop()
            if high < start:
                steps.clear()
                continue
            if not steps:
                for char in _before(text, start, high):
                    step = state[char]
                    steps.append(step)
                    state = step.following
            del steps[high - start + 1 :]
            yield from reversed(steps)
            steps.clear()
            start = high + 1


def _before(text: str, low: int, high: int) -> Sequence[str]:
    """Return the characters before the places from `high` down to `low`, "" for the begin of the text."""
    return text[low - 1 : high][::-1] if low else [*text[:high][::-1], ""]


def _unrolled(notes: Notes) -> tuple[int, ...]:
    slots: list[int] = []
    while notes is not None:
        notes, slot = notes
        slots.append(slot)
    return tuple(reversed(slots))
