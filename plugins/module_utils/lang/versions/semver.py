# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Semantic versions and ranges of them, as goss understands both (behaviour.md 13, semver-constraint)."""

from __future__ import annotations

from functools import total_ordering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Tuple

    # An operator and the version it compares with.
    Term = Tuple[str, "SemanticVersion"]

_DIGITS = frozenset("0123456789")
_WORDS = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")
_LARGEST = (1 << 64) - 1
_EQUAL, _UNEQUAL = ("", "=", "=="), ("!", "!=")
#: What may be between an operator and its version.
_OPERATOR_ENDS = (">", "<", "=")


class SemverError(ValueError):
    """A text that is not a version, or not a range of versions."""


@total_ordering
class SemanticVersion:
    """`MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD]`, compared without its build."""

    def __init__(self, numbers: tuple[int, int, int], prerelease: tuple[str, ...]) -> None:
        # A pre-release is older than the release; numbers are older than words.
        marks = tuple((0, int(mark), "") if _DIGITS.issuperset(mark) else (1, 0, mark) for mark in prerelease)
        self._key: tuple[Any, ...] = (numbers, not prerelease, marks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SemanticVersion) and self._key == other._key

    def __lt__(self, other: SemanticVersion) -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)


def parse(text: str) -> SemanticVersion:
    """Return the version that a text means. Raises SemverError."""
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise SemverError(f"no MAJOR.MINOR.PATCH in {text}")
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    marks = tuple(prerelease.split(".")) if dash else ()
    for mark in marks:
        if _DIGITS.issuperset(mark):
            _number(mark)
    if not all(mark and _WORDS.issuperset(mark) for mark in (*marks, *(build.split(".") if plus else ()))):
        raise SemverError(f"what follows the numbers of {text} is not made of words")
    return SemanticVersion((_number(parts[0]), _number(parts[1]), _number(patch)), marks)


def _number(text: str) -> int:
    if not text or not _DIGITS.issuperset(text) or (len(text) > 1 and text[0] == "0") or len(text) > 20:
        raise SemverError(f"{text} is not a version number")
    number = int(text)
    if number > _LARGEST:
        raise SemverError(f"{text} is too large")
    return number


class Range:
    """Versions that fulfil all terms of at least one of the alternatives."""

    def __init__(self, alternatives: list[list[Term]]) -> None:
        self._alternatives = alternatives

    def __contains__(self, version: SemanticVersion) -> bool:
        return any(all(_fulfils(version, *term) for term in terms) for terms in self._alternatives)


def parse_range(text: str) -> Range:
    """Return the range that a text like `>=1.2.x <2.0.0 || >3.0.0 !=3.1.4` means. Raises SemverError."""
    alternatives: list[list[str]] = [[]]
    words = _words(text)
    for word in words:
        if word == "||":
            alternatives.append([])
        else:
            alternatives[-1].append(word)
    if not alternatives[0] or not alternatives[-1]:
        raise SemverError(f"{text!r} is not a range of versions")
    return Range([[term for word in terms for term in _terms(word)] for terms in alternatives if terms])


def _words(text: str) -> list[str]:
    """Return the parts between blanks, an operator and its version in one; parts of a single character do not count."""
    words, start, before = [], 0, ""
    for at, char in enumerate(text):
        if char != " ":
            before = char
        elif before not in _OPERATOR_ENDS:
            words.append(text[start:at])
            start = at + 1
    words.append(text[start:])
    return [word.replace(" ", "") for word in words if len(word) > 1]


def _terms(word: str) -> list[Term]:
    start = next((at for at, char in enumerate(word) if char.isdigit()), None)
    if start is None:
        raise SemverError(f"{word} names no version")
    operator, version = word[:start].strip(), word[start:]
    if operator not in (*_EQUAL, *_UNEQUAL, ">", ">=", "<", "<="):
        raise SemverError(f"{operator} compares nothing")
    if "x" not in version:
        return [(operator, parse(version))]
    return _wildcard_terms(operator, version.split("."))


def _wildcard_terms(operator: str, parts: list[str]) -> list[Term]:
    """Return the terms that `1.x` or `1.2.x` means: from its first version on, up to the first one behind it."""
    fixed = [_number(part) for part in parts[: parts.index("x")]] if "x" in parts else []
    if not fixed or len(fixed) > 2 or any(part != "x" for part in parts[len(fixed) :]):
        raise SemverError(f"{'.'.join(parts)} is not a version")
    first, behind = _padded(fixed), _padded([*fixed[:-1], fixed[-1] + 1])
    if operator in _EQUAL:
        return [(">=", first), ("<", behind)]
    if operator in _UNEQUAL:
        # No version fulfils both, and none does in the original.
        return [("<", first), (">=", behind)]
    return [{">": (">=", behind), ">=": (">=", first), "<": ("<", first), "<=": ("<", behind)}[operator]]


def _padded(numbers: list[int]) -> SemanticVersion:
    major, minor, patch = (*numbers, 0, 0)[:3]
    return SemanticVersion((major, minor, patch), ())


def _fulfils(version: SemanticVersion, operator: str, other: SemanticVersion) -> bool:
    if operator in _EQUAL:
        return version == other
    if operator in _UNEQUAL:
        return version != other
    if operator == ">":
        return version > other
    if operator == ">=":
        return version >= other
    return version < other if operator == "<" else version <= other
