# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values transformed before they are matched: texts, numbers, lines, results of a GJSON path."""

from __future__ import annotations

from ...lang.go.quoting import quote
from .matcher import Failure, Matcher
from .values import RuleError, described, is_number, same, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.values import Value
    from .values import Showable


class Transformation:
    """One way to make a value from another; `go_name` is its name in errors, `failed` the value after an error."""

    def __init__(self, name: str, go_name: str, make: Callable[[Value], Value], failed: Value = None) -> None:
        self._name = name
        self._go_name = go_name
        self._make = make
        self.failed = failed

    def __call__(self, value: Value) -> Value:
        """Return the new value. Raises RuleError."""
        try:
            return self._make(value)
        except RuleError as error:
            raise error.behind(f"matchers.{self._go_name}: ") from None

    def go_json(self) -> Showable:
        """Return the transformation as messages show it."""
        return {self._name: {}}


def _number(value: Value) -> Value:
    if is_number(value):
        return value
    if isinstance(value, tuple):
        value = text_of(value)
    if not isinstance(value, str):
        raise RuleError("Expected numeric, Got: ", value, described)
    return _parsed(value.strip())


def _parsed(text: str) -> float:
    """Return the number in a text, in decimal or with `0x` in hexadecimal digits. Raises RuleError in Go's words."""
    digits = text.lstrip("+-")
    is_hex = digits[:2] in ("0x", "0X") and "p" in digits.lower()
    reason = "invalid syntax"
    try:
        if text.isascii():
            number = float.fromhex(text.replace("_", "")) if is_hex else float(text)
            if number - number == 0 or digits[:1].isalpha():
                return number
            reason = "value out of range"
    except ValueError:
        pass
    except OverflowError:
        reason = "value out of range"
    raise RuleError("strconv.ParseFloat: parsing ", text, lambda _text, part: f"{quote(str(part))}: {reason}")


def _lines(value: Value) -> Value:
    return tuple(value.split("\n")) if isinstance(value, str) else value


TO_STRING = Transformation("to-string", "ToString{}", text_of, "")
TO_NUMERIC = Transformation("to-numeric", "ToNumeric{}", _number, 0)
TO_ARRAY = Transformation("to-array", "ToArray{}", _lines)


class GJSON(Transformation):
    """The result of a path in JSON text."""

    def __init__(self, path: str) -> None:
        super().__init__("gjson", f"Gjson{{Path:{quote(path)}}}", self._find)
        self._path = path

    def go_json(self) -> Showable:
        """See Transformation."""
        return {"gjson": {"Path": self._path}}

    def _find(self, value: Value) -> Value:
        from ...lang.gjson.search import GJSONError, get_in_text, valid

        if not isinstance(value, str):
            raise RuleError("Expected string, Got: ", value, described)
        if not valid(value):
            raise RuleError("Invalid json")
        try:
            found = get_in_text(value, self._path)
            if not found.exists:
                raise RuleError(f"Path not found: {self._path}")
            return found.value
        except (GJSONError, RecursionError) as error:
            raise RuleError(str(error)) from None


class Transformed(Matcher):
    """A matcher that is applied to the transformed value."""

    def __init__(self, transformation: Transformation, matcher: Matcher) -> None:
        self._transformation = transformation
        self._matcher = matcher

    def match(self, actual: Value) -> bool:
        """See Matcher."""
        return self._matcher.match(self._transformation(actual))

    def failure(self, actual: Value) -> Failure:
        """See Matcher."""
        chain, matcher, value = self._innermost(actual)
        return _with_chain(matcher.failure(value), chain, actual)

    def negated_failure(self, actual: Value) -> Failure:
        """See Matcher."""
        chain, matcher, value = self._innermost(actual)
        return _with_chain(matcher.negated_failure(value), chain, actual)

    def go_json(self) -> Showable:
        """See Matcher."""
        return self._matcher

    def _innermost(self, actual: Value) -> tuple[list[Transformation], Matcher, Value]:
        """Return the transformations that change the value, and the innermost matcher with its value."""
        chain: list[Transformation] = []
        matcher: Matcher = self
        refused = False
        while isinstance(matcher, Transformed):
            transformation, matcher = matcher._transformation, matcher._matcher
            if refused:
                continue
            before = actual
            try:
                actual = transformation(before)
            except RuleError:
                actual, refused = transformation.failed, True
            if not same(before, actual):
                chain.append(transformation)
        return chain, matcher, actual


def _with_chain(failure: Failure, chain: list[Transformation], raw: Value) -> Failure:
    failure.chain = chain
    failure.raw = raw
    return failure
