# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the rest of ccm asks of files beside managing them: documentation, flags, relations and reversal."""

from __future__ import annotations

import os

from ...model.errors import CCMError
from ...model.facets import DIRECTORY as DIRECTORY_KIND
from ...model.facets import (
    PATH,
    TREE,
    UNIT,
    UNIT_DIRECTORIES,
    Identity,
    Relations,
    Reversal,
    TaskValue,
    TypeDescription,
    accounts,
)
from ...model.flags import Argument, Flag, require_path
from ...model.property import Property
from ...model.type_flags import TypeFlags, ensure_argument
from .type import ABSENT, COPIED_DIRECTORY, DEFAULT_MODES, DIRECTORY, LINK, PRESENT, TYPE, FileProperties, FileState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ...model.flags import Values
    from ...model.state import State
    from ...model.values import Data, Value


_NO_TREES = "the original copies no directories"


def _portability_of_ensure(value: object) -> str:
    return "the original has no links, and refuses ensure: link" if value == LINK else ""


def description() -> TypeDescription:
    """Return what schemas, documentation and lint show of files."""
    return TypeDescription(
        (
            Property(
                "metadata",
                "object",
                required=True,
                fields=(
                    Property("name", required=True, help="The name of the resource."),
                    Property("checksum", help="The SHA-256 of the content in hexadecimal."),
                    Property("owner", required=True, help="The user that owns it, empty when it is not there."),
                    Property("group", required=True, help="The group that owns it, empty when it is not there."),
                    Property("mode", required=True, help="The permissions in octal, empty when it is not there."),
                    Property("provider", required=True, help="The provider that read the state."),
                    Property(
                        "mtime",
                        required=True,
                        help="When it was changed, in RFC 3339; the year 1 when it is not there.",
                    ),
                    Property("size", "integer", help="How long the content is, in bytes."),
                    Property(
                        "target",
                        help="What a link leads to, with ensure: link.",
                        extension="the original has no links",
                    ),
                    Property(
                        "changed",
                        "strings",
                        help="With recurse, paths of entries that are to be written.",
                        extension=_NO_TREES,
                    ),
                    Property(
                        "purged",
                        "strings",
                        help="With recurse, paths of entries that are to be removed.",
                        extension=_NO_TREES,
                    ),
                    Property(
                        "unchanged",
                        "integer",
                        help="With recurse, how many entries are as they should be.",
                        extension=_NO_TREES,
                    ),
                ),
            ),
        ),
        task_values=(
            TaskValue(
                "backup_file",
                help="The path of the copy of the file that was replaced.",
                returned="when a copy is wanted and content was replaced",
                sample="/etc/sudoers.d/app.4711.2026-01-31@12:00:00~",
            ),
        ),
        required_by_original=("ensure",),
        required_unless_absent=("owner", "group", "mode"),
        portability={"ensure": _portability_of_ensure},
        # A source is no URL: no scheme is allowed, and this is the advice.
        addresses={
            "source": ((), "a source is a file next to the manifest: an archive or an exec can download it before")
        },
        local_files=("source",),
        read_files=_read_files,
        paths=("target",),
        unused=_unused,
    )


def _unused(values: Mapping[str, Value]) -> tuple[str, str]:
    """Q122: a directory without `recurse` has no source."""
    if values.get("ensure") == DIRECTORY and values.get("source") and not values.get("recurse"):
        return "source", "source means nothing for ensure: directory without recurse: true, which copies it"
    return "", ""


def _read_files(values: Mapping[str, Value]) -> Mapping[str, str]:
    """Q122: a source is a file, unless a directory is copied."""
    return {"source": COPIED_DIRECTORY} if values.get("ensure", PRESENT) == PRESENT else {}


class FileFlags(TypeFlags):
    """A file, a directory or a link, and the source of its content."""

    def __init__(self) -> None:
        super().__init__(
            TYPE,
            without=("content", "group", "owner", "source"),
            settings={"mode": {"default": DEFAULT_MODES[PRESENT]}},
        )
        self.arguments = (
            Argument("name", "File name to manage", required=True, path="file"),
            ensure_argument(TYPE),
        )
        self.flags = (
            Flag("owner", "text", "User and group (user:group), those that ccm runs as when not given"),
            Flag("group", "text", "Group, in place of the one of --owner"),
            *self.own_flags,
            Flag("content", "text", "Contents of the file, will be template parsed", placeholder="STRING"),
            Flag("content-file", "file", "File containing the contents of the file, will be template parsed"),
            Flag("source", "text", "File to copy in place verbatim, or with --recurse a directory", path="file"),
        )

    def properties(self, values: Values) -> Data:
        """Return the given properties, and the default mode of a file or a directory.

        Raises CCMError for a target without the word link, for more than one content, and for a source that is no file,
        or with `--recurse` no directory.
        """
        if values.source:
            advice = "leave --recurse out" if values.recurse else COPIED_DIRECTORY
            require_path(values.source, is_directory=bool(values.recurse), advice=advice)
        if values.target and values.ensure in (PRESENT, DIRECTORY):
            raise _target_without_link(values)
        owner, group = self.owners(values.owner)
        properties: Data = {
            "name": values.name,
            "ensure": values.ensure,
            "owner": owner,
            "group": values.group or group,
        }
        properties.update(self.own_properties(values), **_content(values))
        if values.ensure == DIRECTORY and values.mode == DEFAULT_MODES[PRESENT]:
            properties["mode"] = DEFAULT_MODES[DIRECTORY]
        if values.ensure == LINK and "mode" not in values.given:
            del properties["mode"]
        return properties

    def status_name(self, name: str) -> str:
        """Return a path below the current directory as an absolute one."""
        return os.path.abspath(name)

    def status_values(self, name: str) -> Data:
        """Return that a path is a link, and its target; the state is of what the link leads to, as in the original."""
        try:
            return {"ensure": LINK, "target": os.readlink(name)}
        except OSError:
            return {}


def _target_without_link(values: Values) -> CCMError:
    """Return the error for a target without the word link, with the whole command as advice."""
    from shlex import quote

    from .link_steps import target_without_link

    advice = f"ccm ensure file {quote(values.name)} link --target {quote(values.target)}"
    error = target_without_link(values.ensure, values.target, advice)
    return error.prefixed(f"file#{values.name}: invalid resource: ")


def _content(values: Values) -> Data:
    has_content = "content" in values.given
    if values.content_file and has_content:
        raise CCMError("cannot specify both contents and contents-file")
    if values.source and (has_content or values.content_file):
        raise CCMError("cannot specify both source and contents or contents-file")
    if values.content_file:
        from ...data.reading import read_text

        return {"content": read_text(values.content_file, piped=True)}
    if has_content:
        return {"content": values.content}
    return {"source": values.source} if values.source else {}


def flags() -> TypeFlags:
    """Return the command line of files (behaviour.md 19.2)."""
    return FileFlags()


# A removed path may be either, and a link may lead to either.
_EITHER = (DIRECTORY_KIND, PATH)
_KINDS = {PRESENT: (PATH,), DIRECTORY: (DIRECTORY_KIND,), ABSENT: _EITHER, LINK: _EITHER}


class FileRelations(Relations["FileProperties"]):
    """What files provide and want."""

    sends = (
        Property("checksum", help="The SHA-256 of the content in hexadecimal."),
        Property("mtime", help="When it was changed, in RFC 3339."),
        Property("target", help="What a link leads to."),
        Property("changed", "strings", help="With recurse, the entries that were written."),
        Property("purged", "strings", help="With recurse, the entries that were removed."),
    )

    def provides(self, properties: FileProperties) -> list[Identity]:
        """Return the path, and the unit of systemd that a file below one of its directories belongs to."""
        name = properties.name
        provided = []
        for kind in _KINDS.get(properties.ensure, ()):
            provided.append(Identity(kind, name))
        if properties.recurse and properties.ensure == DIRECTORY:
            provided.append(Identity(TREE, name))
        unit = unit_of(name)
        if unit:
            provided.append(Identity(UNIT, unit))
        return provided

    def wants(self, properties: FileProperties) -> list[Identity]:
        """Return the path, for the directory above and the package that has it, its owners and a source on the node."""
        wanted = [Identity(PATH, properties.name), *accounts(properties.owner, properties.group)]
        return [*wanted, Identity(PATH, properties.source)] if properties.source.startswith("/") else wanted

    def watches(self, properties: FileProperties) -> list[str]:
        """Return the path, and a source on the node."""
        if properties.recurse:
            return []
        return [path for path in (properties.name, properties.source) if path]

    def watched_trees(self, properties: FileProperties) -> list[str]:
        """Return a directory that is a copy, and its source."""
        return [properties.name, properties.source] if properties.recurse else []

    def content(self, properties: FileProperties, state: State) -> str:
        """Return the checksum of what the file is to hold, which may come from a source."""
        if not isinstance(state, FileState):
            return ""
        return state.tree.digest if state.tree else state.wanted_checksum

    def remains(self, properties: FileProperties) -> str | None:
        """Return the path, unless it is removed."""
        return None if properties.ensure == ABSENT else properties.name

    def sent(self, properties: FileProperties, state: State) -> Data:
        """Return the checksum of a file, the target of a link, and when it was changed."""
        sent: Data = {key: state.metadata[key] for key in ("checksum", "mtime", "target") if key in state.metadata}
        if properties.recurse and isinstance(state, FileState):
            before = state.before or {}
            sent.update(changed=before.get("changed", []), purged=before.get("purged", []))
        return sent


_UNIT_DIRECTORIES = ("/etc/systemd/system/", *UNIT_DIRECTORIES)


def unit_of(path: str) -> str:
    """Return the unit that a file declares or adds to, "" for other files."""
    if not path.startswith(_UNIT_DIRECTORIES):
        return ""
    directory = next(place for place in _UNIT_DIRECTORIES if path.startswith(place))
    first = path[len(directory) :].partition("/")[0]
    return first[: -len(".d")] if first.endswith(".d") else first


RELATIONS = FileRelations()


class FileReversal(Reversal[FileProperties, FileState]):
    """What was at the path comes back, with all below it."""

    def paths(self, properties: FileProperties, state: FileState) -> Sequence[str]:
        """Return the path, with the directories that are made for it, or all that is removed below it."""
        from ...host.restorable_paths import all_below, missing_above

        path = properties.name
        if properties.force:
            return list(all_below(path))
        if properties.ensure != DIRECTORY:
            return [path]
        tree = state.tree
        if tree is None:
            return [*missing_above(path), path]
        # All that is removed below an entry comes back with it.
        gone = [*tree.purged, *(each.path for each in tree.changes if each.is_in_the_way)]
        removed = [below for each in gone for below in all_below(f"{path}/{each}")]
        written = [f"{path}/{each.path}" for each in tree.changes]
        return list(dict.fromkeys([*missing_above(path), path, *written, *removed]))


REVERSAL = FileReversal()
