# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The description of files for schemas and lint."""

from __future__ import annotations

from ...model.property import Property
from ...model.type_description import TypeDescription

_STATE_FIELDS = (
    Property(
        "metadata",
        "object",
        required=True,
        fields=(
            Property("name", required=True, help="The name of the resource."),
            Property("checksum", help="The SHA-256 of the content in hexadecimal."),
            Property("owner", required=True, help="The user that owns it, empty when it is not there."),
            Property("group", required=True, help="The group that owns it, empty when it is not there."),
            Property("mode", required=True, help="The permissions in octal, empty when it is not there."),
            Property("provider", required=True, help="The provider that read the state."),
            Property("mtime", required=True, help="When it was changed, in RFC 3339; the year 1 when it is not there."),
            Property("size", "integer", help="How long the content is, in bytes."),
        ),
    ),
)

DESCRIPTION = TypeDescription(
    _STATE_FIELDS,
    required_by_original=("ensure",),
    # A source is no URL: no scheme is allowed, and this is the advice.
    addresses={"source": ((), "a source is a file next to the manifest: an archive or an exec can download it before")},
    local_files=("source",),
)
