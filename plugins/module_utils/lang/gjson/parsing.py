# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON text as results: what GJSON reads from it, leniently."""

from __future__ import annotations

import json
import re

from .result import MISSING, GJSONError, Result
from .texts import pieces, unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LITERAL = re.compile(r"[a-z]*")
_BEGINNING = re.compile(r'[-0-9{\["ntf]')
_NUMBER = re.compile(r"[^\x00- ,\]}]*")
_HEX = re.compile(r"[-+]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?[0-9]+\Z")
_DECIMAL = re.compile(r"[-+]?(?=\.?[0-9])[0-9]*\.?[0-9]*(?:[eE][-+]?[0-9]+)?\Z")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: Longest text that is no valid JSON and is read all the same.
_LENIENT = 1 << 14


class _Text(Result):
    """The text of an object or array, which is split when it is looked into."""

    __slots__ = ()

    def items(self) -> list[tuple[str, str, Result]]:
        """Return (key, key as JSON text, value); keys of an array are empty."""
        if self._items is None:
            self._items = _split(self)
        return self._items

    def read(self) -> Any:
        """Return the value as Python data: at one go where the text is valid, else piece by piece."""
        return _read(self) if self._items is None else self.pieced()


class _LenientNumber(Result):
    """A number that JSON does not have: ``inf``, ``nan`` or ``+1``."""

    __slots__ = ()

    def inside(self) -> Result:
        """Return it as GJSON reads it in an array or object: ``inf`` and ``nan`` are null, ``+1`` is 1."""
        match = _BEGINNING.search(self.raw)
        if match is None:
            return MISSING
        return Result("null") if match.group() == "n" else parse(self.raw[match.start() :])


def parse(text: str) -> Result:
    """Return the JSON value that ``text`` begins with, leniently; missing when it begins with none."""
    text = text.lstrip("".join(map(chr, range(33))))
    if not text:
        return MISSING
    char = text[0]
    if char in "{[":
        return _Text("object" if char == "{" else "array", None, text)
    if char == '"':
        end = _string_end(text)
        return Result("string", unquote(text[:end]), text[:end])
    if char in "tf" or (char == "n" and text[1:2] in ("u", "")):
        match = _LITERAL.match(text)
        return Result({"t": "true", "f": "false", "n": "null"}[char], None, match.group() if match else char)
    if char in "+-0123456789iINn":
        match = _NUMBER.match(text)
        raw = match.group() if match else char
        number = Result if char in "-0123456789" else _LenientNumber
        return number("number", parse_float(raw), raw)
    return MISSING


def _string_end(text: str) -> int:
    match = re.match(r'"[^"\\]*(?:\\.[^"\\]*)*"?', text, re.DOTALL)
    return match.end() if match else len(text)


def parse_float(text: str) -> float:
    """Return the number in ``text`` as Go's ParseFloat reads it; 0.0 when there is none."""
    lowered = text.lower()
    if lowered.lstrip("+-") in ("inf", "infinity", "nan") and len(text) - len(text.lstrip("+-")) <= 1:
        return float("nan") if lowered == "nan" else 0.0 if "nan" in lowered else float(lowered)
    if _DECIMAL.match(text):
        return float(text)
    if _HEX.match(text):
        try:
            return float.fromhex(text)
        except (ValueError, OverflowError):
            return 0.0
    return 0.0


def _split(result: Result) -> list[tuple[str, str, Result]]:
    """Return (key, key as JSON text, value) of what the text of an object or array holds; keys of arrays are empty."""
    texts = pieces(result.raw)
    if result.kind == "array":
        return [("", "", parse(text)) for text in texts]
    found = []
    for key in texts:
        value = next(texts, None)
        if value is None or not key.startswith('"'):
            break
        found.append((unquote(key), key, parse(value)))
    return found


def _read(result: Result) -> Any:
    """Return the value of the text of an object or array: at one go where it is valid, else piece by piece."""
    text = result.raw
    if not _SURROGATE.search(text):
        try:
            return json.loads(
                text,
                parse_int=parse_float,
                parse_float=parse_float,
                parse_constant=_no_constant,
                object_pairs_hook=_first,
            )
        except ValueError:
            if len(text) > _LENIENT:
                raise GJSONError("the path holds a literal that is not valid JSON") from None
    return result.pieced()


def _no_constant(text: str) -> float:
    raise ValueError(text)


def _first(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        data = dict(reversed(pairs))
    return data
