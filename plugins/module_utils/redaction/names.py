# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Texts with names of secrets, hidden."""

from __future__ import annotations

import re

from .replacement import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lang.values import Value

#: Endings of names of secrets, in lower case and with `_` for `-`.
SECRET_ENDINGS = (
    *("password", "passwd", "passphrase", "secret", "token", "api_key", "apikey"),
    *("private_key", "privatekey", "credential", "credentials"),
)
#: Parts that make a name a secret's name, with any ending: `SECRET_X`.
_SECRET_PARTS = tuple(f"_{ending}_" for ending in SECRET_ENDINGS)
#: Names with these endings are not secrets, only about secrets.
_ABOUT_SECRETS = tuple(
    f"_{word}"
    for word in (
        *("file", "path", "dir", "url", "uri", "endpoint", "host", "port", "name", "user", "id", "type", "fd", "stdin"),
        *("prompt", "command", "cmd", "ttl", "timeout", "expiry", "age", "days", "length", "size", "count", "policy"),
        *("required", "enabled", "disabled"),
    )
)
#: The scheme of an address that was cleaned as a path is; `:/` follows it.
_PATH_OF_ADDRESS = re.compile(r"(?<![\w+.-])([A-Za-z][\w+.-]*):/(?!/)")
_WEB = ("http", "https", "ftp")


def without_credentials(text: str) -> str:
    """Return a text, or one address, with the credentials of every address replaced: `curl https://REDACTED@host/`."""
    if "@" not in text:
        return text
    lead, *addresses = text.split("://")
    ends = "/?#" if lead.isalnum() else '/?# \t\r\n"<>`'
    text = "://".join([lead, *(without_user(address, ends) for address in addresses)])
    return _without_users_of_paths(text) if ":/" in text else text


def _without_users_of_paths(text: str) -> str:
    """Return a text without the credentials of addresses that were cleaned as paths: `http:/user:password@host`.

    A path may be shown after it was cleaned. A user alone is hidden only after the scheme of a web server:
    `host:/user@other` may be any path.
    """
    parts = _PATH_OF_ADDRESS.split(text)
    shown = parts[:1]
    for scheme, rest in zip(parts[1::2], parts[2::2]):
        at = end_of_user(rest)
        hides = at >= 0 and (":" in rest[:at] or scheme.lower() in _WEB)
        shown += (scheme, ":/", REDACTED + rest[at:] if hides else rest)
    return "".join(shown)


def without_named_secrets(value: Value) -> Value:
    """Return data or a list of `NAME=value` in which texts with names of secrets are replaced, at any depth."""
    if isinstance(value, dict):
        return {
            key: REDACTED if isinstance(entry, str) and entry and is_secret(key) else without_named_secrets(entry)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        return [without_named_secrets(entry) for entry in value]
    if isinstance(value, str):
        name, equals, _value = value.partition("=")
        return f"{name}={REDACTED}" if equals and is_secret(name) else without_credentials(value)
    return value


def is_secret(name: Value) -> bool:
    """Return whether a name ends as names of secrets do, or has such a word as one of its parts."""
    if not isinstance(name, str):
        return False
    folded = name.lower().replace("-", "_")
    # Alone or in lower case these have other meanings: PWD, proxy_pass.
    if folded.endswith((*SECRET_ENDINGS, "_pwd")) or name.endswith("_PASS"):
        return True
    parts = f"_{folded}_"
    return any(part in parts for part in _SECRET_PARTS) and not folded.endswith(_ABOUT_SECRETS)


def without_users(line: str) -> str:
    """Return a line of any language without the credentials of addresses.

    The end of an address is not known there.
    """
    if ":/" not in line or "@" not in line:
        return line
    return re.sub(r"://[^/\s]*@", f"://{REDACTED}@", without_credentials(line))


def without_user(address: str, ends: str) -> str:
    """Return the part of an address after `://`, its credentials replaced; `ends` end the host."""
    at = end_of_user(address, ends)
    return REDACTED + address[at:] if at >= 0 else address


def end_of_user(address: str, ends: str = '/?# \t\r\n"<>`') -> int:
    """Return where after `://` the `@` of user and password is, -1 without any; `ends` end the host.

    A password may hold one of `ends` by mistake: that is assumed where something other than a port follows a colon, and
    where a host seems to follow an `@` while only a user, without a dot, precedes the colon.
    """
    end = min((at for at in map(address.find, ends) if at >= 0), default=len(address))
    name, colon, port = address[:end].partition(":")
    if "@" not in address[:end] and colon:
        whole = min((at for at in map(address.find, ' \t\r\n"<>`') if at >= 0), default=len(address))
        host, path, _rest = address[:whole].rpartition("@")[2].partition("/")
        is_host = host.count(".") == 3 or (host[:1].isalpha() and (path or "." in host))
        is_user = "." not in name and name not in ("", "localhost") and is_host
        if is_user or not port.isdigit():
            end = whole
    return address.rfind("@", 0, end)
