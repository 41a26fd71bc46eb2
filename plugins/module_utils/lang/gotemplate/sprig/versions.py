# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Semantic versions, read as leniently as Sprig's library does: ``v1.2`` is 1.2.0, leading zeros do not count."""

from __future__ import annotations

import re

from ...go.kinds import Uint64
from ...go.values import encoded
from ..function import CallError, Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, ClassVar

_MAX_LENGTH = 256
_MAX_NUMBER = (1 << 64) - 1
_NAMES = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789")


class Version:
    """A version; ``numbers`` are major, minor and patch, ``original`` is the text it was read from."""

    GO_TYPE = "*semver.Version"
    if TYPE_CHECKING:
        GO_METHODS: ClassVar[dict[str, Function]]
    __slots__ = ("metadata", "numbers", "original", "prerelease")

    def __init__(self, numbers: tuple[int, int, int], prerelease: str, metadata: str, original: str = "") -> None:
        self.numbers = numbers
        self.prerelease = prerelease
        self.metadata = metadata
        self.original = original

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(self.parts())

    def __repr__(self) -> str:
        return f"Version({self.go_text()!r})"

    def parts(self) -> tuple[object, ...]:
        """Return all that makes this version what it is."""
        return self.GO_TYPE, self.numbers, self.prerelease, self.metadata, self.original

    def go_text(self) -> str:
        """Return the version in its full form: ``1.2.0-beta.1+build``."""
        text = ".".join(map(str, self.numbers))
        if self.prerelease:
            text += "-" + self.prerelease
        return f"{text}+{self.metadata}" if self.metadata else text

    def go_json(self) -> str:
        """Return the form of the version in JSON: its text."""
        return self.go_text()

    def compare(self, other: Version) -> int:
        """Return -1, 0 or 1 for a version below, like, or above ``other``; metadata does not count."""
        if self.numbers != other.numbers:
            return 1 if self.numbers > other.numbers else -1
        return compare_prereleases(self.prerelease, other.prerelease)


class VersionValue(Version):
    """A version that is no pointer, as the methods that raise one give it."""

    GO_TYPE = "semver.Version"
    if TYPE_CHECKING:
        GO_METHODS: ClassVar[dict[str, Function]]
    __slots__ = ()


def parse(text: str) -> Version:
    """Return the version in ``text``. Raises CallError for text that is none."""
    if len(encoded(text)) > _MAX_LENGTH:
        raise CallError(f"version string is too long (max {_MAX_LENGTH} bytes)")
    found = re.match(rf"v?([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?(?:-({_NAMES}))?(?:\+({_NAMES}))?\Z", text)
    if found is None:
        raise CallError("invalid semantic version")
    major, minor, patch = (_number(found.group(group)) for group in (1, 2, 3))
    prerelease, metadata = found.group(4) or "", found.group(5) or ""
    _check_prerelease(prerelease)
    return Version((major, minor, patch), prerelease, metadata, text)


def _number(digits: str | None) -> int:
    number = int(digits or "0")
    if number > _MAX_NUMBER:
        raise CallError(f'error parsing version segment: strconv.ParseUint: parsing "{digits}": value out of range')
    return number


def _check_prerelease(text: str) -> None:
    for part in text.split(".") if text else ():
        if not part or not _LETTERS.issuperset(part):
            raise CallError("invalid prerelease string")
        if part.isdigit() and len(part) > 1 and part[0] == "0":
            raise CallError("version segment starts with 0")


def _check_metadata(text: str) -> None:
    if any(not part or not _LETTERS.issuperset(part) for part in text.split(".")):
        raise CallError("invalid metadata string")


def compare_prereleases(left: str, right: str) -> int:
    """Return -1, 0 or 1 for a prerelease before, like, or after another; none comes after any."""
    if not left or not right:
        return (not left) - (not right)
    lefts, rights = left.split("."), right.split(".")
    for number in range(max(len(lefts), len(rights))):
        if number >= len(lefts) or number >= len(rights):
            return 1 if number < len(lefts) else -1
        order = _compare_parts(lefts[number], rights[number])
        if order:
            return order
    return 0


def _compare_parts(left: str, right: str) -> int:
    if left == right:
        return 0
    if _is_number(left) != _is_number(right):
        return -1 if _is_number(left) else 1
    if _is_number(left):
        return 1 if int(left) > int(right) else -1
    return 1 if left > right else -1


def _is_number(text: str) -> bool:
    return text.isdigit() and int(text) <= _MAX_NUMBER


def _next(version: Version, at: int) -> VersionValue:
    """Return the version after ``version`` at one of its numbers; a prerelease comes before its own patch."""
    numbers = [*version.numbers[: at + 1], 0, 0][:3]
    if at < 2 or not version.prerelease:
        if numbers[at] == _MAX_NUMBER:
            raise CallError(f"{('major', 'minor', 'patch')[at]} version increment would overflow uint64")
        numbers[at] += 1
    return _changed(version, (numbers[0], numbers[1], numbers[2]), "", "")


def _changed(version: Version, numbers: tuple[int, int, int], prerelease: str, metadata: str) -> VersionValue:
    changed = VersionValue(numbers, prerelease, metadata)
    changed.original = ("v" if version.original.startswith("v") else "") + changed.go_text()
    return changed


def _with_prerelease(version: Version, prerelease: str) -> VersionValue:
    _check_prerelease(prerelease)
    return _changed(version, version.numbers, prerelease, version.metadata)


def _with_metadata(version: Version, metadata: str) -> VersionValue:
    if metadata:
        _check_metadata(metadata)
    return _changed(version, version.numbers, version.prerelease, metadata)


def _comparison(test: Callable[[int], Any]) -> Function:
    return Function(lambda version, other: test(version.compare(other)), "*semver.Version")


_ANY_METHODS = {
    "Major": Function(lambda version: Uint64(version.numbers[0])),
    "Minor": Function(lambda version: Uint64(version.numbers[1])),
    "Patch": Function(lambda version: Uint64(version.numbers[2])),
    "Prerelease": Function(lambda version: version.prerelease),
    "Metadata": Function(lambda version: version.metadata),
    "String": Function(lambda version: version.go_text()),
    "MarshalText": Function(lambda version: encoded(version.go_text())),
    "MarshalJSON": Function(lambda version: encoded('"' + version.go_text() + '"')),
    "Value": Function(lambda version: version.go_text()),
    "IncMajor": Function(lambda version: _next(version, 0)),
    "IncMinor": Function(lambda version: _next(version, 1)),
    "IncPatch": Function(lambda version: _next(version, 2)),
    "SetPrerelease": Function(_with_prerelease, "string"),
    "SetMetadata": Function(_with_metadata, "string"),
}
VersionValue.GO_METHODS = _ANY_METHODS
Version.GO_METHODS = {
    **_ANY_METHODS,
    "Original": Function(lambda version: version.original),
    "Compare": _comparison(lambda order: order),
    "Equal": _comparison(lambda order: order == 0),
    "LessThan": _comparison(lambda order: order < 0),
    "LessThanEqual": _comparison(lambda order: order <= 0),
    "GreaterThan": _comparison(lambda order: order > 0),
    "GreaterThanEqual": _comparison(lambda order: order >= 0),
}


FUNCTIONS = {"semver": Function(parse, "string")}
