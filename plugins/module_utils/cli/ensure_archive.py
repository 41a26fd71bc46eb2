# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure archive`: an archive of a web server, and what it holds."""

from __future__ import annotations

import os

from ..lang.paths import join
from ..model.provider_options import provider_options
from ..resources.archive.type import PRESENT
from ..resources.archive.type import TYPE as ARCHIVE_TYPE
from .command import Argument, Command, Flag
from .ensure_file import owners_given
from .ensure_resource import PropertyFlags, common_flags, ensure_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import Values

_OWN = PropertyFlags(
    ARCHIVE_TYPE,
    without=("extract_parent", "group", "owner", "url"),
    renamed={"headers": "header"},
    settings={
        "headers": {"short": "H", "placeholder": "KEY:VALUE", "help": "A header to send with the request"},
        "password": {"env": "HTTP_PASSWORD"},
        "creates": {"path": "file"},
    },
)


def _ensure(values: Values) -> int:
    owner, group = owners_given(values.owner)
    properties = {"name": values.file, "url": values.url, "ensure": PRESENT, "owner": owner, "group": group}
    if values.extract:
        properties["extract_parent"] = _from_here(values.extract)
    given = provider_options(
        download_timeout=values.download_timeout,
        download_tries=None if values.download_tries == "" else values.download_tries,
        download_limit=values.download_limit,
    )
    properties.update(_OWN.properties(values))
    if values.creates:
        properties["creates"] = _from_here(values.creates)
    return ensure_resource(ARCHIVE_TYPE, properties, values, options=given)


def _from_here(path: str) -> str:
    """A path below the current directory as an absolute one; expressions stay."""
    return path if path.startswith(("/", "{{", "${")) else join(os.getcwd(), path)


ARCHIVE = Command(
    "ensure archive",
    "Archive management",
    arguments=(
        Argument("file", "File to save the archive to", required=True, path="file"),
        Argument("url", "URL to download it from", required=True),
    ),
    flags=(
        *_OWN.flags,
        Flag("extract", "directory", "Directory to unpack it in, which has to exist"),
        Flag("owner", "text", "User and group (user:group) of the archive, those who run ccm when not given"),
        Flag(
            "download-timeout",
            "text",
            "How long the download may take in all, 1m when not given",
            placeholder="DURATION",
        ),
        Flag("download-limit", "text", "The largest archive to download, any when not given", placeholder="SIZE"),
        Flag("download-tries", "integer", "How often to ask the server at most, 3 when not given", placeholder="3"),
        *common_flags(ARCHIVE_TYPE),
    ),
    run=_ensure,
)
