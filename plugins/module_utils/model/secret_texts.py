# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands, variables and addresses with what they give to names of secrets hidden (decisions.md Q38)."""

from __future__ import annotations

import re

from .hiding import REDACTED, without_credentials
from .secret_names import is_secret

# `NAME=value`, `--NAME value`, `"NAME": value`, and `NAME: value` for headers.
_GIVEN = re.compile(r"(?P<name>[A-Za-z_][\w-]*)(?P<sign>=|[\"'\]]\s*[:=]\s*|:[ \t]*|[ \t]+)(?=\S)")
_HEADERS = ("authorization", "proxy-authorization", "cookie")
_QUOTES = "\"'"


def hidden_text(text: str) -> str:
    """A command, a variable or an address without credentials and without what it gives to names of secrets.

    Of an expression it is shown which one it is. A text whose secrets are hidden stays as it is.
    """
    text = without_credentials(text)
    parts: list[str] = []
    done = 0
    for found in _GIVEN.finditer(text):
        if found.start() < done or not _gives_a_secret(found):
            continue
        start, end = found.end(), _end_of_value(found)
        if text[start] in _QUOTES and text[end - 1 : end] == text[start] and found.group("sign")[0] in _QUOTES:
            start, end = start + 1, end - 1
        if end > start and not _is_expression(text, start):
            parts += (text[done:start], REDACTED)
            done = end
    return "".join([*parts, text[done:]])


def hidden_variable(text: str) -> str:
    """`NAME=value` without the value when the name is that of a secret; any other text as `hidden_text` shows it."""
    name, equals, value = text.partition("=")
    if equals and name.replace("_", "").replace("-", "").isalnum() and is_secret(name):
        return text if not value or _is_expression(value, 0) else f"{name}={REDACTED}"
    return hidden_text(text)


def _is_expression(text: str, start: int) -> bool:
    return text.startswith("{{", start) and "}}" in text[start:]


def _gives_a_secret(found: re.Match[str]) -> bool:
    name, sign = found.group("name", "sign")
    before = found.string[: found.start()][-1:]
    if sign[0] == ":":
        return before != "" and before in _QUOTES and (is_secret(name) or name.lower() in _HEADERS)
    if not sign.strip():
        is_flag = before == "-" and not name.lower().startswith("no-")
        return is_flag and found.string[found.end()] != "-" and is_secret(name)
    return is_secret(name)


def _end_of_value(found: re.Match[str]) -> int:
    """Where a value ends: with the word that it is, in an address with the parameter, in quotes with these."""
    text, at = found.string, found.end()
    before, sign = text[: found.start()][-1:], found.group("sign")
    quote = _open_quote(text[: found.start()])
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


def _open_quote(text: str) -> str:
    """The quote that is open at the end of a text, "" when none is."""
    quote, escaped = "", False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\" and quote != "'":
            escaped = True
        elif char in _QUOTES and quote in ("", char):
            quote = "" if quote else char
    return quote
