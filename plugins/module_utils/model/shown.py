# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties as people and events may see them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .property import Property


def shown_properties(declared: tuple[Property, ...], values: dict[str, Any]) -> dict[str, Any]:
    """The values of declared properties without the empty ones, secrets replaced (decisions.md Q38)."""
    shown = {}
    for prop in declared:
        value = values[prop.name]
        if prop.always_shown or (value is not None if prop.nullable else value):
            if prop.secret or prop.url or prop.kind in ("object", "objects"):
                from .hiding import without_secrets

                value = without_secrets(prop, value)
            shown[prop.name] = value
    return shown
