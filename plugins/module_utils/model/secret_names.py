# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts that are called like secrets, hidden."""

from __future__ import annotations

from .hiding import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What the names of secrets end in, in lower case and with `_` for `-`.
_SECRET_ENDINGS = (
    *("password", "passwd", "passphrase", "secret", "token", "api_key", "apikey"),
    *("private_key", "privatekey", "credential", "credentials"),
)


def without_named_secrets(value: Any) -> Any:
    """Data or a list of `NAME=value` in which texts are replaced that are called like secrets, however deep."""
    if isinstance(value, dict):
        return {
            key: REDACTED if isinstance(entry, str) and entry and is_secret(key) else without_named_secrets(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [without_named_secrets(entry) for entry in value]
    if isinstance(value, str):
        name, equals, _value = value.partition("=")
        return f"{name}={REDACTED}" if equals and is_secret(name) else value
    return value


def is_secret(name: Any) -> bool:
    """Whether a name ends as those of secrets do."""
    return isinstance(name, str) and name.lower().replace("-", "_").endswith(_SECRET_ENDINGS)


def tells_a_secret(line: str) -> bool:
    """Whether a line of a file seems to hold what decisions.md Q38 keeps out of sight."""
    import re

    names = "|".join(("authorization", *_SECRET_ENDINGS)).replace("_", "[_-]?")
    return re.search(rf"(?i)({names})[\w-]*[\"']?\s*[:=]\s*(?!{REDACTED})\S|://[^/\s]*@", line) is not None


def without_user(address: str, ends: str) -> str:
    """What stands behind `://`, its credentials replaced; `ends` end the host.

    A password may hold one of `ends` by mistake: so it is where something else than a port stands behind a colon.
    """
    end = min((at for at in map(address.find, ends) if at >= 0), default=len(address))
    _name, colon, port = address[:end].partition(":")
    if "@" not in address[:end] and colon and not port.isdigit():
        end = min((at for at in map(address.find, ' \t\r\n"<>`') if at >= 0), default=len(address))
    at = address.rfind("@", 0, end)
    return REDACTED + address[at:] if at >= 0 else address
