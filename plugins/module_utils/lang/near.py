# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The known word that looks most like an unknown one, for messages that ask "did you mean"."""

from __future__ import annotations

from bisect import bisect_left, insort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

_CLOSE = 0.6
_MOST = 10_000

_answers: dict[tuple[str, tuple[str, ...], float], str] = {}


def nearest(word: str, known: Iterable[str], cutoff: float = _CLOSE) -> str:
    """Return the known word that looks most like `word`, "" when none is at least `cutoff` (0 to 1) alike.

    An answer is kept for the next time. The time grows with the number of known words: for many words that are
    looked for among many others, use NearestNames.
    """
    key = (word, tuple(known), cutoff)
    answer = _answers.get(key)
    if answer is None:
        if len(_answers) >= _MOST:
            _answers.clear()
        answer = _answers[key] = _closest(*key)
    return answer


def _closest(word: str, known: tuple[str, ...], cutoff: float) -> str:
    import difflib

    letters = {letter: word.count(letter) for letter in word}
    able = []
    for each in known:
        # No more letters can be in common than both have, and that is counted much faster than difflib compares.
        shared = sum(min(count, each.count(letter)) for letter, count in letters.items())
        if 2 * shared >= cutoff * (len(word) + len(each)):
            able.append(each)
    return next(iter(difflib.get_close_matches(word, able, 1, cutoff)), "")


class NearestNames:
    """Many names, among which the nearest is found without a look at each.

    The nearest name has the beginning and the end of the wanted name, as after one slip.
    """

    def __init__(self) -> None:
        self._forward: list[str] = []
        self._backward: list[str] = []

    def add(self, name: str) -> None:
        """Add a name, which is not among them yet."""
        insort(self._forward, name)
        insort(self._backward, name[::-1])

    def find(self, name: str) -> str:
        """Return the name that looks most like `name`, "" when none looks like it."""
        forward, backward = bisect_left(self._forward, name), bisect_left(self._backward, name[::-1])
        near = self._forward[max(0, forward - 1) : forward + 1]
        near += [each[::-1] for each in self._backward[max(0, backward - 1) : backward + 1]]
        likeness, found = max(((_likeness(name, each), each) for each in near), default=(0.0, ""))
        return found if likeness >= _CLOSE else ""


def _likeness(one: str, other: str) -> float:
    """Return how much of the longer text is the beginning or the end of both."""
    shorter, longer = sorted((len(one), len(other)))
    start = 0
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    return (start + end) / longer if longer else 0.0
