# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One rule under evaluation: its tests of the host, and the result of each."""

from __future__ import annotations

import re

from ...host.errors import HostError
from ...lang.controls import escaped
from ...redaction.texts import without_text_secrets
from .building import matcher_of
from .patterns import HavePatterns, Stream
from .values import RuleError, as_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.values import Data, Value
    from .matcher import Failure, Matcher

_SPACE = re.compile("[\t\n\f\r ]+")
# Eleven days; sockets accept no timeout of more than 24 days.
_LONGEST_TIMEOUT_MS = 1_000_000_000
PASSED, FAILED, SKIPPED = range(3)


class Test:
    """The result of one test: `outcome` is PASSED, FAILED or SKIPPED, `line` describes it, with no credentials."""

    def __init__(self, outcome: int, line: str) -> None:
        self.outcome = outcome
        self.line = without_text_secrets(line)


class Rule:
    """A rule: `label` of its kind and itself as messages show them, and its attributes by name.

    `subject` is the checked object: the file, the user. Once a test that the others depend on fails or finds nothing,
    they are skipped.
    """

    def __init__(self, label: str, subject: str, attributes: Data) -> None:
        self.label = label
        self.subject = subject
        self.attributes = attributes
        self.skipping = self.flag("skip")
        self.tests: list[Test] = []

    def text(self, attribute: str) -> str:
        """Return the value of an attribute of the kind `text`, "" where none is given."""
        given = self.attributes.get(attribute)
        return given if isinstance(given, str) else ""

    def texts(self, attribute: str) -> list[str]:
        """Return the value of an attribute of the kind `texts`, none where none is given."""
        given = self.attributes.get(attribute)
        return [text for text in given if isinstance(text, str)] if isinstance(given, list) else []

    def integer(self, attribute: str) -> int:
        """Return the value of an attribute of the kind `integer`, 0 where none is given."""
        given = self.attributes.get(attribute)
        return given if isinstance(given, int) else 0

    def flag(self, attribute: str) -> bool:
        """Return the value of an attribute of the kind `boolean`, False where none is given."""
        return self.attributes.get(attribute) is True

    def gate(self, attribute: str, read: Callable[[], Value]) -> None:
        """Test an attribute, given or not, that all the following ones depend on."""
        outcome, actual = self._test(attribute, self.attributes.get(attribute), read)
        if outcome != PASSED or actual is False:
            self.skipping = True

    def must(self, attribute: str, read: Callable[[], Value]) -> None:
        """Test an attribute, given or not."""
        self._test(attribute, self.attributes.get(attribute), read)

    def may(self, attribute: str, read: Callable[[], Value], shown: str = "") -> None:
        """Test an attribute if it is given; `shown` is its name in messages where that is another one."""
        expected = self.attributes.get(attribute)
        if expected is not None:
            self._test(shown or attribute, expected, read)

    def may_read(self, attribute: str, read: Callable[[], Stream], shown: str = "") -> None:
        """Test a stream if the attribute is given: a list is one of patterns, any other value is a matcher."""
        expected = self.attributes.get(attribute)
        if expected is not None and expected != []:
            self._test(shown or attribute, expected, read)

    def _test(self, shown: str, expected: Value, read: Callable[[], Value]) -> tuple[int, Value]:
        lead = f"{self.label}: {shown}:"
        if self.skipping:
            self.tests.append(Test(SKIPPED, f"{lead} skipped"))
            return SKIPPED, None
        actual: Value = None
        stream: Stream | None = None
        refusal = None
        matcher: Matcher | None = None
        success = False
        try:
            actual = read()
            stream = actual if isinstance(actual, Stream) else None
            if stream is not None and isinstance(expected, list):
                matcher = HavePatterns(expected)
            else:
                actual = actual if stream is None else str(stream)
                matcher = matcher_of(expected)
            success = matcher.match(actual)
        except RuleError as error:
            refusal = _SPACE.sub(" ", error.shown(stream.shown_part) if stream is not None else str(error))
        except HostError as error:
            refusal = _SPACE.sub(" ", str(error))
        if success:
            self.tests.append(Test(PASSED, f"{lead} matches expectation: {as_json(expected)}"))
            return PASSED, actual
        failure = matcher.failure(actual) if matcher else None
        if failure is not None and stream is not None:
            _shorten(failure, stream)
        why = escaped(" ".join(_explained(failure, refusal)), keep="")
        self.tests.append(Test(FAILED, f"{lead} {why}"))
        return FAILED, actual


def _shorten(failure: Failure, stream: Stream) -> None:
    """Put the shown part of a stream in the place of its text, and of the list of its lines."""
    whole, shown = str(stream), stream.shown()
    forms: list[tuple[Value, Value]] = [(whole, shown), (tuple(whole.split("\n")), tuple(shown.split("\n")))]
    for value, shorter in forms:
        if failure.actual == value:
            failure.actual = shorter
        if failure.raw == value:
            failure.raw = shorter


def _explained(failure: Failure | None, refusal: str | None) -> list[str]:
    words = []
    if refusal is not None:
        words += ["Error", refusal]
    elif failure is not None:
        words += ["Expected", as_json(failure.actual), failure.message, as_json(failure.expected)]
    if failure is None:
        return words
    if failure.missing is not None:
        words += ["the missing elements were", as_json(failure.missing)]
    if failure.extra is not None:
        words += ["the extra elements were", as_json(failure.extra)]
    if failure.chain:
        words += ["the transform chain was", as_json(failure.chain), "the raw value was", as_json(failure.raw)]
    return words


def timeout_of(rule: Rule, default: int) -> int:
    """Return the time in ms that a rule gives, or else the default.

    It is negative where there is none, as in goss.
    """
    return min(rule.integer("timeout") or default, _LONGEST_TIMEOUT_MS)


def whole_number(rule: Rule, attribute: str) -> None:
    """Convert a whole number that is written as text to a number, as older rules have it."""
    given = rule.attributes.get(attribute)
    if isinstance(given, str) and given[given[:1] in ("+", "-") :].isdecimal():
        rule.attributes[attribute] = float(given)
