# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Takes the text of a GJSON path apart, one step at a time."""

from __future__ import annotations

import re

from .texts import skip_brackets, trim, unescape

#: The functions that a path may apply with ``@``.
MODIFIERS = frozenset(
    (
        "pretty",
        "ugly",
        "reverse",
        "this",
        "flatten",
        "join",
        "valid",
        "keys",
        "values",
        "tostr",
        "fromstr",
        "group",
        "dig",
    )
)
_STEP = re.compile(r"\\.?|[.|*?]", re.DOTALL)
_NAME_END = re.compile(r"[.|:]")
_OPERATORS = ("!=", "!%", "<=", ">=", "==", "<", ">", "=", "%")


class KeyStep:
    """A step into an object: ``name`` (a pattern when ``wild``), then the path ``rest``, or ``pipe`` for its result.

    ``rest`` and ``pipe`` are None when the path ends here.
    """

    __slots__ = ("name", "pipe", "rest", "wild")

    def __init__(self, path: str) -> None:
        name: list[str] = []
        self.wild = False
        self.rest: str | None = None
        self.pipe: str | None = None
        start = 0
        for match in _STEP.finditer(path):
            token = match.group()
            if token[0] == "\\":
                name.append(path[start : match.start()] + token[1:])
                start = match.end()
            elif token in "*?":
                self.wild = True
            else:
                name.append(path[start : match.start()])
                self.rest, self.pipe = _tail(token, path[match.end() :], True)
                break
        else:
            name.append(path[start:])
        self.name = "".join(name)


class Query:
    """The condition of ``#(path op value)``: ``op`` is ``=``, ``!=``, ``<``, … or nothing (it exists)."""

    __slots__ = ("all", "op", "path", "value")

    def __init__(self, path: str, op: str, value: str) -> None:
        self.path = path
        self.op = op
        self.value = value
        self.all = False


class ListStep:
    """A step into a list: ``index``, or ``count`` (``#``), or ``each`` (``#.path``), or ``query``.

    ``rest`` is the path that goes on from an entry, ``pipe`` that from the result; None when there is none. With none
    of the four nothing is found.
    """

    __slots__ = ("count", "each", "index", "pipe", "query", "rest")

    def __init__(self, path: str) -> None:
        self.index: int | None = None
        self.count = False
        self.each: str | None = None
        self.query: Query | None = None
        self.rest: str | None = None
        self.pipe: str | None = None
        position = 0
        if path.startswith("#."):
            self.each = self.rest = path[2:]
            return
        if path.startswith(("#(", "#[")):
            self.query, position = _query(path)
            if position == 0:
                return
        end = next((at for at in range(position, len(path)) if path[at] in ".|"), len(path))
        part = path[:end]
        if self.query is not None:
            self.query.all = part[position : position + 1] == "#"
        hashed = "#" in part
        if end < len(path):
            self.rest, self.pipe = _tail(path[end], path[end + 1 :], not hashed)
        if not hashed and part.isdigit() and part.isascii() and len(part) < 19:
            self.index = int(part)
        self.count = part == "#"


def _tail(separator: str, tail: str, may_pipe: bool) -> tuple[str | None, str | None]:
    """Return (rest, pipe) for what follows a separator."""
    if separator == "|" or (may_pipe and tail and _acts_on_result(tail)):
        return None, tail
    return tail, None


def _acts_on_result(path: str) -> bool:
    """Return whether the path begins with a modifier or a multipath, which a dot before it hands the result to."""
    if path[0] == "@":
        return _NAME_END.split(path[1:], 1)[0] in MODIFIERS
    return path[0] in "[{"


def _query(path: str) -> tuple[Query, int]:
    """Return the query that ``path`` begins with and the position after it; position 0 when it is not closed."""
    depth, operator, escaped = 1, 0, False
    position = 2
    while position < len(path):
        char = path[position]
        if depth == 1 and not operator and char in "!=<>%":
            operator = position
        elif char == "\\":
            position += 1
        elif char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
            if depth == 0:
                break
        elif char == '"':
            position, seen = _string_end(path, position)
            escaped = escaped or seen
        position += 1
    if depth:
        return Query("", "", ""), 0
    if not operator:
        return Query(trim(path[2:position]), "", ""), position + 1
    value = trim(path[operator:position])
    op = next((op for op in _OPERATORS if value.startswith(op)), "")
    if len(value) == 1:
        op = value
    value = trim(value[len(op) :])
    if len(value) >= 2 and value[0] == '"' and value[-1] == '"':
        value = unescape(value[1:-1]) if escaped else value[1:-1]
    return Query(trim(path[2:operator]), "=" if op == "==" else op, value), position + 1


def _string_end(path: str, position: int) -> tuple[int, bool]:
    """Return where the string that opens at ``position`` closes, and whether it holds an escape."""
    escaped = False
    position += 1
    while position < len(path) and path[position] != '"':
        if path[position] == "\\":
            escaped = True
            position += 1
        position += 1
    return position, escaped


def split_pipe(path: str) -> tuple[str, str | None]:
    """Split a path at its first pipe outside queries; the second part is None when there is no pipe."""
    if "|" not in path:
        return path, None
    if path[0] == "{":
        # A quoted name right after the brace hides the pipe, as in the original; each entry then has it on its own.
        end = 1 + skip_brackets(path[1:] if path[1:2] == '"' else "[" + path[2:])
        if path[end : end + 1] == "|":
            return path[:end], path[end + 1 :]
        return path, None
    position = 0
    while position < len(path):
        char = path[position]
        if char == "\\":
            position += 1
        elif char == "|":
            return path[:position], path[position + 1 :]
        elif char == "." and path[position + 1 : position + 2] == "#":
            position += 2
            if path[position : position + 1] in ("[", "("):
                position = _balanced(path, position)
        elif char == "." and position == len(path) - 1:
            return path, None
        position += 1
    return path, None


def _balanced(path: str, position: int) -> int:
    """Return where the bracket at ``position`` closes; only its own kind counts."""
    opening = path[position]
    closing = "]" if opening == "[" else ")"
    depth = 0
    while position < len(path):
        char = path[position]
        if char == "\\":
            position += 1
        elif char == opening:
            depth += 1
        elif char == closing:
            depth -= 1
            if depth == 0:
                return position
        elif char == '"':
            position = _string_end(path, position)[0]
        position += 1
    return position


def selectors(path: str) -> tuple[list[tuple[str, str]], str] | None:
    """Return the (name, path) pairs of the multipath that ``path`` begins with, and what follows it.

    A name is the text before the colon, empty when there is no colon. None when the multipath is not closed.
    """
    found: list[tuple[str, str]] = []
    depth, colon, start, position = 1, 0, 1, 1
    modifier = False
    while position < len(path):
        char = path[position]
        if char == "\\":
            position += 1
        elif char == "@":
            modifier = modifier or path[position - 1] in ".|"
        elif char == ":":
            if not modifier and not colon and depth == 1:
                colon = position
        elif char == '"':
            position = _string_end(path, position)[0]
        elif char in "[({":
            depth += 1
        elif (char == "," and depth == 1) or char in "])}":
            if char != ",":
                depth -= 1
            if char == "," or depth == 0:
                name = path[start:colon] if colon else ""
                found.append((name, path[colon + 1 if colon else start : position]))
                colon, start, modifier = 0, position + 1, False
            if depth == 0:
                return found, path[position + 1 :]
        position += 1
    return None


def last_name(path: str) -> str:
    """Return the name that a path without one of its own gets in a multipath object; ``_`` when it is not simple."""
    position = len(path) - 1
    while position >= 0:
        if path[position] in "|." and not (position > 0 and path[position - 1] == "\\"):
            break
        position -= 1
    name = path[position + 1 :]
    simple = not any(char < " " or char in "[]{}()#|!" for char in name)
    return name if simple else "_"


def modifier(path: str) -> tuple[str, str, str] | None:
    """Return (name, argument, what follows) of the modifier that ``path`` begins with; None when there is no such."""
    end = _NAME_END.search(path, 1)
    stop = end.start() if end else len(path)
    name = path[1:stop]
    if name not in MODIFIERS:
        return None
    if end is None or path[stop] != ":":
        return name, "", path[stop:]
    rest = path[stop + 1 :]
    if rest[:1] in ("{", "[", '"'):
        size = skip_brackets(rest)
    else:
        size = 0
        while size < len(rest) and rest[size] != "|":
            size += skip_brackets(rest[size:]) if rest[size] in '{["(' else 1
    return name, rest[:size], rest[size:]


def literal(path: str) -> tuple[str, str] | None:
    """Return (JSON text, what follows) of the literal that ``path`` begins with, or None."""
    text = path[1:]
    if text[:1] and text[0] in '{["+-0123456789':
        size = skip_brackets("[" + text[1:])
        return text[:size], text[size:]
    end = re.search(r"[.|]", text)
    name = text[: end.start()] if end else text
    if name.lower() in ("true", "false", "null", "nan", "inf"):
        return name, text[len(name) :]
    return None
