# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags of every type that downloads something, and what lint says of its checksum."""

from __future__ import annotations

import re

from ..model.flags import Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.type_flags import FlagSettings

#: The options of a provider that these flags give.
DOWNLOAD_OPTIONS = ("download_timeout", "download_tries", "download_limit")
#: What the flags of two of the properties have in addition.
HEADERS_FLAG: FlagSettings = {"short": "H", "placeholder": "KEY:VALUE", "help": "A header to send with the request"}
PASSWORD_FLAG: FlagSettings = {"env": "HTTP_PASSWORD"}


def download_flags() -> tuple[Flag, ...]:
    """Return the flags of the options."""
    return (
        Flag(
            "download-timeout",
            "text",
            "How long the download may take in all, 1m when not given",
            placeholder="DURATION",
        ),
        Flag("download-limit", "text", "The largest archive to download, any when not given", placeholder="SIZE"),
        Flag("download-tries", "integer", "How often to ask the server at most, 3 when not given", placeholder="3"),
    )


def unmet_checksum(text: str) -> tuple[str, str]:
    """Return why no download has a checksum, and what to write instead; "" for both where one can have it (Q67)."""
    if re.match(r"[0-9a-fA-F]{64}\Z", text):
        return "", ""
    kind = {32: "MD5", 40: "SHA-1", 128: "SHA-512"}.get(len(text) if re.match(r"[0-9a-fA-F]+\Z", text) else 0, "")
    advice = "write the 64 hexadecimal digits that sha256sum shows"
    if text[:7].lower() == "sha256:":
        advice = "write the 64 hexadecimal digits alone, without sha256:"
    return f"no download has this checksum: it is {f'of the kind {kind}, and no' if kind else 'no'} SHA-256", advice
