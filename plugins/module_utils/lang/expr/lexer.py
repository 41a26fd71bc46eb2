# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expression text to tokens: names, numbers, strings, operators and brackets, each with its offset."""

from __future__ import annotations

from ..go.quoting import quote
from ..letters import SPACES
from .errors import Failure

IDENTIFIER = "Identifier"
NUMBER = "Number"
STRING = "String"
BYTES = "Bytes"
OPERATOR = "Operator"
BRACKET = "Bracket"
EOF = "EOF"
#: A place where the text stops being tokens; ``value`` is the reason. The parser raises it when it gets there.
BROKEN = "Broken"

#: (kind, value, offset)
Token = "tuple[str, str, int]"

_WORD_OPERATORS = frozenset(
    ("not", "in", "or", "and", "matches", "contains", "startsWith", "endsWith", "let", "if", "else")
)
_DECIMAL = "0123456789_"
_BASES = {"x": "0123456789abcdefABCDEF_", "o": "01234567_", "b": "01_"}
#: Operators of two characters by their first one.
_PAIRS = {":": ":", "|": "|", "?": ".?", "&": "&=*", "!": "&=*", "=": "&=*", "*": "&=*", "<": "&=*", ">": "&=*"}


def is_letter(char: str) -> bool:
    """Return whether a name may begin with ``char``."""
    return char.isalpha() or char == "_" or char == "$"


def is_word(char: str) -> bool:
    """Return whether a name may hold ``char``."""
    return char.isalpha() or char == "_" or char == "$" or char.isdecimal()


def tokenize(source: str) -> list[tuple[str, str, int]]:
    """Return the tokens of ``source``, the last one being EOF, or BROKEN where the text is no token any more."""
    tokens: list[tuple[str, str, int]] = []
    try:
        _scan(source, tokens)
    except Failure as failure:
        tokens.append((BROKEN, failure.message, failure.at))
    return tokens


def _scan(source: str, tokens: list[tuple[str, str, int]]) -> None:
    size = len(source)
    at = 0
    while at < size:
        char = source[at]
        if char in SPACES:
            at += 1
        elif is_letter(char):
            at = _word(source, at, tokens)
        elif char in "0123456789" or (char == "." and source[at + 1 : at + 2] in _DIGITS):
            at = _number(source, at, tokens)
        elif char in "\"'":
            at = _string(source, at, at, tokens)
        elif char in "()[]{}":
            tokens.append((BRACKET, char, at))
            at += 1
        elif char == "`":
            at = _raw(source, at, tokens)
        elif char == "/":
            at = _slash(source, at, tokens)
        elif char == "#":
            at = _pointer(source, at, tokens)
        else:
            at = _operator(source, at, tokens)
    tokens.append((EOF, "", max(size - 1, 0)))


_DIGITS = frozenset("0123456789")


def _word_end(source: str, at: int) -> int:
    size = len(source)
    while at < size and is_word(source[at]):
        at += 1
    return at


def _word(source: str, at: int, tokens: list[tuple[str, str, int]]) -> int:
    if source[at] in "bB" and source[at + 1 : at + 2] in ("'", '"'):
        return _string(source, at + 1, at, tokens)
    end = _word_end(source, at)
    word = source[at:end]
    tokens.append((OPERATOR if word in _WORD_OPERATORS else IDENTIFIER, word, at))
    return end


def _pointer(source: str, at: int, tokens: list[tuple[str, str, int]]) -> int:
    end = at + 2 if source.startswith("##", at) else at + 1
    tokens.append((OPERATOR, source[at:end], at))
    name_end = _word_end(source, end)
    if name_end > end:
        tokens.append((IDENTIFIER, source[end:name_end], end))
    return name_end


def _slash(source: str, at: int, tokens: list[tuple[str, str, int]]) -> int:
    following = source[at + 1 : at + 2]
    if following == "/":
        end = source.find("\n", at)
        return len(source) if end < 0 else end + 1
    if following == "*":
        end = source.find("*/", at + 2)
        if end < 0:
            raise Failure("unclosed comment", len(source))
        return end + 2
    tokens.append((OPERATOR, "/", at))
    return at + 1


def _operator(source: str, at: int, tokens: list[tuple[str, str, int]]) -> int:
    char = source[at]
    if char == ".":
        end = at + 2 if source.startswith("..", at) else at + 1
    elif char in _PAIRS:
        following = source[at + 1 : at + 2]
        end = at + 2 if following and following in _PAIRS[char] else at + 1
    elif char in ",;%+-^":
        end = at + 1
    elif is_word(char):
        end = _word_end(source, at)
        tokens.append((IDENTIFIER, source[at:end], at))
        return end
    else:
        shown = f" '{char}'" if char.isprintable() else ""
        raise Failure(f"unrecognized character: U+{ord(char):04X}{shown}", at)
    tokens.append((OPERATOR, source[at:end], at))
    return end


def _run(source: str, at: int, allowed: str) -> int:
    size = len(source)
    while at < size and source[at] in allowed:
        at += 1
    return at


def _number(source: str, start: int, tokens: list[tuple[str, str, int]]) -> int:
    digits = _DECIMAL
    at = start
    if source[at] == ".":
        at += 1
    if source.startswith("0", at):
        at += 1
        base = source[at : at + 1].lower()
        if base in _BASES:
            digits = _BASES[base]
            at += 1
    at = _run(source, at, digits)
    if source.startswith(".", at):
        if source.startswith("..", at):
            tokens.append((NUMBER, source[start:at], start))
            return at
        at = _run(source, at + 1, digits)
    if at < len(source) and source[at] in "eE":
        at += 1
        if at < len(source) and source[at] in "+-":
            at += 1
        at = _run(source, at, digits)
    if at < len(source) and is_word(source[at]):
        raise Failure("bad number syntax: " + quote(source[start : at + 1]), at)
    tokens.append((NUMBER, source[start:at], start))
    return at


def _raw(source: str, start: int, tokens: list[tuple[str, str, int]]) -> int:
    at = start + 1
    while True:
        at = source.find("`", at)
        if at < 0:
            raise Failure("literal not terminated", len(source))
        if not source.startswith("``", at):
            break
        at += 2
    tokens.append((STRING, source[start + 1 : at].replace("``", "`"), start))
    return at + 1


def _string(source: str, at: int, start: int, tokens: list[tuple[str, str, int]]) -> int:
    """Take the quoted string that opens at ``at``; ``start`` is where its token begins (before a ``b``)."""
    mark = source[at]
    end = source.find(mark, at + 1)
    if end > 0:
        body = source[at + 1 : end]
        if "\\" not in body and "\n" not in body and "\r" not in body and (at == start or body.isascii()):
            tokens.append((STRING if at == start else BYTES, body, start))
            return end + 1
    end = _string_end(source, at + 1, mark)
    body = source[at + 1 : end].replace("\r\n", "\n").replace("\r", "\n")
    from .escapes import unescape, unescape_bytes

    try:
        if at == start:
            tokens.append((STRING, unescape(body), start))
        else:
            tokens.append((BYTES, unescape_bytes(body), start))
    except ValueError as error:
        raise Failure(str(error), end) from None
    return end + 1


def _string_end(source: str, at: int, mark: str) -> int:
    """Return the offset of the closing ``mark``, having looked at the form of every escape on the way."""
    size = len(source)
    while at < size:
        char = source[at]
        if char == mark:
            return at
        if char == "\n":
            break
        if char == "\\":
            at = _escape_end(source, at + 1, mark)
        else:
            at += 1
    raise Failure("literal not terminated", at)


def _escape_end(source: str, at: int, mark: str) -> int:
    char = source[at : at + 1]
    if char and (char in "abfnrtv\\" or char == mark):
        return at + 1
    if char and char in "01234567":
        return _digits_end(source, at, 8, 3)
    if char == "x":
        return _digits_end(source, at + 1, 16, 2)
    if char == "u":
        if source.startswith("{", at + 1):
            return _braced_end(source, at + 2)
        return _digits_end(source, at + 1, 16, 4)
    if char == "U":
        return _digits_end(source, at + 1, 16, 8)
    raise Failure("invalid char escape", at)


def _digits_end(source: str, at: int, base: int, count: int) -> int:
    allowed = "01234567" if base == 8 else "0123456789abcdefABCDEF"
    for _digit in range(count):
        if at >= len(source) or source[at] not in allowed:
            raise Failure("invalid char escape", at)
        at += 1
    return at


def _braced_end(source: str, start: int) -> int:
    at = _run(source, start, "0123456789abcdefABCDEF")
    if at - start > 6:
        raise Failure("invalid char escape", start + 5)
    if at == start or not source.startswith("}", at):
        raise Failure("invalid char escape", at - 1)
    return at + 1
