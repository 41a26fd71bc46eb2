# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts and characters for ``printf``: ``%s``, ``%q``, ``%x``, ``%c``, ``%U``."""

from __future__ import annotations

from .quoting import quote
from .values import encoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .printf_flags import Flags


def text(flags: Flags, value: str, verb: str) -> str | None:
    """Return a text as a verb prints it; None for verbs that do not fit."""
    if verb == "s" or (verb == "v" and not flags.go_syntax):
        return flags.pad(flags.cut(value))
    if verb in "qv":
        return flags.pad(_quoted(flags, flags.cut(value)))
    if verb in "xX":
        return _hexadecimal(flags, encoded(value), verb)
    return None


def _quoted(flags: Flags, value: str) -> str:
    if flags.sharp and all(map(_needs_no_escape, value)):
        return "`" + value + "`"
    shown = quote(value)
    return _ascii(shown) if flags.plus else shown


def _needs_no_escape(char: str) -> bool:
    return char == "\t" or (char >= " " and char not in "`\x7f\ufeff" and not "\udc80" <= char <= "\udcff")


def _ascii(shown: str) -> str:
    return "".join(char if char < "\x7f" else _escaped(ord(char)) for char in shown)


def _escaped(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _hexadecimal(flags: Flags, value: bytes, verb: str) -> str:
    if flags.precision is not None:
        value = value[: flags.precision]
    if not value:
        return ("0" if flags.zero and not flags.minus else " ") * (flags.width or 0)
    prefix = "0" + verb if flags.sharp else ""
    digits = [f"{byte:02x}" if verb == "x" else f"{byte:02X}" for byte in value]
    shown = prefix + (" " + prefix).join(digits) if flags.space else prefix + "".join(digits)
    return flags.pad(shown)


def character(flags: Flags, code: int) -> str:
    """Return the character of a code point: ``%c``."""
    return flags.pad(_char(code))


def quoted_character(flags: Flags, code: int) -> str:
    """Return the character of a code point in single quotes: ``%q``."""
    char = _char(code)
    shown = char if char == '"' else "\\'" if char == "'" else quote(char)[1:-1]
    return flags.pad("'" + (_ascii(shown) if flags.plus else shown) + "'")


def code_point(flags: Flags, code: int) -> str:
    """Return a code point as ``U+0078``, with its character after it when ``#`` asks for it: ``%U``."""
    unsigned = code & 0xFFFFFFFFFFFFFFFF
    digits = f"{unsigned:X}".rjust(max(flags.precision or 0, 4), "0")
    shows = flags.sharp and unsigned <= 0x10FFFF and chr(unsigned).isprintable()
    return flags.pad(f"U+{digits}" + (f" '{chr(unsigned)}'" if shows else ""), zero=False)


def _char(code: int) -> str:
    return chr(code) if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
