# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matchers of single values: equality, numbers, texts, versions, lengths."""

from __future__ import annotations

from ...lang.go.regexp.errors import RegexpError
from ...lang.go.regexp.program import compile_regexp
from ...lang.versions.semver import SemverError, parse, parse_range
from .matcher import Simple
from .values import RuleError, described, is_collection, is_number, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Equal(Simple):
    """The very value, of the same kind."""

    words = "equal"

    def match(self, actual: Any) -> bool:
        """See Matcher."""
        if actual is None and self.expected is None:
            raise RuleError(
                "Refusing to compare <nil> to <nil>. Be explicit and use BeNil() instead. This is to avoid mistakes"
                " where both sides of an assertion are erroneously uninitialized."
            )
        return same(actual, self.expected)

    def go_json(self) -> Any:
        """See Matcher."""
        return self.expected


class Numeric(Simple):
    """A number compared by `eq`, `gt`, `ge`, `lt` or `le`."""

    def __init__(self, name: str, expected: Any) -> None:
        super().__init__(expected)
        self.name = name
        self.words = f"be numerically {name}"

    def match(self, actual: Any) -> bool:
        """See Matcher."""
        for value in (actual, self.expected):
            if not is_number(value):
                raise RuleError(f"Expected a number. Got: {described(value)}")
        if self.name == "eq":
            return bool(actual == self.expected)
        if self.name == "gt":
            return bool(actual > self.expected)
        if self.name == "ge":
            return bool(actual >= self.expected)
        return bool(actual < self.expected if self.name == "lt" else actual <= self.expected)


class HavePrefix(Simple):
    """Text that begins with another."""

    name, words = "have-prefix", "have prefix"

    def match(self, actual: str) -> bool:
        """See Matcher."""
        return actual.startswith(self.expected)


class HaveSuffix(Simple):
    """Text that ends with another."""

    name, words = "have-suffix", "have suffix"

    def match(self, actual: str) -> bool:
        """See Matcher."""
        return actual.endswith(self.expected)


class ContainSubstring(Simple):
    """Text that holds another."""

    name, words = "contain-substring", "contain substring"

    def match(self, actual: str) -> bool:
        """See Matcher."""
        return self.expected in actual


class MatchRegexp(Simple):
    """Text in which a regular expression of RE2 finds something."""

    name, words = "match-regexp", "match regular expression"

    def match(self, actual: str) -> bool:
        """See Matcher."""
        try:
            return compile_regexp(self.expected).search(actual)
        except RegexpError as error:
            raise RuleError(f"RegExp match failed to compile with error: {error}") from None


class HaveLength(Simple):
    """So many elements, or bytes of text."""

    name, words = "have-len", "have length"

    def match(self, actual: Any) -> bool:
        """See Matcher."""
        if isinstance(actual, str):
            return len(actual.encode("utf-8", "surrogatepass")) == self.expected
        if not is_collection(actual):
            raise RuleError(
                f"HaveLen matcher expects a string/array/map/channel/slice/iterator. Got: {described(actual)}"
            )
        return len(actual) == self.expected


class SemverConstraint(Simple):
    """A version, or versions all of which, in a range."""

    name, words = "semver-constraint", "satisfy semver constraint"
    escapes_html = False

    def match(self, actual: Any) -> bool:
        """See Matcher."""
        try:
            wanted = parse_range(self.expected)
        except SemverError:
            raise RuleError(f"Expected a valid semver constraint. Got: {described(self.expected)}") from None
        texts = [actual] if isinstance(actual, str) else actual
        try:
            if not isinstance(texts, (tuple, list)) or not texts or not all(isinstance(text, str) for text in texts):
                raise SemverError("no text")
            versions = [parse(text) for text in texts]
        except SemverError:
            raise RuleError(f"Expected a single or list of semver valid version(s). Got: {described(actual)}") from None
        return all(version in wanted for version in versions)
