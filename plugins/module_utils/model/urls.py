# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""URLs as events may show them."""

from __future__ import annotations

from .shown import REDACTED


def redact_url(url: str) -> str:
    """A URL whose credentials are replaced: `https://REDACTED@host/path`."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    _user, at, host = authority.rpartition("@")
    return f"{scheme}{separator}{REDACTED}@{host}{slash}{path}" if separator and at else url
