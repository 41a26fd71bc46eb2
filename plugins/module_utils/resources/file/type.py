# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file type: a file or a directory, its content, owner, group and mode."""

from __future__ import annotations

import os

from ...model.property import DEFERRED, Property
from ...model.resource import NOTHING, Decision, Properties, ResourceType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State

PRESENT = "present"
ABSENT = "absent"
DIRECTORY = "directory"
_OCTAL_DIGITS = set("01234567")


class FileType(ResourceType):
    """Files and directories (features.md 7)."""

    name = "file"
    ensure_choices = (PRESENT, ABSENT, DIRECTORY)
    provider_names = ("posix",)
    default_provider = "posix"
    settled_after_change = True
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

    def validate_own(self, properties: Properties) -> None:
        """Check path, content and ownership in the recorded order."""
        name, ensure = properties.name, properties.ensure
        owned = properties.owner and properties.group and properties.mode
        is_path = name[:1] == "/" != name[1:2] and os.path.normpath(name) == name
        is_plain = not properties.force and (properties.content is None or not properties.source)
        if not (ensure in self.ensure_choices and is_path and is_plain and (owned or ensure == ABSENT)):
            from .checks import check_file

            check_file(properties, self.ensure_choices)

    def normalise(self, properties: Properties) -> None:
        """Bring the mode to four octal digits."""
        mode = properties.mode
        if mode and not (len(mode) == 4 and mode[0] == "0" and set(mode) <= _OCTAL_DIGITS):
            from .checks import normal_mode

            properties.mode = normal_mode(mode)

    def finish_deferred(self, properties: Properties) -> None:
        """A source is cleaned once its expressions are resolved."""
        if properties.source:
            from ...lang.paths import clean

            properties.source = clean(properties.source)

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        from .posix import PosixFileProvider

        return PosixFileProvider

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """The decision table of features.md 7."""
        if not mismatch(state, properties):
            return NOTHING
        from .decision import remedy

        return remedy(state, properties)

    def shortfall(self, state: State, properties: Properties) -> str:
        """Why the file is not what was asked for."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""


FILE = FileType()


def directory_mode(mode: str) -> str:
    """The mode of a directory: whoever may read or write may enter as well (features.md 7)."""
    bits = int(mode, 8)
    return f"{bits | (bits >> 1 | bits >> 2) & 0o111:04o}"


def mismatch(state: State, properties: Properties) -> str:
    """The first difference between what is there and what is wanted, in the recorded words; empty when none."""
    if properties.ensure == ABSENT:
        return "" if state.ensure == ABSENT else f"file still exists (ensure={state.ensure})"
    if properties.ensure != state.ensure:
        return f"ensure mismatch: state={state.ensure} requested={properties.ensure}"
    there, known = state.metadata, state.known
    if properties.ensure == PRESENT and known["wanted_checksum"] not in ("", there.get("checksum", "")):
        return f"content checksum mismatch: state={there.get('checksum', '')} requested={known['wanted_checksum']}"
    for who, wanted_id, actual_id in (("owner", "wanted_uid", "uid"), ("group", "wanted_gid", "gid")):
        wanted = getattr(properties, who)
        if there[who] != wanted and known[wanted_id] != known[actual_id]:
            return f"{who} mismatch: state={there[who]} requested={wanted}"
    mode = directory_mode(properties.mode) if properties.ensure == DIRECTORY else properties.mode
    return "" if there["mode"] == mode else f"mode mismatch: state={there['mode']} requested={mode}"
