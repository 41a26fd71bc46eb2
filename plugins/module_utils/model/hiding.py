# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values with their secrets hidden."""

from __future__ import annotations

from .property import shown_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .property import Property

REDACTED = "REDACTED"
# In each text that holds a secret there is one of these.
_STEMS = ("@", "pass", "pwd", "secret", "token", "key", "cred", "auth", "cookie", "curl")


def without_secrets(prop: Property, value: Any) -> Any:
    """The value of a property that is secret, may hold secrets, or holds properties itself, as it may be seen."""
    if prop.secret:
        return dict.fromkeys(value, REDACTED) if prop.kind == "string_map" else REDACTED
    if prop.may_hold_secrets:
        if prop.kind == "string":
            return without_text_secrets(value)
        if prop.kind == "strings":
            from .secret_texts import hidden_variable

            return [hidden_variable(text) for text in value]
        from .secret_rules import without_rule_secrets

        return without_rule_secrets(value)
    if prop.kind == "object":
        return shown_properties(prop.fields, value)
    if prop.kind == "objects":
        return [shown_properties(prop.fields, entry) for entry in value]
    from .secret_names import without_named_secrets

    return without_named_secrets(value)


def without_text_secrets(text: str) -> str:
    """A command, an address, or a text that quotes one, without credentials and without what names of secrets get."""
    folded = text.casefold()
    for stem in _STEMS:
        if stem in folded:
            from .secret_texts import hidden_text

            return hidden_text(text)
    return text


def shown_source(source: str) -> str:
    """A path as it is, an address as `without_text_secrets` shows it."""
    return without_text_secrets(source) if "://" in source else source
