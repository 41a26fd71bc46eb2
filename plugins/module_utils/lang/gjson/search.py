# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Finds what a GJSON path says in a document of Python values (behaviour.md 11.4, lookup; GJSON 1.19)."""

from __future__ import annotations

from ..go.json import string
from .evaluate import Search
from .parsing import parse
from .result import MISSING, GJSONError, Result, mapping, of
from .texts import valid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["GJSONError", "get", "get_in_text", "valid"]

_SPECIAL = frozenset('\\|*?#@!{}[]"')


def get(document: Any, path: str, keep_order: bool = True) -> Result:
    """Return what ``path`` finds in ``document``.

    Plain keys are fetched with ``mapping[key]`` and nothing else of the mapping is touched, so that mappings may
    gather what they hold when asked. Mappings are gone through in the order of their keys, but the document itself
    in its own order (unless ``keep_order`` is False): Go writes facts, data and environ as a struct. Raises GJSONError
    for paths that take or make too much.
    """
    if path and _SPECIAL.isdisjoint(path) and not path.startswith(".."):
        return _walk(document, path)
    try:
        root = of(document)
        if keep_order and root.kind == "object":
            root = mapping([(key, string(key), of(document[key])) for key in document])
        return Search().get(root, path, 0)
    except RecursionError:
        raise GJSONError("the path or the document is nested too deeply") from None


def get_in_text(text: str, path: str) -> Result:
    """Return what ``path`` finds in a JSON text, whose order of keys it keeps. Raises GJSONError and RecursionError."""
    return Search().get(parse(text), path, 0)


def _walk(value: Any, path: str) -> Result:
    """Follow a path of plain keys and indices."""
    for name in path.split("."):
        if hasattr(value, "keys"):
            try:
                value = value[name]
            except KeyError:
                return MISSING
        elif isinstance(value, (list, tuple)) and name.isdigit() and name.isascii() and len(name) < 19:
            if int(name) >= len(value):
                return MISSING
            value = value[int(name)]
        else:
            return MISSING
    return of(value)
