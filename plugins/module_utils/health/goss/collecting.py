# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matchers of lists and mappings: what elements and keys they have."""

from __future__ import annotations

from ...lang.go.fmt import sorted_keys
from .matcher import Failure, Matcher, Simple
from .values import RuleError, described, elements_of, is_collection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Value
    from .values import Showable


class ContainElement(Simple):
    """A collection with an element that matches."""

    name, words = "contain-element", "contain element matching"
    expected: Matcher

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        if not is_collection(actual):
            raise RuleError("ContainElement matcher expects an array/slice/map/iterator. Got: ", actual, described)
        refusal = None
        for element in elements_of(actual):
            try:
                if self.expected.match(element):
                    return True
            except RuleError as error:
                refusal = error
        if refusal is not None:
            raise refusal
        return False


class HaveKey(Simple):
    """A mapping with a key that matches."""

    name, words = "have-key", "have key matching"
    expected: Matcher

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        if not isinstance(actual, dict):
            raise RuleError("HaveKey matcher expects a map/iter.Seq2. Got: ", actual, described)
        try:
            return any(self.expected.match(key) for key in sorted_keys(actual))
        except RuleError as error:
            raise error.behind("HaveKey's key matcher failed with: ") from None


class ContainElements(Simple):
    """A collection with a different element for each of the expected ones."""

    name, words = "contain-elements", "contain elements matching"
    title = "ContainElements"
    expected: list[Matcher]

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return None not in self._partners(actual)

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        failure = super().failure(actual)
        failure.expected = self.expected or None
        if is_collection(actual):
            failure.missing = self._missing(self._partners(actual))
        return failure

    def negated_failure(self, actual: Value) -> Failure:
        """See Matcher."""
        failure = super().negated_failure(actual)
        failure.expected = self.expected or None
        return failure

    def go_json(self) -> Showable:
        """See Matcher."""
        return {self.name: self.expected or None}

    def _missing(self, partners: list[int | None]) -> list[Matcher] | None:
        return [wanted for wanted, partner in zip(self.expected, partners) if partner is None] or None

    def _partners(self, actual: Value) -> list[int | None]:
        """Return the index of the element of `actual` for each expected one, so that as many as possible have one."""
        if not is_collection(actual):
            raise RuleError(
                f"{self.title} matcher expects an array/slice/map/iter.Seq/iter.Seq2. Got: ", actual, described
            )
        elements = elements_of(actual)
        fitting = [[at for at, wanted in enumerate(self.expected) if _fits(wanted, element)] for element in elements]
        partners: list[int | None] = [None] * len(self.expected)
        for element in range(len(elements)):
            _place(element, fitting, partners, set())
        return partners


def _fits(matcher: Matcher, element: Value) -> bool:
    try:
        return matcher.match(element)
    except RuleError:
        return False


def _place(element: int, fitting: list[list[int]], partners: list[int | None], tried: set[int]) -> bool:
    """Give an element a place among the matching ones, if needed by moving the element that has it."""
    for place in fitting[element]:
        if place in tried:
            continue
        tried.add(place)
        holder = partners[place]
        if holder is None or _place(holder, fitting, partners, tried):
            partners[place] = element
            return True
    return False


class ConsistOf(ContainElements):
    """A collection with a different element for each of the expected ones, and no other."""

    name, words = "consist-of", "consist of"
    title = "ConsistOf"

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return super().match(actual) and is_collection(actual) and len(actual) == len(self.expected)

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        failure = super().failure(actual)
        if is_collection(actual):
            taken = set(self._partners(actual))
            failure.extra = [item for at, item in enumerate(elements_of(actual)) if at not in taken] or None
        return failure
