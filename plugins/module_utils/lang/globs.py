# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns of file names as Go's path/filepath.Match has them (behaviour.md 9.1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import List, Tuple, Union

    #: A star is None, a character or `?` is text, a class is whether it is negated, and its ranges.
    Token = Union[None, str, Tuple[bool, List[Tuple[str, str]]]]


class GlobError(Exception):
    """A pattern that is none; the message is Go's."""

    def __init__(self) -> None:
        super().__init__("syntax error in pattern")


_ANY = "?"


def matches(pattern: str, name: str) -> bool:
    """Return whether a whole name matches: `*` is any text and `?` any character, both without `/`.

    `[a-z]`, `[^a-z]`, `\\x`.

    Raises GlobError, for every name.
    """
    tokens = _tokens(pattern)
    at = position = 0
    star = resume = -1
    while position < len(name):
        if at < len(tokens) and tokens[at] is None:
            star, resume, at = at, position, at + 1
        elif at < len(tokens) and _fits(tokens[at], name[position]):
            at, position = at + 1, position + 1
        elif star >= 0 and name[resume] != "/":
            resume += 1
            at, position = star + 1, resume
        else:
            return False
    return all(token is None for token in tokens[at:])


def _fits(token: Token, char: str) -> bool:
    if isinstance(token, str):
        return char != "/" if token == _ANY else token[-1] == char
    if token is None:
        return False
    negated, ranges = token
    return any(low <= char <= high for low, high in ranges) != negated


def _tokens(pattern: str) -> list[Token]:
    """Return the pattern's parts; an ordinary character is written with a backslash before it."""
    tokens: list[Token] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "[":
            found, at = _class(pattern, at + 1)
            tokens.append(found)
            continue
        if char == "\\":
            at += 1
            if at == len(pattern):
                raise GlobError
            tokens.append("\\" + pattern[at])
        elif char == "*":
            tokens.append(None)
        else:
            tokens.append(_ANY if char == "?" else "\\" + char)
        at += 1
    return tokens


def _class(pattern: str, at: int) -> tuple[Token, int]:
    """Return the class that begins at `at`, behind its bracket, and where the pattern goes on."""
    negated = pattern[at : at + 1] == "^"
    at += negated
    ranges: list[tuple[str, str]] = []
    while True:
        if pattern[at : at + 1] == "]" and ranges:
            return (negated, ranges), at + 1
        low, at = _bound(pattern, at)
        high = low
        if pattern[at : at + 1] == "-":
            high, at = _bound(pattern, at + 1)
        ranges.append((low, high))


def _bound(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at : at + 1] == "\\":
        at += 1
    elif pattern[at : at + 1] in ("-", "]"):
        raise GlobError
    if at + 1 >= len(pattern):
        raise GlobError
    return pattern[at], at + 1
