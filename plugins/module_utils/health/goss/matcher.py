# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A matcher: it decides whether a value is as expected, and if not, describes why (behaviour.md 13)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.values import Value
    from .values import Displayed, Showable


class Failure:
    """Why a value is not as expected: `actual` `message` `expected`.

    `missing` and `extra` are elements, None where they are not shown. `chain` are the transformations that made
    `actual` out of `raw`.
    """

    def __init__(self, actual: Value, message: str, expected: Showable) -> None:
        self.actual = actual
        self.message = message
        self.expected = expected
        self.missing: Showable = None
        self.extra: Showable = None
        self.chain: Sequence[Displayed] = ()
        self.raw: Value = None


class Matcher:
    """One expectation; it keeps no values."""

    #: Whether `<`, `>` and `&` are escaped where messages show the matcher.
    escapes_html = True

    if TYPE_CHECKING:

        def match(self, actual: Value) -> bool:
            """Return whether a value is as expected. Raises RuleError for a value that cannot be matched."""

        def failure(self, actual: Value) -> Failure:
            """Return the failure of a value that did not match."""

        def negated_failure(self, actual: Value) -> Failure:
            """Return the failure of a value that matched and should not."""

        def go_json(self) -> Showable:
            """Return the matcher as messages show it."""


class Simple(Matcher):
    """A matcher whose failures are `to WORDS` or `not to WORDS` for any value; `name` is how rules write it."""

    name = ""
    words = ""

    def __init__(self, expected: Showable) -> None:
        self.expected = expected

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        return Failure(actual, f"to {self.words}", self.expected)

    def negated_failure(self, actual: Value) -> Failure:
        """See Matcher."""
        return Failure(actual, f"not to {self.words}", self.expected)

    def go_json(self) -> Showable:
        """See Matcher."""
        return {self.name: self.expected}
