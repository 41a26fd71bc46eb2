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
#: What the names of secrets end in, in lower case and with `_` for `-`.
_SECRET_ENDINGS = (
    *("password", "passwd", "passphrase", "secret", "token", "api_key", "apikey"),
    *("private_key", "privatekey", "credential", "credentials"),
)


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
    return value


def without_named_secrets(value: Any) -> Any:
    """Data or a list of `NAME=value` in which texts are replaced that are called like secrets, however deep."""
    if isinstance(value, dict):
        return {
            key: REDACTED if isinstance(entry, str) and entry and _is_secret(key) else without_named_secrets(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [without_named_secrets(entry) for entry in value]
    if isinstance(value, str):
        name, equals, _value = value.partition("=")
        return f"{name}={REDACTED}" if equals and _is_secret(name) else value
    return value


def _is_secret(name: Any) -> bool:
    return isinstance(name, str) and name.lower().replace("-", "_").endswith(_SECRET_ENDINGS)


def redact_url(url: str) -> str:
    """A URL whose credentials are replaced: `https://REDACTED@host/path`."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    _user, at, host = authority.rpartition("@")
    return f"{scheme}{separator}{REDACTED}@{host}{slash}{path}" if separator and at else url
