# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
r"""Escapes and character classes: `\n`, `\x{263a}`, `\d`, `\p{Greek}`, `[a-z[:digit:]]`.

Every function reads at a position of the pattern and returns what it read with the position after it.
"""

from __future__ import annotations

from . import charclass, errors, unicode_tables
from .unicode_tables import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .charclass import CharSet

_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OCTAL = "01234567"
_HEX = "0123456789abcdefABCDEF"


def read_char(pattern: str, pos: int) -> str:
    """Return the character at `pos`, which must exist.

    A lone surrogate means bytes that are not UTF-8: RegexpError.
    """
    char = pattern[pos]
    if "\ud800" <= char <= "\udfff":
        raise errors.RegexpError(errors.INVALID_UTF8, pattern[pos:])
    return char


def check_text(text: str) -> None:
    """Raise RegexpError if the text has a lone surrogate."""
    for pos in range(len(text)):
        read_char(text, pos)


def read_escape(pattern: str, start: int) -> tuple[int, int]:
    """Return the code point that the escape at the backslash at `start` means.

    RegexpError: invalid escape sequence, trailing backslash.
    """
    pos = start + 1
    if pos >= len(pattern):
        raise errors.RegexpError(errors.TRAILING_BACKSLASH, "")
    char = read_char(pattern, pos)
    pos += 1
    if char in _CONTROLS:
        return _CONTROLS[char], pos
    if char == "x":
        return _read_hex(pattern, start)
    if char == "0" or (char in _OCTAL and pattern[pos : pos + 1] in set(_OCTAL)):
        while pos < start + 4 and pattern[pos : pos + 1] in set(_OCTAL):
            pos += 1
        return int(pattern[start + 1 : pos], 8), pos
    if char < "\x80" and not char.isalnum():
        return ord(char), pos
    raise errors.RegexpError(errors.INVALID_ESCAPE, pattern[start:pos])


def _read_hex(pattern: str, start: int) -> tuple[int, int]:
    """`\\xhh` or `\\x{h...}` at `start`."""
    pos = start + 2
    braces = pattern[pos : pos + 1] == "{"
    if braces:
        pos += 1
    code = 0
    first = pos
    while pos < len(pattern):
        char = read_char(pattern, pos)
        pos += 1
        if braces and char == "}" and pos - 1 > first:
            return code, pos
        if char not in _HEX:
            # Two digits are read before either is looked at.
            if not braces and pos == first + 1 and pos < len(pattern):
                read_char(pattern, pos)
                pos += 1
            break
        code = code * 16 + int(char, 16)
        if code >= charclass.LIMIT:
            break
        if not braces and pos == first + 2:
            return code, pos
    raise errors.RegexpError(errors.INVALID_ESCAPE, pattern[start:pos])


def read_set_escape(pattern: str, start: int, folded: bool) -> tuple[CharSet, int] | None:
    """Return the set that `\\d`, `\\pL` or their like at `start` means; None if there is another thing."""
    letter = pattern[start + 1 : start + 2]
    if pattern[start] != "\\" or not letter:
        return None
    if letter in "pP":
        return _read_unicode_set(pattern, start, folded)
    chars = charclass.PERL_CLASSES.get(letter.lower())
    if chars is None or not letter.isascii():
        return None
    return _with_case(chars, folded, letter.isupper()), start + 2


def _read_unicode_set(pattern: str, start: int, folded: bool) -> tuple[CharSet, int]:
    """`\\pL`, `\\p{Greek}`, `\\P{^Greek}` at `start`."""
    if pattern[start + 2 : start + 3] == "{":
        end = pattern.find("}", start)
        if end < 0:
            check_text(pattern[start:])
            raise errors.RegexpError(errors.INVALID_CLASS_RANGE, pattern[start:])
        name = pattern[start + 3 : end]
        check_text(name)
        end += 1
    else:
        end = min(start + 3, len(pattern))
        name = read_char(pattern, start + 2) if end == start + 3 else ""
    negated = pattern[start + 1] == "P"
    if name.startswith("^"):
        negated = not negated
        name = name[1:]
    chars = unicode_tables.folded_named_set(name) if folded else unicode_tables.named_set(name)
    if chars is None:
        raise errors.RegexpError(errors.INVALID_CLASS_RANGE, pattern[start:end])
    return charclass.negate(chars) if negated else chars, end


def read_class(pattern: str, start: int, folded: bool) -> tuple[CharSet, int]:
    """Return the set of the bracket expression at `start`.

    RegexpError: missing closing ], invalid character class range, and the errors of escapes.
    """
    pos = start + 1
    negated = pattern[pos : pos + 1] == "^"
    if negated:
        pos += 1
    parts: list[CharSet] = []
    first = True
    while first or pattern[pos : pos + 1] != "]":
        first = False
        if pos >= len(pattern):
            raise errors.RegexpError(errors.MISSING_BRACKET, pattern[start:])
        found = _read_posix_set(pattern, pos, folded) or read_set_escape(pattern, pos, folded)
        if found is None:
            found = _read_range(pattern, pos, start, folded)
        chars, pos = found
        parts.append(chars)
    chars = charclass.union(parts)
    return charclass.negate(chars) if negated else chars, pos + 1


def _read_posix_set(pattern: str, start: int, folded: bool) -> tuple[CharSet, int] | None:
    """`[:alpha:]` or `[:^alpha:]` at `start`."""
    if not pattern.startswith("[:", start):
        return None
    end = pattern.find(":]", start + 2)
    if end < 0:
        return None
    name = pattern[start + 2 : end]
    negated = name.startswith("^")
    chars = charclass.POSIX_CLASSES.get(name[1:] if negated else name)
    if chars is None:
        raise errors.RegexpError(errors.INVALID_CLASS_RANGE, pattern[start : end + 2])
    return _with_case(chars, folded, negated), end + 2


def _read_range(pattern: str, start: int, class_start: int, folded: bool) -> tuple[CharSet, int]:
    """Return one character of a class or a range of them, at `start`."""
    low, pos = _read_class_char(pattern, start, class_start)
    high = low
    if pattern[pos : pos + 1] == "-" and pattern[pos + 1 : pos + 2] not in ("", "]"):
        high, pos = _read_class_char(pattern, pos + 1, class_start)
        if high < low:
            raise errors.RegexpError(errors.INVALID_CLASS_RANGE, pattern[start:pos])
    return _with_case((low, high + 1), folded, False), pos


def _read_class_char(pattern: str, pos: int, class_start: int) -> tuple[int, int]:
    if pos >= len(pattern):
        raise errors.RegexpError(errors.MISSING_BRACKET, pattern[class_start:])
    if pattern[pos] == "\\":
        return read_escape(pattern, pos)
    return ord(read_char(pattern, pos)), pos + 1


def _with_case(chars: CharSet, folded: bool, negated: bool) -> CharSet:
    """Return the set, widened by case variants if `folded`, then turned around if `negated`."""
    if folded:
        chars = fold(chars)
    return charclass.negate(chars) if negated else chars
