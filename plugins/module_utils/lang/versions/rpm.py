# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Versions of RPM packages, understood and compared as rpm does (behaviour.md 8.2, decisions.md Q24)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DIGITS = frozenset("0123456789")
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LONGEST_EPOCH = 10
# In this order: a tilde is before the end of the text, a caret behind it, then letters, then numbers.
_TILDE, _END, _CARET, _WORD, _NUMBER = range(5)
_MARKS = {"~": (_TILDE,), "^": (_CARET,)}


class RpmVersion:
    """`[epoch:]version[-release]`: `epoch` and `release` are None where the text gives none."""

    def __init__(self, epoch: int | None, version: str, release: str | None) -> None:
        self.epoch = epoch
        self.version = version
        self.release = release

    def __str__(self) -> str:
        """Return the version as text, with its epoch unless that is 0."""
        epoch = f"{self.epoch}:" if self.epoch else ""
        return epoch + self.version + ("" if self.release is None else f"-{self.release}")


def parse(text: str) -> RpmVersion:
    """Return the version that a text means. Every text means one: a text before `:` that is no epoch is part of it."""
    before, colon, after = text.partition(":")
    is_epoch = colon and len(before) <= _LONGEST_EPOCH and _DIGITS.issuperset(before)
    epoch = int(before or 0) if is_epoch else None
    rest = text if epoch is None else after
    version, dash, release = rest.rpartition("-")
    return RpmVersion(epoch, version, release) if dash else RpmVersion(epoch, rest, None)


def compare(one: str, other: str) -> int:
    """-1, 0 or 1: whether `[epoch:]version[-release]` `one` is older than `other`, the same or newer.

    A missing epoch is 0; a version without a release is older than the same one with any.
    """
    first, second = parse(one), parse(other)
    epochs = (first.epoch or 0) - (second.epoch or 0)
    if epochs:
        return 1 if epochs > 0 else -1
    return compare_part(first.version, second.version) or _compare_releases(first.release, second.release)


def compare_part(one: str, other: str) -> int:
    """Return the same for two versions without epoch and release, or for two releases."""
    first, second = _key(one), _key(other)
    return (first > second) - (first < second)


def _compare_releases(one: str | None, other: str | None) -> int:
    if one is None or other is None:
        return (one is not None) - (other is not None)
    return compare_part(one, other)


def _key(text: str) -> tuple[tuple[Any, ...], ...]:
    """Return the parts of a text; characters other than letters, digits and marks only separate."""
    parts: list[tuple[Any, ...]] = []
    at = 0
    while at < len(text):
        character = text[at]
        kind = _DIGITS if character in _DIGITS else _LETTERS if character in _LETTERS else ()
        start = at
        at += 1
        while at < len(text) and text[at] in kind:
            at += 1
        if kind is _DIGITS:
            number = text[start:at].lstrip("0")
            parts.append((_NUMBER, len(number), number))
        elif kind:
            parts.append((_WORD, text[start:at]))
        elif character in _MARKS:
            parts.append(_MARKS[character])
    return (*parts, (_END,))
