# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The file type: a file, a directory or a symbolic link, its content, owner, group and mode."""

from __future__ import annotations

from ...lang.paths import clean
from ...model.decision import NOTHING, Decision, Step, Update
from ...model.errors import InvalidResource, ResourceFailed
from ...model.property import DEFERRED, NEVER, Property
from ...model.resource import Properties, ResourceType
from ...model.state import State
from .modes import directory_mode, keeps_special_bits, normal_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Iterator, TypedDict

    from ...host.files import Written
    from ...model.values import Data

    # Ansible sends what import statements name to nodes; `provider` imports these by their names.
    from . import posix  # noqa: F401
    from .tree_difference import TreeDifference

    class FileMetadata(TypedDict, total=False):
        """The fields of a file's state in events."""

        name: str
        checksum: str
        owner: str
        group: str
        mode: str
        provider: str
        mtime: str
        size: int
        target: str
        changed: list[str]
        purged: list[str]
        unchanged: int


PRESENT = "present"
ABSENT = "absent"
DIRECTORY = "directory"
LINK = "link"
#: The modes of new files and directories, where none is declared (decisions.md Q120).
DEFAULT_MODES = {PRESENT: "0644", DIRECTORY: "0755", LINK: "0777"}
#: What to do with a source that is a directory.
COPIED_DIRECTORY = "with ensure: directory and recurse: true it is copied"
# What may differ of a file, in the order in which a preview names it.
_PARTS = ("owner", "group", "mode", "content", "target")
# A run keeps the decision of each resource until its end: the most frequent ones are made once.
_STORE = Step("store", "Would have created the file", "Created the file")
_CREATE = Decision(_STORE)
_UPDATE_CONTENT = Update(_STORE, ("content",))


class FileOptions(Properties):
    """What only tasks and `meta` give for a file.

    `validation` is a command that checks new content before it is put in place, `%s` in it is the path of the new file.
    With `backup` the replaced file is kept under another name.
    """

    validation: str = ""
    backup: bool = False


class FileProperties(FileOptions):
    """The properties of a file resource."""

    content: str | None
    source: str
    owner: str | None
    group: str | None
    mode: str | None
    force: bool
    target: str
    recurse: bool
    purge: bool
    ignore: list[str]


class FileState(State):
    """The file at a path, and the desired checksum and ids of the owners. An unknown id is None.

    `symlink` is whether the path itself is a link, also when the state is absent because it leads to nothing; `link` is
    its target, when it is not as wanted, and `unreachable` whether its target cannot be looked at. `irregular` is "a
    device", "a directory", "a named pipe" or "a socket", else "". `backup_file` is the path of the copy that was kept
    of the replaced file. `bare` is the state of a file that was read and has no extended attributes, `source_content`
    the content of a small source that differs from it. `written` is the file that a verb wrote. `entry` is what was
    seen at the path, for watching (`host/reading.py`), None where that is not known. `tree` is how a directory differs
    from a source with `recurse`, and `before` how it did before a change.
    """

    type = "file"
    results = ("backup_file",)
    metadata: FileMetadata
    wanted_checksum: str = ""
    symlink: bool = False
    link: str = ""
    unreachable: bool = False
    irregular: str = ""
    uid: int | None = None
    gid: int | None = None
    wanted_uid: int | None = None
    wanted_gid: int | None = None
    backup_file: str = ""
    bare: os.stat_result | None = None
    source_content: bytes | None = None
    written: Written | None = None
    entry: int | None = None
    tree: TreeDifference | None = None
    before: FileMetadata | None = None


class FileType(ResourceType[FileProperties, FileState]):
    """Files and directories (behaviour.md 7)."""

    name = "file"
    name_aliases = ("path", "dest")
    default_ensure = PRESENT
    takes_empty_ensure = False
    ensure_choices = (PRESENT, ABSENT, DIRECTORY, LINK)
    provider_names = ("posix",)
    default_provider = "posix"
    verbs = ("copy_tree", "make_directory", "make_link", "remove", "set_attributes", "store")
    stable_after_change = True
    properties_class = FileProperties
    reversible = True
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
        Property(
            "owner",
            nullable=True,
            help="The user that owns it, by name or number. Without it an existing one keeps its owner, and a new one "
            "belongs to the user who runs ccm.",
        ),
        Property("group", nullable=True, help="The group that owns it, by name or number. Without it as with owner."),
        Property(
            "mode",
            "mode",
            nullable=True,
            pattern="^[0-7]{3,4}$",
            help="The permissions in octal, 0644, at most 7777. A directory gets execute where it has read or write "
            "permission, and keeps its set-id and sticky bits unless the first of four digits is another one than 0. "
            "Without it an existing one keeps its permissions; a new file has 0644, a new directory 0755.",
        ),
        Property(
            "force",
            "boolean",
            help="Whether ensure: absent removes a directory that is not empty, and ensure: link replaces a directory.",
        ),
        Property(
            "target",
            help="What a link leads to, with ensure: link. It need not exist; a relative one is relative to the link.",
            extension="the original does not know target, for it has no links",
        ),
        Property(
            "recurse",
            "boolean",
            help="Whether ensure: directory copies source, a directory, with all that is in it.",
            extension="the original ignores recurse, and copies no directory",
        ),
        Property(
            "purge",
            "boolean",
            help="Whether recurse also removes what source does not have.",
            extension="the original ignores purge, and copies no directory",
        ),
        Property(
            "ignore",
            "strings",
            help="Patterns of names, or of paths from the top, that recurse neither copies nor purges.",
            extension="the original ignores ignore, and copies no directory",
        ),
    )

    own_meta = (
        Property(
            "validate",
            when=NEVER,
            may_hold_secrets=True,
            help="A command that checks new content before it is put in place; %s in it is the path of the new file.",
        ),
    )

    def validate(self, properties: FileProperties) -> None:
        """Check state, path, content and ownership in the order of the original."""
        super().validate(properties)
        name, ensure = properties.name, properties.ensure
        if ensure not in self.ensure_choices:
            problem = 'invalid ensure value: must be one of "present", "absent" or "directory"'
            advice = "or link, for a symbolic link"
            raise InvalidResource(problem, property="ensure", value=ensure, advice=advice)
        if clean(name) != name:
            raise InvalidResource(
                "file path must be canonical", property="name", value=name, advice=f"write {clean(name)}"
            )
        if not name.startswith("/"):
            raise InvalidResource("file path must be absolute", property="name", value=name)
        if properties.force:
            _check_force(properties)
        if ensure == LINK or properties.target:
            from .link_steps import check_link

            check_link(properties)
        if properties.recurse or properties.purge or properties.ignore:
            from .tree_difference import check_tree

            check_tree(properties)
        if properties.content is not None and properties.source:
            raise InvalidResource("'content' and 'source' are mutually exclusive", property="source")
        if properties.meta and properties.meta["validate"]:
            from ...model.validation_command import check_command

            properties.validation = check_command(properties.meta["validate"], properties.ensure, "meta.validate")
        if ensure != ABSENT:
            for needed in ("owner", "group", "mode"):
                if getattr(properties, needed) == "":
                    raise InvalidResource(f"{needed} cannot be empty", property=needed)

    def normalise(self, properties: FileProperties) -> None:
        """Convert the mode to four octal digits."""
        if properties.mode:
            properties.mode = normal_mode(properties.mode)

    def deferred_values(self, properties: FileProperties) -> Data:
        """Clean a source after its expressions are resolved."""
        return {"source": clean(properties.source)} if properties.source else {}

    def determines(self, properties: FileProperties) -> bool:
        """Return whether the content and all attributes are given."""
        return None not in (properties.content, properties.owner, properties.group, properties.mode)

    def waits_for_nothing(self, properties: FileProperties) -> bool:
        """Return whether only content is read that is about as long as the given content, which is no expression."""
        if properties.control or properties.health_checks or properties.register_when_stable or properties.meta:
            return False
        if properties.ensure != PRESENT:
            return not (properties.force or properties.recurse)
        content = properties.content
        return content is not None and "{{" not in content and "${" not in content

    def decide(self, state: FileState, properties: FileProperties, refresh: bool) -> Decision:
        """Return the decision, by the table in behaviour.md 7.

        Raises ResourceFailed for a file in a directory's place, a directory, a device, a named pipe or a socket in a
        file's (decisions.md Q87), or a link whose target would get the attributes (decisions.md Q88).
        """
        if not mismatch(state, properties):
            return NOTHING
        if properties.ensure == LINK:
            from .link_steps import linking

            return linking(state, properties, _differing(state, properties) if state.ensure == LINK else ())
        if state.tree is not None:
            from .tree_difference import copying

            return copying(state, properties, state.tree)
        if properties.ensure != PRESENT:
            from .directory_steps import making, removal

            if properties.ensure == ABSENT:
                return Decision(removal(state, properties))
            return _decision(making(state, properties), state, properties)
        if state.ensure == DIRECTORY:
            raise ResourceFailed(
                f"{properties.name} exists as a directory; cannot manage it as a file", property="ensure"
            )
        managed = properties.content is not None or properties.source
        if not managed and state.ensure == PRESENT:
            if state.symlink:
                raise ResourceFailed(
                    f"{properties.name} is a symlink; refusing to set attributes through it",
                    property="ensure",
                    advice="manage its target instead",
                )
            step = Step("set_attributes", "Would have updated attributes", "Updated attributes")
            return _decision(step, state, properties)
        if not managed:
            would = "Would have created an empty file with requested attributes"
            return Decision(Step("store", would, "Created an empty file with requested attributes"))
        if state.irregular:
            raise ResourceFailed(
                f"{properties.name} exists as {state.irregular}; cannot manage its content", property="ensure"
            )
        return _decision(_STORE, state, properties)

    def shortfall(self, state: FileState, properties: FileProperties) -> str:
        """Return why the file is not in the wanted state."""
        reason = mismatch(state, properties)
        return f"{properties.ensure}: {reason}" if reason else ""


def wanted_mode(state: FileState, properties: FileProperties) -> str:
    """Return the wanted mode; a directory keeps set-id and sticky bits with a first digit 0 (decisions.md Q8).

    Where none is declared, what exists keeps its mode (decisions.md Q120).
    """
    if properties.mode is None:
        is_there = state.ensure == properties.ensure
        return state.metadata["mode"] if is_there else DEFAULT_MODES[properties.ensure]
    if properties.ensure != DIRECTORY:
        return properties.mode
    mode = directory_mode(properties.mode)
    keeps = state.ensure == DIRECTORY and keeps_special_bits(properties.mode)
    return state.metadata["mode"][0] + mode[1:] if keeps else mode


def mismatch(state: FileState, properties: FileProperties) -> str:
    """Return the first difference between the state and the desired state, as the original words it; empty for none."""
    reason, tree = root_mismatch(state, properties), state.tree
    if reason or tree is None or not tree.count:
        return reason
    return f"content mismatch: {len(tree.changes)} entries to write, {len(tree.purged)} to remove"


def root_mismatch(state: FileState, properties: FileProperties) -> str:
    """Return the same for the path alone, without the entries of a directory."""
    if properties.ensure == ABSENT:
        if state.ensure == ABSENT:
            return "file still exists (a symlink to nothing)" if state.symlink else ""
        return f"file still exists (ensure={state.ensure})"
    if properties.ensure != state.ensure:
        return f"ensure mismatch: state={state.ensure} requested={properties.ensure}"
    for part, there, wanted in _differences(state, properties):
        return f"{'content checksum' if part == 'content' else part} mismatch: state={there} requested={wanted}"
    return ""


def _differences(state: FileState, properties: FileProperties) -> Iterator[tuple[str, str, str]]:
    """Yield what differs of a file or directory that exists: its part, as it is, and as it is wanted."""
    there = state.metadata
    if properties.ensure == PRESENT and state.wanted_checksum not in ("", there.get("checksum", "")):
        yield "content", there.get("checksum", ""), state.wanted_checksum
    if properties.owner is not None and there["owner"] != properties.owner and state.uid != state.wanted_uid:
        yield "owner", there["owner"], properties.owner
    if properties.group is not None and there["group"] != properties.group and state.gid != state.wanted_gid:
        yield "group", there["group"], properties.group
    mode = wanted_mode(state, properties) if properties.ensure == DIRECTORY else properties.mode
    if mode is not None and there["mode"] != mode:
        yield "mode", there["mode"], mode
    if properties.ensure == LINK and there["target"] != properties.target:
        yield "target", there["target"], properties.target


def _decision(step: Step, state: FileState, properties: FileProperties) -> Decision:
    """Return the decision for a step: an update, the attributes first, unless something is made or replaced."""
    if state.symlink or properties.ensure != state.ensure:
        return _CREATE if step is _STORE else Decision(step)
    parts = _differing(state, properties)
    return _UPDATE_CONTENT if step is _STORE and parts == ["content"] else Update(step, tuple(parts))


def _differing(state: FileState, properties: FileProperties) -> list[str]:
    return sorted((part for part, _there, _wanted in _differences(state, properties)), key=_PARTS.index)


def _check_force(properties: FileProperties) -> None:
    """Allow `force` only to remove a path other than the root, or to replace it. Raises InvalidResource."""
    if properties.ensure not in (ABSENT, LINK):
        raise InvalidResource(
            f"'force: true' is only valid with 'ensure: absent', got 'ensure: {properties.ensure}'", property="force"
        )
    if properties.name == "/":
        raise InvalidResource("'force: true' cannot be used with the filesystem root", property="force")


def content_bytes(content: str) -> bytes:
    """Return the bytes to write: UTF-8; invalid bytes stay as they were read. Raises ResourceFailed."""
    try:
        return content.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ResourceFailed(f"content cannot be written as UTF-8: {error.reason}", property="content") from None


TYPE = FileType()
