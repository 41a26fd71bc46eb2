# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file type: a file or a directory, its content, owner, group and mode."""

from __future__ import annotations

import os

from ...model.decision import NOTHING, Decision
from ...model.property import DEFERRED, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.provider import Provider

PRESENT = "present"
ABSENT = "absent"
DIRECTORY = "directory"
_OCTAL_DIGITS = set("01234567")


class FileProperties(Properties):
    """The properties of a file resource."""

    content: str | None
    source: str
    owner: str
    group: str
    mode: str
    force: bool


class FileState(State):
    """What is at a path: who owns it, the checksum and the owners that are wanted; None where one is not known."""

    type = "file"
    wanted_checksum: str = ""
    symlink: bool = False
    uid: int | None = None
    gid: int | None = None
    wanted_uid: int | None = None
    wanted_gid: int | None = None


class FileType(ResourceType[FileProperties, FileState]):
    """Files and directories (behaviour.md 7)."""

    name = "file"
    ensure_choices = (PRESENT, ABSENT, DIRECTORY)
    provider_names = ("posix",)
    default_provider = "posix"
    verbs = ("make_directory", "remove", "set_attributes", "store")
    settled_after_change = True
    properties_class = FileProperties
    own_properties = (
        Property(
            "content",
            recorded_name="Contents",
            nullable=True,
            when=DEFERRED,
            unlogged=True,
            help="What the file holds. Without content and source an existing file keeps what it holds.",
        ),
        Property("source", when=DEFERRED, help="A file to copy the content from; relative to the manifest."),
        Property("owner", help="The user that owns it, by name or number."),
        Property("group", help="The group that owns it, by name or number."),
        Property(
            "mode",
            "mode",
            pattern="^[0-7]{3,4}$",
            help="The permissions in octal, 0644. A directory can also be entered by whoever may read or write it.",
        ),
        Property("force", "boolean", help="Whether ensure: absent removes a directory that is not empty."),
    )

    def validate_own(self, properties: FileProperties) -> None:
        """Check path, content and ownership in the recorded order."""
        name, ensure = properties.name, properties.ensure
        owned = properties.owner and properties.group and properties.mode
        is_path = name[:1] == "/" != name[1:2] and os.path.normpath(name) == name
        is_plain = not properties.force and (properties.content is None or not properties.source)
        if not (ensure in self.ensure_choices and is_path and is_plain and (owned or ensure == ABSENT)):
            from .checks import check_file

            check_file(properties, self.ensure_choices)

    def normalise(self, properties: FileProperties) -> None:
        """Bring the mode to four octal digits."""
        mode = properties.mode
        if mode and not (len(mode) == 4 and mode[0] == "0" and set(mode) <= _OCTAL_DIGITS):
            from .checks import normal_mode

            properties.mode = normal_mode(mode)

    def deferred_forms(self, properties: FileProperties) -> dict[str, Any]:
        """A source is cleaned once its expressions are resolved."""
        if not properties.source:
            return {}
        from ...lang.paths import clean

        return {"source": clean(properties.source)}

    def provider(self, name: str) -> type[Provider[FileProperties, FileState]]:
        """The provider class of a name."""
        from .posix import PosixFileProvider

        found: type[Provider[FileProperties, FileState]] = PosixFileProvider
        return found

    def decide(self, state: FileState, properties: FileProperties, refresh: bool) -> Decision:
        """The decision table of behaviour.md 7."""
        if not mismatch(state, properties):
            return NOTHING
        from .decision import remedy

        return remedy(state, properties)

    def shortfall(self, state: FileState, properties: FileProperties) -> str:
        """Why the file is not what was asked for."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""


TYPE = FileType()


def directory_mode(mode: str) -> str:
    """The mode of a directory: whoever may read or write may enter as well (behaviour.md 7)."""
    bits = int(mode, 8)
    return f"{bits | (bits >> 1 | bits >> 2) & 0o111:04o}"


def mismatch(state: FileState, properties: FileProperties) -> str:
    """The first difference between what is there and what is wanted, in the recorded words; empty when none."""
    if properties.ensure == ABSENT:
        return "" if state.ensure == ABSENT else f"file still exists (ensure={state.ensure})"
    if properties.ensure != state.ensure:
        return f"ensure mismatch: state={state.ensure} requested={properties.ensure}"
    there = state.metadata
    if properties.ensure == PRESENT and state.wanted_checksum not in ("", there.get("checksum", "")):
        return f"content checksum mismatch: state={there.get('checksum', '')} requested={state.wanted_checksum}"
    if there["owner"] != properties.owner and state.uid != state.wanted_uid:
        return f"owner mismatch: state={there['owner']} requested={properties.owner}"
    if there["group"] != properties.group and state.gid != state.wanted_gid:
        return f"group mismatch: state={there['group']} requested={properties.group}"
    mode = directory_mode(properties.mode) if properties.ensure == DIRECTORY else properties.mode
    return "" if there["mode"] == mode else f"mode mismatch: state={there['mode']} requested={mode}"
