# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Matchers as rules write them: a plain value, or a mapping of one matcher's name to its argument."""

from __future__ import annotations

from .collecting import ConsistOf, ContainElement, ContainElements, HaveKey
from .combining import And, Not, Or
from .comparing import (
    ContainSubstring,
    Equal,
    HaveLength,
    HavePrefix,
    HaveSuffix,
    MatchRegexp,
    Numeric,
    SemverConstraint,
)
from .patterns import HavePatterns
from .transforming import GJSON, TO_ARRAY, TO_NUMERIC, TO_STRING, Transformed
from .values import RuleError, is_number, quoted, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...model.values import Value
    from .matcher import Matcher


def matcher_of(expected: Value) -> Matcher:
    """Return the matcher of a rule's expected value. Raises RuleError in goss's words."""
    if isinstance(expected, str):
        return Transformed(TO_STRING, Equal(expected))
    if isinstance(expected, bool):
        return Equal(expected)
    if is_number(expected):
        return Transformed(TO_NUMERIC, Numeric("eq", expected))
    if isinstance(expected, list):
        return ContainElements([matcher_of(item) for item in expected])
    if expected is None:
        raise RuleError("Syntax Error: Missing required attribute")
    if not isinstance(expected, dict):
        raise _refused("matcher", "map", expected)
    if len(expected) != 1:
        raise RuleError(
            "Syntax Error: Invalid matcher configuration. At a given nesting level, only one matcher is allowed."
            + (f" Found multiple matchers: {quoted(list(expected))}" if expected else " Found none")
        )
    [(name, value)] = expected.items()
    build = _BUILDERS.get(name)
    if build is None:
        raise RuleError(f"Syntax Error: Unknown matcher: {name}")
    return build(name, value)


def _refused(name: str, wanted: str, value: Value) -> RuleError:
    return RuleError(
        f"Syntax Error: Invalid '{name}' argument. Expected {wanted} value, but received:"
        f" {type_name(value)}: {quoted(value)}"
    )


def _matchers(name: str, value: Value) -> list[Matcher]:
    if not isinstance(value, list):
        raise _refused(name, "array", value)
    return [matcher_of(item) for item in value]


def _of_text(matcher: Callable[[str], Matcher]) -> Callable[[str, Value], Matcher]:
    def build(name: str, value: Value) -> Matcher:
        if not isinstance(value, str):
            raise _refused(name, "string", value)
        return Transformed(TO_STRING, matcher(value))

    return build


def _semver(name: str, value: Value) -> Matcher:
    if not isinstance(value, str):
        raise _refused(name, "string", value)
    return SemverConstraint(value)


def _length(name: str, value: Value) -> Matcher:
    if not is_number(value) or value - value != 0:  # infinity or NaN
        raise _refused(name, "numeric", value)
    return HaveLength(int(value))


def _patterns(name: str, value: Value) -> Matcher:
    if not isinstance(value, list):
        raise _refused(name, "array", value)
    return Transformed(TO_STRING, HavePatterns(value))


def _element(name: str, value: Value) -> Matcher:
    if not isinstance(value, (dict, str)) and not is_number(value):
        raise _refused(name, "matcher, string or numeric", value)
    return Transformed(TO_ARRAY, ContainElement(matcher_of(value)))


def _gjson(name: str, value: Value) -> Matcher:
    if not isinstance(value, dict):
        raise _refused(name, "map", value)
    return And([Transformed(GJSON(path), matcher_of(wanted)) for path, wanted in value.items()])


_BUILDERS: dict[str, Callable[[str, Value], Matcher]] = {
    "equal": lambda name, value: Equal(value),
    "have-prefix": _of_text(HavePrefix),
    "have-suffix": _of_text(HaveSuffix),
    "match-regexp": _of_text(MatchRegexp),
    "contain-substring": _of_text(ContainSubstring),
    "have-len": _length,
    "have-patterns": _patterns,
    "have-key": lambda name, value: HaveKey(matcher_of(value)),
    "contain-element": _element,
    "contain-elements": lambda name, value: Transformed(
        TO_ARRAY, ContainElements(_matchers("contains-elements", value))
    ),
    "not": lambda name, value: Not(matcher_of(value)),
    "consist-of": lambda name, value: ConsistOf(_matchers(name, value)),
    "and": lambda name, value: And(_matchers(name, value)),
    "or": lambda name, value: Or(_matchers(name, value)),
    "gt": lambda name, value: Transformed(TO_NUMERIC, Numeric(name, value)),
    "ge": lambda name, value: Transformed(TO_NUMERIC, Numeric(name, value)),
    "lt": lambda name, value: Transformed(TO_NUMERIC, Numeric(name, value)),
    "le": lambda name, value: Transformed(TO_NUMERIC, Numeric(name, value)),
    "semver-constraint": _semver,
    "gjson": _gjson,
}
