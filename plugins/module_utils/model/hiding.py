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


def without_secrets(prop: Property, value: Any) -> Any:
    """The value of a property that is secret, a URL, or holds properties itself, as it may be seen."""
    if prop.secret:
        return dict.fromkeys(value, REDACTED) if prop.kind == "string_map" else REDACTED
    if prop.url and prop.kind == "data":
        from .secret_rules import without_rule_secrets

        return without_rule_secrets(value)
    if prop.url:
        return without_credentials(value)
    if prop.kind == "object":
        return shown_properties(prop.fields, value)
    if prop.kind == "objects":
        return [shown_properties(prop.fields, entry) for entry in value]
    from .secret_names import without_named_secrets

    return without_named_secrets(value)


def without_credentials(text: str) -> str:
    """A text, or one address, with the credentials of every address replaced: `curl https://REDACTED@host/`."""
    if "@" not in text:
        return text
    from .secret_names import without_user

    lead, *addresses = text.split("://")
    ends = "/?#" if lead.isalnum() else '/?# \t\r\n"<>`'
    return "://".join([lead, *(without_user(address, ends) for address in addresses)])
