# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions of Debian packages, understood and compared as dpkg does (behaviour.md 8.1, decisions.md Q25)."""

from __future__ import annotations

from ..go.quoting import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST_EPOCH = 2**31 - 1
_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IN_REVISION = _DIGITS | _LETTERS | frozenset(".+~")
_IN_UPSTREAM = _IN_REVISION | frozenset("-:")
# Behind every letter; a tilde is before the end of the text, which is 0.
_PUNCTUATION = 256
_TILDE = -1
_END = (0,)


class VersionError(ValueError):
    """A text that is not a version; the error has the recorded message."""


class DebianVersion:
    """`[epoch:]upstream[-revision]`: `epoch` an integer, `upstream` and `revision` texts, "" for no revision."""

    def __init__(self, epoch: int, upstream: str, revision: str) -> None:
        self.epoch = epoch
        self.upstream = upstream
        self.revision = revision

    def __str__(self) -> str:
        """Return the version as text; without its epoch when that is 0 and not needed to find the upstream version."""
        epoch = f"{self.epoch}:" if self.epoch or ":" in self.upstream else ""
        return epoch + self.upstream + (f"-{self.revision}" if self.revision else "")

    @property
    def key(self) -> tuple[Any, ...]:
        """What sorts as dpkg sorts versions; equal for versions that dpkg takes for the same."""
        return self.epoch, _key(self.upstream), _key(self.revision)


def parse(text: str) -> DebianVersion:
    """Return the version that a text means. Raises VersionError for what dpkg refuses or warns of.

    Like dpkg it accepts a version that does not begin with a digit.
    """
    if not text:
        raise VersionError("unable to parse empty string as a debian version identifier")
    before, colon, after = text.partition(":")
    epoch, rest = (before, after) if colon else ("0", text)
    upstream, dash, revision = rest.rpartition("-")
    if not dash:
        upstream, revision = rest, ""
    is_version = upstream and _IN_UPSTREAM.issuperset(upstream) and _IN_REVISION.issuperset(revision)
    if not is_version or (dash and not revision) or not epoch or not _DIGITS.issuperset(epoch):
        raise _refusal(text)
    significant = epoch.lstrip("0") or "0"
    if len(significant) > 10 or int(significant) > _LARGEST_EPOCH:
        raise _refusal(text)
    return DebianVersion(int(significant), upstream, revision)


def compare(one: str, other: str) -> int:
    """-1, 0 or 1: whether `one` is an older, the same or a newer version. Raises VersionError naming the wrong text."""
    first, second = _checked(one).key, _checked(other).key
    return (first > second) - (first < second)


def _checked(text: str) -> DebianVersion:
    try:
        return parse(text)
    except VersionError as error:
        raise VersionError(f"invalid version {quote(text)}: {error}") from None


def _refusal(text: str) -> VersionError:
    return VersionError(f"unable to parse {quote(text)} as a debian version identifier")


def _key(text: str) -> tuple[Any, ...]:
    """Return runs of other characters and numbers in turn, beginning with the former, one of each at least."""
    parts: list[tuple[Any, ...]] = []
    at, size = 0, len(text)
    while at < size or not parts:
        start = at
        while at < size and text[at] not in _DIGITS:
            at += 1
        parts.append((*map(_weight, text[start:at]), *_END))
        start = at
        while at < size and text[at] in _DIGITS:
            at += 1
        number = text[start:at].lstrip("0")
        parts.append((len(number), number))
    return (*parts, _END)


def _weight(character: str) -> int:
    if character == "~":
        return _TILDE
    return ord(character) + (0 if character in _LETTERS else _PUNCTUATION)
