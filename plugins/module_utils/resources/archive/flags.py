# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line of archive resources (behaviour.md 19.2)."""

from __future__ import annotations

import os

from ...lang.paths import join
from ...model.errors import CCMError
from ...model.flags import Argument, Flag
from ...model.provider_options import provider_options
from ...model.type_flags import PropertyFlags, TypeFlags
from ..ownership import owners_given
from ..types import NO_STATUS
from .type import TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.flags import Values
    from ...model.values import Data

_OWN = PropertyFlags(
    TYPE,
    without=("extract_parent", "group", "owner", "url"),
    renamed={"headers": "header"},
    settings={
        "headers": {"short": "H", "placeholder": "KEY:VALUE", "help": "A header to send with the request"},
        "password": {"env": "HTTP_PASSWORD"},
        "creates": {"path": "file"},
    },
)


class ArchiveFlags(TypeFlags):
    """The archive's file and address, and how long its download may take."""

    status_note = NO_STATUS
    arguments = (
        Argument("file", "File to save the archive to", required=True, path="file"),
        Argument("url", "URL to download it from", required=True),
    )
    flags = (
        *_OWN.flags,
        Flag("extract", "text", "Directory to unpack it in, made when it is missing", path="directory"),
        Flag("owner", "text", "User and group (user:group) of the archive, those that ccm runs as when not given"),
        Flag(
            "download-timeout",
            "text",
            "How long the download may take in all, 1m when not given",
            placeholder="DURATION",
        ),
        Flag("download-limit", "text", "The largest archive to download, any when not given", placeholder="SIZE"),
        Flag("download-tries", "integer", "How often to ask the server at most, 3 when not given", placeholder="3"),
    )

    def properties(self, values: Values) -> Data:
        """Return the given properties; paths below the current directory become absolute.

        Raises CCMError for a file in the place of the directory to unpack in.
        """
        owner, group = owners_given(values.owner)
        properties = {"name": values.file, "url": values.url, "owner": owner, "group": group}
        if values.extract:
            parent = properties["extract_parent"] = _from_here(values.extract)
            if os.path.lexists(parent) and not os.path.isdir(parent):
                raise CCMError(f"'{os.path.basename(parent)}' is a file", value=values.extract)
        properties.update(_OWN.properties(values))
        if values.creates:
            properties["creates"] = _from_here(values.creates)
        return properties

    def check_result(self, values: Values, errors: Sequence[str]) -> None:
        """Require the directory to unpack in, which a resource that failed early did not make."""
        directory = _from_here(values.extract)
        if errors and directory.startswith("/") and not os.path.isdir(directory):
            raise CCMError(f"path '{values.extract}' does not exist: {'; '.join(errors)}", value=values.extract)

    def options(self, values: Values) -> dict[str, int]:
        """Limits of the download. Raises InvalidResource."""
        return provider_options(
            download_timeout=values.download_timeout,
            download_tries=None if values.download_tries == "" else values.download_tries,
            download_limit=values.download_limit,
        )


def _from_here(path: str) -> str:
    """Return a path below the current directory as an absolute one; expressions stay."""
    return path if path.startswith(("/", "{{", "${")) else join(os.getcwd(), path)


FLAGS = ArchiveFlags()
