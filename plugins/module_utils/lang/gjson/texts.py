# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON as text: its pieces, its strings, its validity. Lenient where GJSON is."""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

_STRING = r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)'
_BRACKET = re.compile(_STRING + r"|[\[\](){}]", re.DOTALL)
_PIECE = re.compile(r"[\x00- ,:]*(?:(" + _STRING + r")|([\[{])|([\]}])|([^\x00- ,\]}]+))", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})(?:\\u([0-9a-fA-F]{4}))?|(.))", re.DOTALL)
_CHARS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_BLANKS = "".join(map(chr, range(33)))


def trim(text: str) -> str:
    """Return ``text`` without blanks and control characters at its ends."""
    return text.strip(_BLANKS)


def skip_brackets(text: str) -> int:
    """Return the length of the bracketed value or the string that ``text`` begins with; all of it when not closed."""
    depth = 0
    for match in _BRACKET.finditer(text):
        char = match.group()[0]
        if char in "[({":
            depth += 1
        elif char in "])}":
            depth -= 1
        if depth <= 0:
            return match.end()
    return len(text)


def pieces(text: str) -> Iterator[str]:
    """Yield the texts of what an object or list holds, in order; keys and values of an object alternate."""
    position = 1
    while True:
        match = _PIECE.match(text, position)
        if match is None or match.group(3):
            return
        start = match.start(match.lastindex or 0)
        end = start + skip_brackets(text[start:]) if match.group(2) else match.end()
        yield text[start:end]
        position = end


def unquote(text: str) -> str:
    """Return what a JSON string says; ``text`` begins with its opening quote."""
    inner = text[1:-1] if len(text) > 1 and text.endswith('"') else text[1:]
    return unescape(inner) if "\\" in inner else inner


def unescape(text: str) -> str:
    """Return ``text`` with the escapes of JSON replaced; it is cut before the first that is none."""
    if "\\" not in text:
        return text
    position = 0
    out: list[str] = []
    while position < len(text):
        plain = text.find("\\", position)
        if plain < 0:
            plain = len(text)
        out.append(text[position:plain])
        match = _ESCAPE.match(text, plain)
        if match is None:
            break
        position = match.end()
        first, second, char = match.groups()
        if first is None:
            if char not in '\\/"bfnrt':
                break
            out.append(_CHARS.get(char, char))
            continue
        code = int(first, 16)
        if second is not None and not 0xD800 <= code <= 0xDFFF:
            position -= 6
        elif second is not None:
            code = _pair(code, int(second, 16))
        out.append("\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code))
    return "".join(out)


def _pair(high: int, low: int) -> int:
    if 0xD800 <= high <= 0xDBFF and 0xDC00 <= low <= 0xDFFF:
        return 0x10000 + ((high - 0xD800) << 10) + low - 0xDC00
    return 0xFFFD


def valid(text: str) -> bool:
    """Return whether ``text`` is one JSON value."""
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(text: str) -> None:
    raise ValueError(text)


def ugly(text: str) -> str:
    """Return JSON without the blanks between its parts."""
    return re.sub(_STRING + r"|[\x00- ]+", _kept, text, flags=re.DOTALL)


def _kept(match: re.Match[str]) -> str:
    text = match.group()
    return text if text[0] == '"' else ""
