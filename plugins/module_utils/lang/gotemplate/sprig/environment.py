# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The environment of the process, and names of hosts: both are asked of the context."""

from __future__ import annotations

from ..function import CallError, Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPECIAL = "*#$@!?-0123456789"
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"


def _env(context: Any, name: str) -> str:
    return str(context.environ.get(name, ""))


def _expand_env(context: Any, text: str) -> str:
    """Return ``text`` with ``$NAME`` and ``${NAME}`` replaced; a dollar sign with no name behind it stays."""
    out = []
    at = 0
    while True:
        dollar = text.find("$", at)
        if dollar < 0 or dollar + 1 == len(text):
            out.append(text[at:])
            return "".join(out)
        out.append(text[at:dollar])
        name, size = _name_at(text, dollar + 1)
        if name:
            out.append(_env(context, name))
        elif not size:
            out.append("$")
        at = dollar + 1 + size


def _name_at(text: str, at: int) -> tuple[str, int]:
    """Return the name of a variable at ``at`` and how much of ``text`` it takes; no name for braces that are wrong."""
    if text[at] == "{":
        if text[at + 1 : at + 2] and text[at + 1] in _SPECIAL and text[at + 2 : at + 3] == "}":
            return text[at + 1], 3
        end = text.find("}", at)
        if end < 0:
            return "", 1
        return text[at + 1 : end], end + 1 - at
    if text[at] in _SPECIAL:
        return text[at], 1
    end = at
    while end < len(text) and text[end] in _WORD:
        end += 1
    return text[at:end], end - at


def _host_by_name(context: Any, name: str) -> str:
    """Return one of the addresses of a host, whichever."""
    addresses = context.addresses(name)
    if not addresses:
        raise CallError("invalid argument to Intn")
    return str(addresses[int.from_bytes(context.random(4), "big") % len(addresses)])


FUNCTIONS = {
    "env": Function(_env, "string", with_context=True),
    "expandenv": Function(_expand_env, "string", with_context=True),
    "getHostByName": Function(_host_by_name, "string", with_context=True),
}
