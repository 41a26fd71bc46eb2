# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checksums of texts."""

from __future__ import annotations

from hashlib import new
from zlib import adler32

from ...go.values import encoded
from ..function import Function


def _sum(name: str) -> Function:
    def digest(text: str) -> str:
        return new(name, encoded(text)).hexdigest()

    return Function(digest, "string")


def _adler32(text: str) -> str:
    return str(adler32(encoded(text)) & 0xFFFFFFFF)


FUNCTIONS = {
    "sha1sum": _sum("sha1"),
    "sha256sum": _sum("sha256"),
    "sha512sum": _sum("sha512"),
    "adler32sum": Function(_adler32, "string"),
}
