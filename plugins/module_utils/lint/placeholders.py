# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts used in place of expressions, whose values are not known before a run."""

from __future__ import annotations

import re

from ..lang.templatescan import has_expression
from ..model.property import EAGER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.property import Property
    from ..model.resource import ResourceType
    from ..model.values import Value

_ARCHIVES = (".tar.gz", ".zip", ".tar", ".tar.xz", ".tar.bz2", ".tar.zst")
_TEXTS = (
    "ccmplaceholder",
    "/ccmplaceholder",
    "0644",
    "1s",
    "exec#ccmplaceholder",
    "PLACEHOLDER=x",
    *(f"{place}/ccmplaceholder{end}" for end in _ARCHIVES for place in ("", "https://localhost")),
)
_NUMBER = 1


def holds_expression(value: Value) -> bool:
    """Return whether an expression is in a text, at any depth of a value."""
    if isinstance(value, str):
        if "{{" not in value and "${" not in value:
            return False
        return has_expression(value)
    if isinstance(value, dict):
        return any(holds_expression(entry) for entry in value.values()) or any(holds_expression(key) for key in value)
    return isinstance(value, list) and any(holds_expression(entry) for entry in value)


def is_unknown(prop: Property, value: Value) -> bool:
    """Return whether the value of a property at its validation is known only in a run."""
    return prop.when == EAGER and prop.kind != "data" and holds_expression(value)


def texts_for(type: ResourceType, prop: Property) -> list[str]:
    """Return texts that a property of a type might have where its value is not known."""
    texts = list(_TEXTS)
    if prop.name == "ensure":
        texts[:0] = type.ensure_choices
    elif prop.name == "provider":
        texts[:0] = type.provider_names
    texts[:0] = prop.choices
    if prop.pattern and prop.kind == "strings":
        texts = [text for text in texts if re.search(prop.pattern, text)]
    return texts


def with_placeholders(value: Value, text: str) -> Value:
    """Return the value with `text` for each text that holds an expression; for a whole text that holds none."""
    if isinstance(value, dict):
        return {key: _replaced(entry, text, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [
            with_placeholders(entry, text) if isinstance(entry, dict) else _replaced(entry, text) for entry in value
        ]
    return text


def _replaced(value: Value, text: str, key: str = "") -> Value:
    if isinstance(value, (dict, list)):
        return with_placeholders(value, text)
    if not holds_expression(value):
        return value
    return _NUMBER if key == "port" else text
