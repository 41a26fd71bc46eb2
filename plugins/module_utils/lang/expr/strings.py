# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins on texts. Lengths and positions count UTF-8 bytes, as in Go."""

from __future__ import annotations

from .. import letters
from ..go.kinds import StringList
from ..go.values import Fault, byte_length, to_int, to_text, type_name
from .values import BUDGET, MAX_TEXT, NilTexts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable


def _trim(text: Any, characters: Any = letters.SPACES) -> str:
    return to_text(text).strip(to_text(characters))


def _trim_prefix(text: Any, prefix: Any = " ") -> str:
    prefix, text = to_text(prefix), to_text(text)
    return text[len(prefix) :] if text.startswith(prefix) else text


def _trim_suffix(text: Any, suffix: Any = " ") -> str:
    suffix, text = to_text(suffix), to_text(text)
    return text[: len(text) - len(suffix)] if text.endswith(suffix) else text


def _pieces(text: str, separator: str, limit: int) -> list[str]:
    """Cut ``text`` into at most ``limit`` pieces (any number when negative); between all letters for no separator."""
    if limit == 0:
        return NilTexts()
    if separator:
        return StringList(text.split(separator, limit - 1 if limit > 0 else -1))
    letters = StringList(text)
    if 0 < limit < len(letters):
        letters[limit - 1 :] = ["".join(letters[limit - 1 :])]
    return letters


def _split(text: Any, separator: Any, limit: Any = -1) -> list[str]:
    return _pieces(to_text(text), to_text(separator), to_int(limit))


def _split_after(text: Any, separator: Any, limit: Any = -1) -> list[str]:
    text, separator = to_text(text), to_text(separator)
    pieces = _pieces(text, separator, to_int(limit))
    return StringList([piece + separator for piece in pieces[:-1]] + pieces[-1:]) if pieces else pieces


def _replace(text: Any, old: Any, new: Any, limit: Any = -1) -> str:
    text, old, new, count = to_text(text), to_text(old), to_text(new), to_int(limit)
    found = text.count(old)
    if count >= 0:
        found = min(found, count)
    if len(text) + found * (len(new) - len(old)) > MAX_TEXT:
        raise Fault("memory budget exceeded")
    return text.replace(old, new, found)


def _repeat(text: Any, count: Any) -> str:
    text, count = to_text(text), to_int(count)
    if count < 0:
        raise Fault(f"invalid argument for repeat (expected positive integer, got {count})")
    if count > BUDGET or byte_length(text) * count >= BUDGET:
        raise Fault("memory budget exceeded")
    return text * count


_JOINED = ("[]interface {}", "[]string")


def _join(parts: Any, glue: Any = "") -> str:
    glue = to_text(glue)
    name = type_name(parts)
    if name not in _JOINED:
        raise Fault("invalid argument for join (type %s)" % ("%!s(<nil>)" if parts is None else name))
    texts = [to_text(part) for part in parts]
    if sum(map(len, texts)) + len(glue) * len(texts) > MAX_TEXT:
        raise Fault("memory budget exceeded")
    return glue.join(texts)


def _found(method: str) -> Callable[[Any, Any], int]:
    find = getattr(str, method)

    def found(text: Any, part: Any) -> int:
        text, part = to_text(text), to_text(part)
        at: int = find(text, part)
        return at if at <= 0 or text.isascii() else byte_length(text[:at])

    return found


def _has_prefix(text: Any, prefix: Any) -> bool:
    return to_text(text).startswith(to_text(prefix))


def _has_suffix(text: Any, suffix: Any) -> bool:
    return to_text(text).endswith(to_text(suffix))


FUNCTIONS = {
    "trim": _trim,
    "trimPrefix": _trim_prefix,
    "trimSuffix": _trim_suffix,
    "upper": lambda text: letters.upper(to_text(text)),
    "lower": lambda text: letters.lower(to_text(text)),
    "split": _split,
    "splitAfter": _split_after,
    "replace": _replace,
    "repeat": _repeat,
    "join": _join,
    "indexOf": _found("find"),
    "lastIndexOf": _found("rfind"),
    "hasPrefix": _has_prefix,
    "hasSuffix": _has_suffix,
}
