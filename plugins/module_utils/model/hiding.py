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
    if prop.url:
        return redact_url(value)
    if prop.kind == "object":
        return shown_properties(prop.fields, value)
    if prop.kind == "objects":
        return [shown_properties(prop.fields, entry) for entry in value]
    from .secret_names import without_named_secrets

    return without_named_secrets(value)


def tells_a_secret(line: str) -> bool:
    """Whether a line of a file seems to hold what decisions.md Q38 keeps out of sight."""
    import re

    pattern = rf"(?i)(password|secret|token|authorization|credential)[\w-]*[\"']?\s*[:=]\s*(?!{REDACTED})\S|://[^/\s]*@"
    return re.search(pattern, line) is not None


def redact_url(url: str) -> str:
    """A URL whose credentials are replaced: `https://REDACTED@host/path`."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    _user, at, host = authority.rpartition("@")
    return f"{scheme}{separator}{REDACTED}@{host}{slash}{path}" if separator and at else url
