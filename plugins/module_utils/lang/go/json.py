# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON text the way Go's ``encoding/json`` writes it: sorted keys, escaped ``<``, ``>`` and ``&``, Go's floats."""

from __future__ import annotations

from .fmt import MAX_DEPTH, GoFormatError, integer, positional, shortest, sprint

try:
    from _json import encode_basestring
except ImportError:
    from json.encoder import encode_basestring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HTML = {0x3C: "\\u003c", 0x3E: "\\u003e", 0x26: "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_PLAIN = {0x2028: "\\u2028", 0x2029: "\\u2029"}


class GoJSONError(Exception):
    """A value that has no JSON form: NaN, an infinity, an object of an unknown kind, or too deep a nesting."""


def marshal(value: Any, indent: str | int | None = None, sort_keys: bool = True, escape_html: bool = True) -> str:
    """Return ``value`` as JSON text.

    ``indent``: None for the compact form, else the text (or number of blanks) of one level, as MarshalIndent with an
    empty prefix. ``sort_keys`` False keeps the order of mappings, as Go does for the fields of a struct; a mapping with
    a true attribute ``keep_order`` always keeps its own. Bytes become base64; objects may have a method ``go_json()``
    that returns the value to write.
    ``escape_html`` False leaves ``<``, ``>`` and ``&`` alone. Raises GoJSONError.
    """
    step = " " * indent if isinstance(indent, int) else indent
    writer = _Writer(step, sort_keys, _HTML if escape_html else _PLAIN)
    try:
        writer.write(value, "\n", 0)
    except RecursionError:
        raise GoJSONError("json: value is nested too deeply") from None
    except GoFormatError as error:
        raise GoJSONError("json: " + str(error)) from None
    return "".join(writer.out)


def string(text: str, escape_html: bool = True) -> str:
    """Return ``text`` as a JSON string in quotes, escaped as Go does; invalid UTF-8 becomes ``\\ufffd``."""
    quoted: str = encode_basestring(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        quoted = "".join("\\ufffd" if "\ud800" <= char <= "\udfff" else char for char in quoted)
    return quoted.translate(_HTML if escape_html else _PLAIN)


def number(value: float) -> str:
    """Return a finite float as ``encoding/json`` does: exponent form (``1e-7``) below 1e-06, from 1e+21 on.

    Raises GoJSONError for NaN and infinities.
    """
    if value - value != 0:
        raise GoJSONError("json: unsupported value: " + sprint(value))
    sign, digits, exponent = shortest(value)
    if digits == "0" or -6 <= exponent < 21:
        return sign + positional(digits, exponent)
    mantissa = digits if len(digits) == 1 else digits[0] + "." + digits[1:]
    return f"{sign}{mantissa}e{exponent:+d}"


class _Writer:
    __slots__ = ("out", "sort_keys", "step", "table")

    def __init__(self, step: str | None, sort_keys: bool, table: dict[int, str]) -> None:
        self.out: list[str] = []
        self.step = step
        self.sort_keys = sort_keys
        self.table = table

    def write(self, value: Any, newline: str, depth: int) -> None:
        out = self.out
        if isinstance(value, str):
            out.append(self.string(value))
        elif value is None:
            out.append("null")
        elif isinstance(value, bool):
            out.append("true" if value else "false")
        elif isinstance(value, int):
            out.append(integer(value))
        elif isinstance(value, float):
            out.append(number(value))
        elif depth >= MAX_DEPTH:
            raise GoJSONError("json: value is nested too deeply")
        elif hasattr(value, "go_json"):
            self.write(value.go_json(), newline, depth + 1)
        elif isinstance(value, bytes):
            from binascii import b2a_base64

            out.append('"' + b2a_base64(value, newline=False).decode("ascii") + '"')
        elif hasattr(value, "keys"):
            self.write_all(self.members(value), "{}", newline, depth + 1)
        elif isinstance(value, (list, tuple)):
            self.write_all([("", item) for item in value], "[]", newline, depth + 1)
        else:
            raise GoJSONError("json: unsupported type: " + type(value).__name__)

    def string(self, text: str) -> str:
        return string(text, self.table is _HTML)

    def members(self, mapping: Any) -> list[tuple[str, Any]]:
        colon = ":" if self.step is None else ": "
        pairs = [(key if isinstance(key, str) else sprint(key), mapping[key]) for key in mapping]
        if self.sort_keys and not getattr(mapping, "keep_order", False):
            pairs.sort(key=_name)
        return [(self.string(key) + colon, item) for key, item in pairs]

    def write_all(self, items: list[tuple[str, Any]], brackets: str, newline: str, depth: int) -> None:
        out = self.out
        if not items:
            out.append(brackets)
            return
        inner = "" if self.step is None else newline + self.step
        lead = brackets[0] + inner
        for prefix, item in items:
            out.append(lead + prefix)
            self.write(item, newline if self.step is None else inner, depth)
            lead = "," + inner
        out.append(("" if self.step is None else newline) + brackets[1])


def _name(pair: tuple[str, Any]) -> str:
    return pair[0]
