# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions on texts: trimming, cases, cutting, searching, quoting, indenting. Lengths count UTF-8 bytes."""

from __future__ import annotations

from ... import letters
from ...go.quoting import quote
from ...go.values import encoded
from ..function import Function
from .texts import byte_slice, check_size, repeated, shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _title(text: str) -> str:
    before = " "
    out = []
    for char in letters.runes(text):
        out.append(letters.title_letter(char) if _separates(before) else char)
        before = char
    return "".join(out)


def _separates(char: str) -> bool:
    if char < "\x80":
        return not (char.isalnum() or char == "_")
    return letters.is_space(char)


def _untitle(text: str) -> str:
    out = []
    begins = True
    for char in letters.runes(text):
        space = letters.is_space(char)
        out.append(letters.lower_letter(char) if begins and not space else char)
        begins = space
    return "".join(out)


def _swapcase(text: str) -> str:
    out = []
    begins = True
    for char in letters.runes(text):
        if letters.is_upper(char) or letters.is_title(char):
            char, begins = letters.lower_letter(char), False
        elif letters.is_lower(char):
            char, begins = (letters.title_letter if begins else letters.upper_letter)(char), False
        else:
            begins = letters.is_space(char)
        out.append(char)
    return "".join(out)


def _trunc(size: int, text: str) -> str:
    length = len(encoded(text))
    if size < 0 and length + size > 0:
        return byte_slice(text, length + size, None)
    return byte_slice(text, None, size) if 0 <= size < length else text


def _substr(start: int, end: int, text: str) -> str:
    if start < 0:
        return byte_slice(text, None, end)
    if end < 0 or end > len(encoded(text)):
        return byte_slice(text, start, None)
    return byte_slice(text, start, end)


def _one_byte_letters(text: str) -> str:
    """Return the bytes of ``text`` as letters of Latin 1, for which the original takes them here."""
    return text if text.isascii() else encoded(text).decode("latin-1")


def _nospace(text: str) -> str:
    taken = _one_byte_letters(text)
    kept = "".join(char for char in taken if char not in letters.SPACES)
    return text if len(kept) == len(taken) else kept


def _initials(text: str) -> str:
    out = []
    begins = True
    for char in _one_byte_letters(text):
        if char in letters.SPACES:
            begins = True
        elif begins:
            out.append(char)
            begins = False
    return "".join(out)


def _abbrev(width: int, text: str) -> str:
    return text if width < 4 else _abbreviated(text, 0, width)


def _abbrev_both(left: int, right: int, text: str) -> str:
    return text if right < 4 or (left > 0 and right < 7) else _abbreviated(text, left, right)


def _abbreviated(text: str, offset: int, width: int) -> str:
    size = len(encoded(text))
    if width < 4 or size <= width:
        return "" if width < 4 else text
    offset = min(offset, size, size - (width - 3)) if size - min(offset, size) < width - 3 else min(offset, size)
    if offset <= 4:
        return byte_slice(text, None, width - 3) + "..."
    if width < 7:
        return ""
    if offset + width - 3 < size:
        return "..." + _abbreviated(byte_slice(text, offset, None), 0, width - 3)
    return "..." + byte_slice(text, size - (width - 3), None)


def _quote(*values: Any) -> str:
    return " ".join(quote(text_of(value)) for value in values if value is not None)


def _squote(*values: Any) -> str:
    return " ".join("'" + shown(value) + "'" for value in values if value is not None)


def _cat(*values: Any) -> str:
    return " ".join(shown(value) for value in values if value is not None)


def _indent(spaces: int, text: str) -> str:
    pad = repeated(" ", spaces)
    check_size(len(text) + len(pad) * (text.count("\n") + 1))
    return pad + text.replace("\n", "\n" + pad)


def _replace(old: str, new: str, text: str) -> str:
    check_size(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _trim_suffix(suffix: str, text: str) -> str:
    return text[: len(text) - len(suffix)] if text.endswith(suffix) else text


def _trim_prefix(prefix: str, text: str) -> str:
    return text[len(prefix) :] if text.startswith(prefix) else text


def _trim_all(characters: str, text: str) -> str:
    if letters.ERROR in letters.runes(characters):
        # All bytes that are no UTF-8 are one and the same to the original.
        characters += letters.ERROR + "".join(map(chr, range(0xDC80, 0xDD00)))
    return text.strip(characters)


_TRIM_ALL = Function(_trim_all, "string", "string")

FUNCTIONS = {
    "hello": Function(lambda: "Hello!"),
    "trim": Function(lambda text: text.strip(letters.SPACES), "string"),
    "trimall": _TRIM_ALL,
    "trimAll": _TRIM_ALL,
    "trimSuffix": Function(_trim_suffix, "string", "string"),
    "trimPrefix": Function(_trim_prefix, "string", "string"),
    "upper": Function(letters.upper, "string"),
    "lower": Function(letters.lower, "string"),
    "title": Function(_title, "string"),
    "untitle": Function(_untitle, "string"),
    "swapcase": Function(_swapcase, "string"),
    "trunc": Function(_trunc, "int", "string"),
    "substr": Function(_substr, "int", "int", "string"),
    "repeat": Function(lambda count, text: repeated(text, count), "int", "string"),
    "nospace": Function(_nospace, "string"),
    "initials": Function(_initials, "string"),
    "abbrev": Function(_abbrev, "int", "string"),
    "abbrevboth": Function(_abbrev_both, "int", "int", "string"),
    "contains": Function(lambda part, text: part in text, "string", "string"),
    "hasPrefix": Function(lambda prefix, text: text.startswith(prefix), "string", "string"),
    "hasSuffix": Function(lambda suffix, text: text.endswith(suffix), "string", "string"),
    "quote": Function(_quote, "...any"),
    "squote": Function(_squote, "...any"),
    "cat": Function(_cat, "...any"),
    "indent": Function(_indent, "int", "string"),
    "nindent": Function(lambda spaces, text: "\n" + _indent(spaces, text), "int", "string"),
    "replace": Function(_replace, "string", "string", "string"),
    "plural": Function(lambda one, many, count: one if count == 1 else many, "string", "string", "int"),
    "toString": Function(text_of, "any"),
}
