# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file type: a file or a directory, its content, owner, group and mode."""

from __future__ import annotations

from ...lang.paths import clean
from ...model.decision import NOTHING, Decision
from ...model.errors import InvalidResource, ResourceFailed
from ...model.property import DEFERRED, Property
from ...model.resource import Properties, ResourceType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.state import State

PRESENT = "present"
ABSENT = "absent"
DIRECTORY = "directory"


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
        if properties.ensure not in self.ensure_choices:
            raise InvalidResource(
                'invalid ensure value: must be one of "present", "absent" or "directory"',
                property="ensure",
                value=properties.ensure,
            )
        if clean(properties.name) != properties.name:
            raise InvalidResource(
                "file path must be canonical",
                property="name",
                value=properties.name,
                advice=f"write {clean(properties.name)}",
            )
        if not properties.name.startswith("/"):
            raise InvalidResource("file path must be absolute", property="name", value=properties.name)
        if properties.force:
            _check_force(properties)
        if properties.content is not None and properties.source:
            raise InvalidResource("'content' and 'source' are mutually exclusive", property="source")
        if properties.ensure != ABSENT:
            for needed in ("owner", "group", "mode"):
                if not getattr(properties, needed):
                    raise InvalidResource(f"{needed} cannot be empty", property=needed)

    def normalise(self, properties: Properties) -> None:
        """Bring the mode to four octal digits."""
        if properties.mode:
            properties.mode = normal_mode(properties.mode)

    def finish_deferred(self, properties: Properties) -> None:
        """A source is cleaned once its expressions are resolved."""
        if properties.source:
            properties.source = clean(properties.source)

    def provider(self, name: str) -> type:
        """The provider class of a name."""
        from .posix import PosixFileProvider

        return PosixFileProvider

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """The decision table of features.md 7."""
        if not mismatch(state, properties):
            return NOTHING
        if properties.ensure == DIRECTORY:
            if state.ensure == PRESENT and not state.known["symlink"]:
                raise ResourceFailed(f"mkdir {properties.name}: not a directory", property="ensure")
            return Decision(("make_directory",), "Would have created directory")
        if properties.ensure == ABSENT:
            return Decision(("remove",), _removal(state.ensure, properties.force))
        if state.ensure == DIRECTORY:
            raise ResourceFailed(
                f"{properties.name} exists as a directory; cannot manage it as a file", property="ensure"
            )
        managed = properties.content is not None or properties.source
        if not managed and state.ensure == PRESENT:
            if state.known["symlink"]:
                raise ResourceFailed(f"{properties.name} is a symlink; refusing to set attributes through it")
            return Decision(("set_attributes",), "Would have updated attributes")
        if not managed:
            return Decision(("store",), "Would have created an empty file with requested attributes")
        return Decision(("store",), "Would have created the file")

    def shortfall(self, state: State, properties: Properties) -> str:
        """Why the file is not what was asked for."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""


FILE = FileType()


def normal_mode(mode: str) -> str:
    """A mode as four octal digits: 644, 00644 and 0o644 are 0644 (decisions.md Q8). Raises InvalidResource."""
    digits = mode[2:] if mode[:2] in ("0o", "0O") else mode
    problem = ""
    if not digits or set(digits) - set("01234567"):
        problem = "is not a valid octal number"
    elif int(digits, 8) > 0o777:
        problem = "exceeds maximum value 0777"
    elif len(digits) < 3:
        problem = "is not a valid octal number: it has fewer than three digits"
    if problem:
        raise InvalidResource(
            f'mode "{mode}" {problem}', property="mode", value=mode, advice="write it like 0644, from 0000 to 0777"
        )
    return f"{int(digits, 8):04o}"


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


def _check_force(properties: Properties) -> None:
    if properties.ensure != ABSENT:
        raise InvalidResource(
            f"'force: true' is only valid with 'ensure: absent', got 'ensure: {properties.ensure}'", property="force"
        )
    if properties.name == "/":
        raise InvalidResource("'force: true' cannot be used with the filesystem root", property="force")


def _removal(ensure: str, force: bool) -> str:
    if ensure != DIRECTORY:
        return "Would have removed the file"
    return "Would have recursively removed the directory" if force else "Would have removed the directory"
