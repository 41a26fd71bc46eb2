# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which versions are wanted: ``>= 1.2, < 2 || ~3.1 || 4.x || ^5``. Rules: Masterminds' semver 3.5."""

from __future__ import annotations

from ...go.quoting import quote
from ...go.regexp.program import compile_regexp
from ...go.values import encoded
from ..function import CallError, Function
from .versions import Version, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Test = Callable[["Constraint", Version], bool]

_MAX_LENGTH = 512
_MAX_GROUPS = 32
_OPERATORS = r"=||!=|>|<|>=|=>|<=|=<|~|~>|\^"
_NUMBER = r"[0-9|x|X|\*]+"
_NAMES = r"[0-9A-Za-z\-]+(?:\.[0-9A-Za-z\-]+)*"
_VERSION = rf"v?({_NUMBER})(\.{_NUMBER})?(\.{_NUMBER})?(-{_NAMES})?(?:\+{_NAMES})?"
_ONE = rf"({_OPERATORS})\s*({_VERSION})"
_PLACEHOLDERS = ("", "x", "X", "*")


class Constraint:
    """One condition on a version.

    ``operator`` is as written; ``version`` what it compares with, left out parts being 0. ``given`` is how many of the
    numbers were given, 3 being all.
    """

    __slots__ = ("given", "operator", "version")

    def __init__(self, operator: str, version: Version, given: int) -> None:
        self.operator = operator
        self.version = version
        self.given = given

    def allows(self, version: Version) -> bool:
        """Return whether ``version`` fulfils the condition."""
        return _TESTS[self.operator](self, version)


def parse_constraints(text: str) -> list[list[Constraint]]:
    """Return the groups of ``text`` of which one must hold, each a list of conditions that must hold together.

    Raises CallError for text that is no constraint.
    """
    if len(encoded(text)) > _MAX_LENGTH:
        raise CallError(f"constraint string is too long (max {_MAX_LENGTH} bytes)")
    groups = _without_ranges(text).split("||")
    if len(groups) > _MAX_GROUPS:
        raise CallError(f"too many constraint groups (max {_MAX_GROUPS})")
    return [_group(group) for group in groups]


def satisfies(groups: list[list[Constraint]], version: Version) -> bool:
    """Return whether ``version`` fulfils a group; a prerelease only one in which a condition names a prerelease."""
    for group in groups:
        if version.prerelease and not any(condition.version.prerelease for condition in group):
            continue
        if all(condition.allows(version) for condition in group):
            return True
    return False


def _without_ranges(text: str) -> str:
    """Return ``text`` with ``1 - 3`` written as two conditions."""
    ranges = compile_regexp(rf"\s*({_VERSION})\s+-\s+({_VERSION})\s*")
    written = text
    for match in ranges.find_all(text):
        whole, first, last = (text[match[number][0] : match[number][1]] for number in (0, 1, 6))
        written = written.replace(whole, f">= {first}, <= {last} ", 1)
    return written


def _group(text: str) -> list[Constraint]:
    valid = compile_regexp(rf"^\s*(?:{_ONE})\s*(?:(?:\s+|,\s*)(?:{_ONE})\s*)*$")
    if not valid.search(text):
        raise CallError("improper constraint: " + quote(text))
    return [_constraint(text[match[0][0] : match[0][1]]) for match in compile_regexp(_ONE).find_all(text)]


def _constraint(text: str) -> Constraint:
    match = compile_regexp(rf"^\s*{_ONE}\s*$").find(text)
    if match is None:
        raise CallError("improper constraint: " + quote(text))
    operator, _version, *numbers, prerelease = (text[max(start, 0) : max(end, 0)] for start, end in match[1:])
    given = next((at for at, part in enumerate(numbers) if part.lstrip(".") in _PLACEHOLDERS), 3)
    written = [numbers[0] or "0", *(part or ".0" for part in numbers[1:])][:given] + ["0", ".0", ".0"][given:]
    try:
        version = parse("".join(written) + prerelease)
    except CallError:
        raise CallError("constraint parser error") from None
    return Constraint(operator, version, given)


def _is_other(wanted: Constraint, version: Version) -> bool:
    given = wanted.given
    if given in (0, 3) or version.numbers[:given] != wanted.version.numbers[:given]:
        return version.compare(wanted.version) != 0
    return given == 2 and version.prerelease != wanted.version.prerelease


def _is_above(wanted: Constraint, version: Version) -> bool:
    if wanted.given in (0, 3):
        return version.compare(wanted.version) > 0
    return version.numbers[: wanted.given] > wanted.version.numbers[: wanted.given]


def _is_below(wanted: Constraint, version: Version) -> bool:
    return version.compare(wanted.version) < 0


def _is_equal_or_above(wanted: Constraint, version: Version) -> bool:
    return version.compare(wanted.version) >= 0


def _is_equal_or_below(wanted: Constraint, version: Version) -> bool:
    if wanted.given == 3:
        return version.compare(wanted.version) <= 0
    given = wanted.given or 2
    return version.numbers[:given] <= wanted.version.numbers[:given]


def _is_close(wanted: Constraint, version: Version) -> bool:
    if _is_below(wanted, version):
        return False
    if wanted.given in (0, 3) and wanted.version.numbers == (0, 0, 0):
        return True
    same = 1 if wanted.given == 1 else 2
    return version.numbers[:same] == wanted.version.numbers[:same]


def _is_equal(wanted: Constraint, version: Version) -> bool:
    return version.compare(wanted.version) == 0 if wanted.given == 3 else _is_close(wanted, version)


def _is_compatible(wanted: Constraint, version: Version) -> bool:
    """Return whether all numbers up to the first that is not zero are the same (``^``)."""
    if _is_below(wanted, version):
        return False
    major, minor, _patch = wanted.version.numbers
    if major or wanted.given == 1:
        return version.numbers[0] == major
    same = 2 if minor or wanted.given == 2 else 3
    return version.numbers[:same] == wanted.version.numbers[:same]


_TESTS: dict[str, Test] = {
    "": _is_equal,
    "=": _is_equal,
    "!=": _is_other,
    ">": _is_above,
    "<": _is_below,
    ">=": _is_equal_or_above,
    "=>": _is_equal_or_above,
    "<=": _is_equal_or_below,
    "=<": _is_equal_or_below,
    "~": _is_close,
    "~>": _is_close,
    "^": _is_compatible,
}


def _satisfies(constraint: str, text: str) -> bool:
    groups = parse_constraints(constraint)
    return satisfies(groups, parse(text))


FUNCTIONS = {"semverCompare": Function(_satisfies, "string", "string")}
