# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions that every template has (behaviour.md, "jet v6 globals")."""

from __future__ import annotations

from urllib.parse import quote_plus

from .. import letters
from .calls import Function, Native, SafeWriter
from .errors import JetError
from .values import (
    MISSING,
    HiddenBool,
    Integers,
    JSONText,
    StringList,
    check_size,
    check_weight,
    json_text,
    length,
    type_of,
    unboxed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .calls import Arguments
    from .compiler import Code

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"}
_HTML_TEXT = str.maketrans(_HTML)
_HTML_PRINTED = str.maketrans({**_HTML, "\0": "\ufffd"})
_SCRIPT = str.maketrans(
    {"\\": "\\\\", "'": "\\'", '"': '\\"', "<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "=": "\\u003D"}
)


def _repeat(text: str, count: int) -> str:
    if count < 0:
        raise JetError("strings: negative Repeat count")
    check_size(len(text) * count)
    return text * count


def _replace(text: str, old: str, new: str, count: int) -> str:
    found = len(text) + 1 if not old else text.count(old)
    times = found if count < 0 else min(found, count)
    check_size(len(text) + times * max(0, len(new) - len(old)))
    return text.replace(old, new, times)


def _split(text: str, separator: str) -> StringList:
    return StringList(text.split(separator) if separator else list(text))


def _query(text: str) -> str:
    return quote_plus(text, safe="-_.~", errors="surrogateescape")


def _script(text: str) -> str:
    escaped = text.translate(_SCRIPT)
    if escaped.isprintable():
        return escaped
    return "".join(char if char.isprintable() else _script_code(char) for char in escaped)


def _script_code(char: str) -> str:
    code = ord(char)
    return "\ufffd" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04X}"


def _json(value: Any) -> bytes:
    """Return JSON, nothing for what has none."""
    check_weight(value)
    try:
        return json_text(value).encode("utf-8")
    except JetError:
        return b""


def _map(arguments: Arguments) -> dict[str, Any]:
    if len(arguments) % 2:
        raise JetError("map(): incomplete key-value pair (even number of arguments required)")
    made: dict[str, Any] = {}
    for at in range(0, len(arguments), 2):
        key = arguments.get(at)
        if key is MISSING:
            raise JetError(f"map(): key argument at position {at} is not a valid value!")
        if not isinstance(key, str):
            raise JetError(f"map(): the key at position {at} must be a text, not of type {type_of(key)}")
        value = unboxed(arguments.get(at + 1))
        if value is MISSING:
            made.pop(key, None)
        else:
            made[key] = value
    return made


def _slice(arguments: Arguments) -> list[Any]:
    made = []
    for at in range(len(arguments)):
        value = unboxed(arguments.get(at))
        if value is MISSING:
            raise JetError(f"slice(): argument at position {at} is not a valid value")
        made.append(value)
    return made


def _isset(arguments: Arguments) -> bool:
    arguments.require("isset", 1)
    return all(arguments.is_set(at) for at in range(len(arguments)))


def _len(arguments: Arguments) -> int:
    arguments.require("len", 1, 1)
    value = unboxed(arguments.get(0))
    if value is MISSING or value is None:
        raise JetError("len(): argument is not a valid value")
    return length(value)


def _ints(arguments: Arguments) -> Integers:
    if len(arguments) > 2:
        raise JetError(f"have {len(arguments)} arguments, but only 2 pointers to parse into")
    start = arguments.integer(0) if len(arguments) else 0
    stop = arguments.integer(1) if len(arguments) > 1 else 0
    if stop <= start:
        raise JetError("invalid range for ints ranger: 'from' must be smaller than 'to'")
    return Integers(start, stop)


def _include_if_exists(arguments: Arguments) -> HiddenBool:
    arguments.require("includeIfExists", 1, 2)
    runtime = arguments.runtime
    path = _path(arguments)
    if not runtime.templates.exists(path):
        return HiddenBool(False)
    try:
        template = runtime.templates.get(path)
    except JetError as error:
        raise JetError(f"including {path}: {error}") from None
    runtime.run(template, _context(arguments))
    return HiddenBool(True)


def _exec(arguments: Arguments) -> Any:
    arguments.require("exec", 1, 2)
    runtime = arguments.runtime
    path = _path(arguments)
    try:
        template = runtime.templates.get(path)
    except JetError as error:
        raise JetError(f"exec({path}): {error}") from None
    out = runtime.out
    runtime.out = []
    try:
        return runtime.run(template, _context(arguments))
    finally:
        runtime.out = out


def _context(arguments: Arguments) -> Code | None:
    return (lambda runtime: arguments.get(1)) if len(arguments) > 1 else None


def _path(arguments: Arguments) -> str:
    path = unboxed(arguments.get(0))
    return path if isinstance(path, str) else f"<{type_of(path)} Value>"


def _dump(arguments: Arguments) -> str:
    from .dumping import dump

    return dump(arguments)


def _write_json(value: Any) -> JSONText:
    return JSONText(value)


DEFAULTS: dict[str, Any] = {
    "lower": Native(letters.lower, "string", "string"),
    "upper": Native(letters.upper, "string", "string"),
    "hasPrefix": Native(str.startswith, "bool", "string", "string"),
    "hasSuffix": Native(str.endswith, "bool", "string", "string"),
    "repeat": Native(_repeat, "string", "string", "int"),
    "replace": Native(_replace, "string", "string", "string", "string", "int"),
    "split": Native(_split, "[]string", "string", "string"),
    "trimSpace": Native(lambda text: text.strip(letters.SPACES), "string", "string"),
    "html": Native(lambda text: text.translate(_HTML_TEXT), "string", "string"),
    "url": Native(_query, "string", "string"),
    "safeHtml": SafeWriter(lambda text: text.translate(_HTML_PRINTED)),
    "safeJs": SafeWriter(_script),
    "raw": SafeWriter(lambda text: text),
    "unsafe": SafeWriter(lambda text: text),
    "writeJson": Native(_write_json, "jet.RendererFunc", "any"),
    "json": Native(_json, "([]uint8, error)", "any"),
    "map": Function(_map),
    "slice": Function(_slice),
    "array": Function(_slice),
    "isset": Function(_isset),
    "len": Function(_len),
    "includeIfExists": Function(_include_if_exists),
    "exec": Function(_exec),
    "ints": Function(_ints),
    "dump": Function(_dump),
}
