# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The properties of every type that downloads something, and which texts are addresses of web servers."""

from __future__ import annotations

from ..model.property import Property
from ..model.resource import Properties


class DownloadProperties(Properties):
    """What a request to a web server needs beside its address, and the `checksum` of what it has to return."""

    headers: dict[str, str]
    username: str
    password: str
    checksum: str


def download_properties(extension: str = "") -> tuple[Property, ...]:
    """Return the declarations; `extension` is what the original does with each: its text, with the name as `{}`."""
    return tuple(
        Property(name, kind, secret=secret, help=help, extension=extension.format(name))
        for name, kind, secret, help in (
            ("headers", "string_map", True, "Headers to send with the request."),
            ("username", "string", False, "The user for basic authentication."),
            ("password", "string", True, "The password for basic authentication."),
            ("checksum", "string", False, "The SHA-256 of the archive in hexadecimal."),
        )
    )


def is_address(text: str) -> bool:
    """Return whether a text is the address of something on a web server."""
    return text[:8].lower().startswith(("http://", "https://"))
