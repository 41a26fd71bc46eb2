# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matchers made of others: not, and, or."""

from __future__ import annotations

from .matcher import Failure, Matcher
from .values import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Value
    from .values import Showable


class Not(Matcher):
    """What another matcher does not match."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return not self._matcher.match(actual)

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        return self._matcher.negated_failure(actual)

    def negated_failure(self, actual: Value) -> Failure:
        """See Matcher."""
        return self._matcher.failure(actual)

    def go_json(self) -> Showable:
        """See Matcher."""
        return {"not": self._matcher}


class And(Matcher):
    """What all of several matchers match."""

    def __init__(self, matchers: list[Matcher]) -> None:
        self._matchers = matchers

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return all(matcher.match(actual) for matcher in self._matchers)

    def failure(self, actual: Value) -> Failure:
        """See Matcher: return the failure of the first matcher that does not match."""
        return next(matcher.failure(actual) for matcher in self._matchers if not _matches(matcher, actual))

    def negated_failure(self, actual: Value) -> Failure:
        """See Matcher."""
        return Failure(actual, "not to satisfy all of these matchers", self._matchers or None)

    def go_json(self) -> Showable:
        """See Matcher."""
        return self._matchers[0] if len(self._matchers) == 1 else {"and": self._matchers or None}


class Or(Matcher):
    """What at least one of several matchers matches."""

    def __init__(self, matchers: list[Matcher]) -> None:
        self._matchers = matchers

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return any(matcher.match(actual) for matcher in self._matchers)

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        return Failure(actual, "to satisfy at least one of these matchers", self._matchers or None)

    def negated_failure(self, actual: Value) -> Failure:
        """See Matcher: return the failure of the first matcher that matches; if none does, the value was refused."""
        matching = next((matcher for matcher in self._matchers if _matches(matcher, actual)), None)
        return matching.negated_failure(actual) if matching else self.failure(actual)

    def go_json(self) -> Showable:
        """See Matcher."""
        return {"or": self._matchers or None}


def _matches(matcher: Matcher, actual: Value) -> bool:
    try:
        return matcher.match(actual)
    except RuleError:
        return False
