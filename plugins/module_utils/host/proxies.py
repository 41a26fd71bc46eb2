# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The proxies of this process, for commands that download (decisions.md Q98)."""

from __future__ import annotations

import os

_NAMES = ("http_proxy", "https_proxy", "ftp_proxy", "no_proxy")
_REPLACEMENT = b"REDACTED"


def proxy_variables() -> list[str]:
    """Return the variables of this process's environment that name proxies, and hosts without one, as `NAME=value`."""
    names = (*_NAMES, *(name.upper() for name in _NAMES))
    return [f"{name}={os.environ[name]}" for name in names if name in os.environ]


def without_credentials_of(variables: list[str], output: bytes) -> bytes:
    """Return a program's output with the user names and passwords in variables of proxies replaced: `REDACTED@host`.

    Programs quote them as they were given, or decoded, also without the address around them.
    """
    for variable in variables:
        address = variable.partition("=")[2]
        rest = address.partition("://")[2] or address
        # A password may have a slash that is not encoded; then the last @ counts.
        host = rest.partition("/")[0]
        user = (host if "@" in host else rest).rpartition("@")[0]
        if user.strip(":"):
            given = user.encode("utf-8", "surrogateescape")
            for text in (given, _decoded(given)):
                # A name alone may be a word of the output.
                output = output.replace(*((text, _REPLACEMENT) if b":" in text else (text + b"@", _REPLACEMENT + b"@")))
    return output


def _decoded(text: bytes) -> bytes:
    """Return a part of an address with its `%XX` decoded."""
    first, *parts = text.split(b"%")
    for part in parts:
        try:
            first += bytes([int(part[:2], 16)]) + part[2:]
        except ValueError:
            first += b"%" + part
    return first
