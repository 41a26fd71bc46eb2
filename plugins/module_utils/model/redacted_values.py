# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of properties that may hold secrets, as events show them."""

from __future__ import annotations

from ..redaction.replacement import REDACTED
from ..redaction.texts import without_text_secrets
from .property import shown_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .property import Property
    from .values import Value


def redacted(prop: Property, value: Value) -> Value:
    """Return a value of a property with its secrets replaced (decisions.md Q38)."""
    if prop.secret:
        if isinstance(value, list):
            return [REDACTED] * len(value)
        return dict.fromkeys(value, REDACTED) if isinstance(value, dict) else REDACTED
    if prop.may_hold_secrets:
        if isinstance(value, str):
            return without_text_secrets(value)
        if isinstance(value, list) and prop.kind == "strings":
            from ..redaction.commands import hidden_variable

            return [hidden_variable(text) for text in value]
        from ..redaction.goss_rules import without_rule_secrets

        return without_rule_secrets(value)
    if isinstance(value, dict) and prop.kind == "object":
        return shown_properties(prop.fields, value)
    if isinstance(value, list) and prop.kind == "objects":
        return [shown_properties(prop.fields, entry) for entry in value]
    from ..redaction.names import without_named_secrets

    return without_named_secrets(value)
