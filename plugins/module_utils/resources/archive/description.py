# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of archives for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription
from .type import OF_ORIGINAL, archive_kind

_STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name of the resource."),
            Property("checksum", help="The SHA-256 of the archive in hexadecimal."),
            Property("archive_exists", "boolean", help="Whether the archive is there."),
            Property("creates_exists", "boolean", help="Whether what unpacking creates is there."),
            Property("owner", required=True, help="The user that owns it, empty when it is not there."),
            Property("group", required=True, help="The group that owns it, empty when it is not there."),
            Property("mtime", required=True, help="When it was changed, in RFC 3339; the year 1 when it is not there."),
            Property("size", "integer", help="How long it is, in bytes."),
            Property("provider", required=True, help="The provider that read the state."),
        ),
    ),
)


def _portability_of_url(value: object) -> str:
    """Return why the original refuses an address (decisions.md Q89); "" for others and with an expression."""
    written = value if isinstance(value, str) and "{" not in value else ""
    kind = archive_kind(written.partition("#")[0].partition("?")[0])
    return f"the original takes no archives of the kind {kind}" if kind and kind not in OF_ORIGINAL else ""


DESCRIPTION = TypeDescription(
    _STATE_FIELDS,
    required_by_original=("ensure",),
    portability={"url": _portability_of_url},
    paths=("creates",),
    addresses={"url": (("http", "https"), "archives come from http:// and https:// addresses")},
)
