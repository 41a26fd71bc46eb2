# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What files provide and want."""

from __future__ import annotations

from ...model.property import Property
from ...model.relations import DIRECTORY, PATH, UNIT, UNIT_DIRECTORIES, Identity, Relations
from .type import ABSENT, PRESENT, FileState
from .type import DIRECTORY as MADE_DIRECTORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State
    from ...model.values import Data
    from .type import FileProperties

# What is removed may be either.
_KINDS = {PRESENT: (PATH,), MADE_DIRECTORY: (DIRECTORY,), ABSENT: (DIRECTORY, PATH)}


class FileRelations(Relations["FileProperties"]):
    """What files provide and want."""

    sends = (
        Property("checksum", help="The SHA-256 of the content in hexadecimal."),
        Property("mtime", help="When it was changed, in RFC 3339."),
    )

    def provides(self, properties: FileProperties) -> list[Identity]:
        """Return the path, and the unit of systemd that a file below one of its directories belongs to."""
        paths = [Identity(kind, properties.name) for kind in _KINDS.get(properties.ensure, ())]
        unit = unit_of(properties.name)
        return [*paths, Identity(UNIT, unit)] if unit else paths

    def wants(self, properties: FileProperties) -> list[Identity]:
        """Return the path, for the directory above and the package that has it, and a source on the node."""
        sources = [properties.source] if properties.source.startswith("/") else []
        return [Identity(PATH, path) for path in (properties.name, *sources)]

    def watches(self, properties: FileProperties) -> list[str]:
        """Return the path, and a source on the node."""
        return [path for path in (properties.name, properties.source) if path]

    def content(self, properties: FileProperties, state: State) -> str:
        """Return the checksum of what the file is to hold, which may come from a source."""
        return state.wanted_checksum if isinstance(state, FileState) else ""

    def determines(self, properties: FileProperties) -> bool:
        """Return whether the content is given."""
        return properties.content is not None

    def remains(self, properties: FileProperties) -> str | None:
        """Return the path, unless it is removed."""
        return None if properties.ensure == ABSENT else properties.name

    def sent(self, properties: FileProperties, state: State) -> Data:
        """Return the checksum of a file, and when it was changed."""
        return {key: state.metadata[key] for key in ("checksum", "mtime") if key in state.metadata}


_UNIT_DIRECTORIES = ("/etc/systemd/system/", *UNIT_DIRECTORIES)


def unit_of(path: str) -> str:
    """Return the unit that a file declares or adds to, "" for other files."""
    directory = next((place for place in _UNIT_DIRECTORIES if path.startswith(place)), "")
    first = path[len(directory) :].partition("/")[0] if directory else ""
    return first[: -len(".d")] if first.endswith(".d") else first


RELATIONS = FileRelations()
