# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties as people and events may see them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .property import Property

REDACTED = "REDACTED"


def shown_properties(declared: tuple[Property, ...], values: dict[str, Any]) -> dict[str, Any]:
    """The values of declared properties without the empty ones, secrets replaced (decisions.md Q38)."""
    shown = {}
    for prop in declared:
        value = values[prop.name]
        if _is_left_out(prop, value):
            continue
        shown[prop.name] = _shown_value(prop, value)
    return shown


def _is_left_out(prop: Property, value: Any) -> bool:
    if prop.always_shown:
        return False
    return value is None if prop.nullable else not value


def _shown_value(prop: Property, value: Any) -> Any:
    if prop.secret:
        return dict.fromkeys(value, REDACTED) if prop.kind == "string_map" else REDACTED
    if prop.url:
        from .urls import redact_url

        return redact_url(value)
    if prop.kind == "object":
        return shown_properties(prop.fields, value)
    if prop.kind == "objects":
        return [shown_properties(prop.fields, entry) for entry in value]
    return value
