# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The flags of every type that downloads something: how long it may take, and what the request has."""

from __future__ import annotations

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
