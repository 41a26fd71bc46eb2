# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of archives beside managing them: documentation, flags and relations."""

from __future__ import annotations

import os

from ...lang.paths import join
from ...model.errors import CCMError
from ...model.facets import PATH, TREE, Identity, Relations, TypeDescription, accounts
from ...model.flags import Argument, Flag
from ...model.property import Property
from ...model.type_flags import TypeFlags
from ..archive_addresses import OF_ORIGINAL, archive_kind
from ..download_flags import DOWNLOAD_OPTIONS, HEADERS_FLAG, PASSWORD_FLAG, download_flags, unmet_checksum
from ..types import NO_STATUS
from .type import ABSENT, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data
    from .type import ArchiveProperties


def _portability_of_url(value: object) -> str:
    """Return why the original refuses an address (decisions.md Q89); "" for others and with an expression."""
    written = value if isinstance(value, str) and "{" not in value else ""
    kind = archive_kind(written.partition("#")[0].partition("?")[0])
    return f"the original takes no archives of the kind {kind}" if kind and kind not in OF_ORIGINAL else ""


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of archives."""
    return TypeDescription(
        (
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
                    Property(
                        "mtime",
                        required=True,
                        help="When it was changed, in RFC 3339; the year 1 when it is not there.",
                    ),
                    Property("size", "integer", help="How long it is, in bytes."),
                    Property("provider", required=True, help="The provider that read the state."),
                ),
            ),
        ),
        required_by_original=("ensure",),
        portability={"url": _portability_of_url},
        paths=("creates",),
        addresses={"url": (("http", "https"), "archives come from http:// and https:// addresses")},
        unmet={"checksum": unmet_checksum},
    )


class ArchiveFlags(TypeFlags):
    """The archive's file and address, and how long its download may take."""

    status_note = NO_STATUS
    options = DOWNLOAD_OPTIONS

    def __init__(self) -> None:
        super().__init__(
            TYPE,
            without=("extract_parent", "group", "owner", "url"),
            renamed={"headers": "header"},
            settings={
                "headers": HEADERS_FLAG,
                "password": PASSWORD_FLAG,
                "creates": {"path": "file"},
            },
        )
        self.arguments = (
            Argument("file", "File to save the archive to", required=True, path="file"),
            Argument("url", "URL to download it from", required=True),
        )
        self.flags = (
            *self.own_flags,
            Flag("extract", "text", "Directory to unpack it in, made when it is missing", path="directory"),
            Flag("owner", "text", "User and group (user:group) of the archive, those that ccm runs as when not given"),
            *download_flags(),
        )

    def properties(self, values: Values) -> Data:
        """Return the given properties; paths below the current directory become absolute.

        Raises CCMError for a file in the place of the directory to unpack in.
        """
        owner, group = self.owners(values.owner)
        properties = {"name": values.file, "url": values.url, "owner": owner, "group": group}
        if values.extract:
            parent = properties["extract_parent"] = _from_here(values.extract)
            if os.path.lexists(parent) and not os.path.isdir(parent):
                raise CCMError(f"'{os.path.basename(parent)}' is a file", value=values.extract)
        properties.update(self.own_properties(values))
        if values.creates:
            properties["creates"] = _from_here(values.creates)
        return properties

    def check_result(self, values: Values, errors: Sequence[str]) -> None:
        """Require the directory to unpack in, which a resource that failed early did not make."""
        directory = _from_here(values.extract)
        if errors and directory.startswith("/") and not os.path.isdir(directory):
            raise CCMError(f"path '{values.extract}' does not exist: {'; '.join(errors)}", value=values.extract)


def _from_here(path: str) -> str:
    """Return a path below the current directory as an absolute one; expressions stay."""
    return path if path.startswith(("/", "{{", "${")) else join(os.getcwd(), path)


def flags() -> TypeFlags:
    """Return the command line of archives (behaviour.md 19.2)."""
    return ArchiveFlags()


class ArchiveRelations(Relations["ArchiveProperties"]):
    """What archives provide and want."""

    sends = (Property("checksum", help="The SHA-256 of the archive in hexadecimal."),)

    def provides(self, properties: ArchiveProperties) -> list[Identity]:
        """Return the archive itself, and the directory that it is unpacked into."""
        unpacked = [Identity(TREE, properties.extract_parent)] if properties.extract_parent else []
        return [Identity(PATH, properties.name), *unpacked]

    def wants(self, properties: ArchiveProperties) -> list[Identity]:
        """Return both places, for the directories above them, and the owners."""
        places = [Identity(PATH, path) for path in (properties.name, properties.extract_parent) if path]
        return [*places, *accounts(properties.owner, properties.group)]

    def watches(self, properties: ArchiveProperties) -> list[str]:
        """Return the path of the archive, and the path that it creates."""
        return [path for path in (properties.name, properties.creates) if path]

    def remains(self, properties: ArchiveProperties) -> str | None:
        """Return the path of the unpacked content, else of the archive; None for an absent one."""
        if properties.ensure == ABSENT:
            return None
        return properties.creates or (properties.extract_parent if properties.cleanup else properties.name)

    def sent(self, properties: ArchiveProperties, state: State) -> Data:
        """Return the checksum of the archive, when that is there."""
        return {key: state.metadata[key] for key in ("checksum",) if key in state.metadata}


RELATIONS = ArchiveRelations()
