# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Letters the way Go's packages ``unicode`` and ``strings`` treat them: one for one, by the general category."""

from __future__ import annotations

#: What ``unicode.IsSpace`` calls a space.
SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
#: What means a byte that is not UTF-8.
ERROR = "\ufffd"


def runes(text: str) -> str:
    """Return ``text`` as Go reads it letter by letter: undecodable bytes (surrogate escapes) are U+FFFD."""
    if text.isascii():
        return text
    return "".join(ERROR if "\ud800" <= char <= "\udfff" else char for char in text)


def upper(text: str) -> str:
    """Return ``text`` in upper case; a letter that becomes several (ß) stays or has its title case."""
    return text.upper() if text.isascii() else "".join(map(upper_letter, runes(text)))


def lower(text: str) -> str:
    """Return ``text`` in lower case."""
    return text.lower() if text.isascii() else "".join(map(lower_letter, runes(text)))


def upper_letter(char: str) -> str:
    """Return one letter for one letter, in upper case."""
    changed = char.upper()
    return changed if len(changed) == 1 else title_letter(char)


def lower_letter(char: str) -> str:
    """Return one letter for one letter, in lower case."""
    return char.lower()[0]


def title_letter(char: str) -> str:
    """Return one letter for one letter, in title case."""
    changed = char.title()
    return changed if len(changed) == 1 else char


def category(char: str) -> str:
    """Return the general category of a letter: ``Lu``, ``Nd`` …"""
    from unicodedata import category as general

    return general(char)


def is_upper(char: str) -> bool:
    """Return whether ``char`` is an upper case letter (``unicode.IsUpper``)."""
    return "A" <= char <= "Z" if char < "\x80" else category(char) == "Lu"


def is_lower(char: str) -> bool:
    """Return whether ``char`` is a lower case letter (``unicode.IsLower``)."""
    return "a" <= char <= "z" if char < "\x80" else category(char) == "Ll"


def is_title(char: str) -> bool:
    """Return whether ``char`` is a letter in title case (``unicode.IsTitle``)."""
    return char >= "\x80" and category(char) == "Lt"


def is_letter(char: str) -> bool:
    """Return whether ``char`` is a letter (``unicode.IsLetter``)."""
    return category(char)[0] == "L"


def is_digit(char: str) -> bool:
    """Return whether ``char`` is a decimal digit (``unicode.IsDigit``)."""
    return "0" <= char <= "9" if char < "\x80" else category(char) == "Nd"


def is_number(char: str) -> bool:
    """Return whether ``char`` is a number of any kind (``unicode.IsNumber``)."""
    return "0" <= char <= "9" if char < "\x80" else category(char)[0] == "N"


def is_punctuation(char: str) -> bool:
    """Return whether ``char`` is punctuation (``unicode.IsPunct``)."""
    return category(char)[0] == "P"


def is_space(char: str) -> bool:
    """Return whether ``char`` is a space (``unicode.IsSpace``)."""
    return char in SPACES
