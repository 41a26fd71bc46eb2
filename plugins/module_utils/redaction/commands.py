# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands, variables and addresses with the values for names of secrets hidden (decisions.md Q38)."""

from __future__ import annotations

import re

from .names import is_secret, without_credentials
from .replacement import REDACTED

# `NAME=value`, `--NAME value`, `"NAME": value`, and `NAME: value` for headers. A name begins with the first letter of
# its word: beginning with each letter would take quadratic time.
_GIVEN = re.compile(
    r"(?<![\w-])(?:[^\WA-Za-z_]|-)*(?P<name>[A-Za-z_][\w-]*)"
    r"(?P<sign>=|[\"'\]]\s*[:=]\s*|:[ \t]*|[ \t]+)(?=\S)"
)
# The user and the password given to curl, in quotes up to their end.
_USER_NAME = r"(?:(?!\{\{)[^\s:\"'/])+:"
_USER = re.compile(
    r"(?<!\S)(?P<lead>(?:-[A-Za-z]*[uU]\s*|--(?:proxy-)?user(?:=|\s+))"
    rf"(?:(?P<quote>[\"']){_USER_NAME}|{_USER_NAME}))(?!\{{\{{)(?(quote)(?:(?!(?P=quote)).)+|[^\s\"']+)"
)
_HEADERS = ("authorization", "proxy-authorization", "cookie")
_QUOTES = "\"'"


def hidden_text(text: str) -> str:
    """Return a command, a variable or an address without credentials and without the values for names of secrets.

    Expressions stay, so that it is visible which one is used. A text whose secrets are hidden is not changed again.
    """
    text = without_credentials(text)
    curl = text.find("curl")
    if curl >= 0:
        text = text[:curl] + _USER.sub(rf"\g<lead>{REDACTED}", text[curl:])
    parts: list[str] = []
    done = 0
    quotes, last = _Quotes(text), text.rfind("}}")
    for found in _GIVEN.finditer(text):
        if found.start("name") < done or not _sets_secret(found):
            continue
        start = found.end()
        if _is_expression(text, start, last):
            continue
        end = _end_of_value(found, quotes.open_at(found.start("name")))
        if text[start] in _QUOTES and text[end - 1 : end] == text[start] and found.group("sign")[0] in _QUOTES:
            start, end = start + 1, end - 1
        if end > start and not _is_expression(text, start, last):
            parts += (text[done:start], REDACTED)
            done = end
    return "".join([*parts, text[done:]])


def hidden_variable(text: str) -> str:
    """Return `NAME=value` without the value when the name is a secret's; else the result of `hidden_text`."""
    name, equals, value = text.partition("=")
    if equals and name.replace("_", "").replace("-", "").isalnum() and is_secret(name):
        return text if not value or _is_expression(value, 0, value.rfind("}}")) else f"{name}={REDACTED}"
    return hidden_text(text)


def _is_expression(text: str, start: int, last: int) -> bool:
    """Return whether an expression begins at a place of a text; the last `}}` of the text is at `last`."""
    return last >= start and text.startswith("{{", start)


def _before(found: re.Match[str]) -> str:
    """Return the character before a name, "" at the beginning of a text."""
    start = found.start("name")
    return found.string[max(start - 1, 0) : start]


def _sets_secret(found: re.Match[str]) -> bool:
    name, sign = found.group("name", "sign")
    before = _before(found)
    if sign[0] == ":":
        start = found.start("name")
        is_header = found.string[max(start - 12, 0) : start].rstrip().endswith(("-H", "--header"))
        is_given = is_header if before.isspace() else before != "" and before in _QUOTES
        return is_given and (is_secret(name) or name.lower() in _HEADERS)
    if before and before in "-?&" and name.lower() == "pass":
        return sign[0] == "=" or (not sign.strip() and found.string[found.end()] != "-")
    if not sign.strip():
        is_flag = before == "-" and not name.lower().startswith("no-")
        return is_flag and found.string[found.end()] != "-" and is_secret(name)
    return is_secret(name)


def _end_of_value(found: re.Match[str], quote: str) -> int:
    """Return the end of a value: of its word, in an address of the parameter, in quotes where these close.

    `quote` is the quote that is open before the name of the value, "" for none.
    """
    text, at = found.string, found.end()
    before, sign = _before(found), found.group("sign")
    if sign[0] == quote:
        quote = ""
    is_whole = quote != "" and before == quote
    ends = "&#" + _QUOTES if before and before in "?&" else ""
    while at < len(text):
        char = text[at]
        if char == quote or char in ends or (char.isspace() and not is_whole):
            break
        if char == "\\" and quote != "'":
            at += 2
        elif char in _QUOTES:
            at = text.find(char, at + 1) + 1 or len(text)
            if sign[0] in _QUOTES:
                break
        else:
            at += 1
    return min(at, len(text))


class _Quotes:
    """Finds which quote is open at increasing places of a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._quote, self._escaped = "", False

    def open_at(self, place: int) -> str:
        """Return the quote that is open before a place, "" when none is."""
        quote, escaped = self._quote, self._escaped
        for char in self._text[self._at : place]:
            if escaped:
                escaped = False
            elif char == "\\" and quote != "'":
                escaped = True
            elif char in _QUOTES and quote in ("", char):
                quote = "" if quote else char
        self._at, self._quote, self._escaped = place, quote, escaped
        return quote
