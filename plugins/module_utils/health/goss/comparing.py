# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matchers of single values: equality, numbers, texts, versions, lengths."""

from __future__ import annotations

from ...lang.go.regexp.program import RegexpError, compile_regexp
from ...lang.versions.semver import SemverError, parse, parse_range
from .matcher import Simple
from .values import RuleError, described, is_collection, is_number, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Value
    from .values import Number, Showable


class Equal(Simple):
    """An equal value of the same kind."""

    words = "equal"
    expected: Value

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        if actual is None and self.expected is None:
            raise RuleError(
                "Refusing to compare <nil> to <nil>. Be explicit and use BeNil() instead. This is to avoid mistakes"
                " where both sides of an assertion are erroneously uninitialized."
            )
        return same(actual, self.expected)

    def go_json(self) -> Showable:
        """See Matcher."""
        return self.expected


class Numeric(Simple):
    """A number compared by `eq`, `gt`, `ge`, `lt` or `le`."""

    expected: Value

    def __init__(self, name: str, expected: Value) -> None:
        super().__init__(expected)
        self.name = name
        self.words = f"be numerically {name}"

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        number, expected = _number(actual), _number(self.expected)
        if self.name == "eq":
            return number == expected
        if self.name == "gt":
            return number > expected
        if self.name == "ge":
            return number >= expected
        return number < expected if self.name == "lt" else number <= expected


def _number(value: Value) -> Number:
    if not is_number(value):
        raise RuleError("Expected a number. Got: ", value, described)
    return value


class HavePrefix(Simple):
    """Text that begins with another."""

    name, words = "have-prefix", "have prefix"
    expected: str

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return isinstance(actual, str) and actual.startswith(self.expected)


class HaveSuffix(Simple):
    """Text that ends with another."""

    name, words = "have-suffix", "have suffix"
    expected: str

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return isinstance(actual, str) and actual.endswith(self.expected)


class ContainSubstring(Simple):
    """Text that holds another."""

    name, words = "contain-substring", "contain substring"
    expected: str

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return isinstance(actual, str) and self.expected in actual


class MatchRegexp(Simple):
    """Text in which a regular expression of RE2 finds something."""

    name, words = "match-regexp", "match regular expression"
    expected: str

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        try:
            return isinstance(actual, str) and compile_regexp(self.expected).search(actual)
        except RegexpError as error:
            raise RuleError(f"RegExp match failed to compile with error: {error}") from None


class HaveLength(Simple):
    """This number of elements, or bytes of text."""

    name, words = "have-len", "have length"
    expected: int

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        if isinstance(actual, str):
            return len(actual.encode("utf-8", "surrogatepass")) == self.expected
        if not is_collection(actual):
            raise RuleError(
                "HaveLen matcher expects a string/array/map/channel/slice/iterator. Got: ", actual, described
            )
        return len(actual) == self.expected


class SemverConstraint(Simple):
    """A version, or several that are all in a range."""

    name, words = "semver-constraint", "satisfy semver constraint"
    escapes_html = False
    expected: str

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        try:
            wanted = parse_range(self.expected)
        except SemverError:
            raise RuleError("Expected a valid semver constraint. Got: ", self.expected, described) from None
        given = [actual] if isinstance(actual, str) else actual if isinstance(actual, (tuple, list)) else ()
        texts = [text for text in given if isinstance(text, str)]
        try:
            if not texts or len(texts) != len(given):
                raise SemverError("no text")
            versions = [parse(text) for text in texts]
        except SemverError:
            raise RuleError("Expected a single or list of semver valid version(s). Got: ", actual, described) from None
        return all(version in wanted for version in versions)
