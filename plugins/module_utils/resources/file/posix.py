# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files and directories of a POSIX system (behaviour.md 7.1)."""

from __future__ import annotations

import errno
import os

from ...host import reading, targets
from ...host.digests import sha256_hex
from ...host.errors import HostError
from ...lang.paths import join
from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...model.provider import Provider
from .type import (
    ABSENT,
    COPIED_DIRECTORY,
    DIRECTORY,
    LINK,
    PRESENT,
    FileProperties,
    FileState,
    content_bytes,
    mismatch,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.parents import LastDirectory
    from ...model.log import Log
    from ...model.values import Difference
    from .actions import FileActions
    from .type import FileMetadata

# Why a link leads to nothing.
_LEADS_NOWHERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_NO_TIME = "0001-01-01T00:00:00Z"


def absent_state(path: str, provider: str) -> FileState:
    """Return the state of a missing file, as the provider of that name found it."""
    metadata = {"name": path, "owner": "", "group": "", "mode": "", "provider": provider, "mtime": _NO_TIME}
    return FileState(path, ABSENT, {"metadata": metadata})


def tolerate(error: HostError, path: str, log: Log) -> None:
    """Treat a path below a file, or in an unreadable directory, as absent, with a warning; raise all other errors."""
    if error.denied:
        log.warn(f"Permission denied for file {path}: {error}")
    elif error.errno == errno.ENOTDIR:
        log.warn(f"There can be no file {path}: {error}")
    else:
        raise error


def refused_source(error: HostError, source: str) -> HostError | ResourceFailed:
    """Return the error of a source that was read; where it is a directory, with the advice how it is copied."""
    if error.errno != errno.EISDIR or error.path != source:
        return error
    return ResourceFailed(error.text, property="source", value=source, advice=COPIED_DIRECTORY)


#: A file larger than this, in bytes, is hashed only when it has the wanted size: the owner of a directory could put
#: terabytes there.
_ALWAYS_HASHED = 1 << 30
#: The largest source, in bytes, that is not read again to be written.
_LARGEST_KEPT = 1 << 16


class PosixFileProvider(Provider[FileProperties, FileState]):
    """Reads through symbolic links, never writes through them: a written file replaces the link."""

    name = "posix"
    #: The directory that this run last wrote to.
    directory: LastDirectory | None = None

    def status(self, properties: FileProperties) -> FileState:
        """Return the state of the file at the path, with the wanted checksum when its content is managed."""
        path, entry = properties.name, None
        if properties.ensure == LINK:
            from .links import link_state

            return link_state(self, properties)
        self._require_sent(properties.source)
        try:
            found = reading.look(path) if properties.ensure == DIRECTORY else targets.look(path, self.directory)
            entry = reading.NOTHING if found is None else found.entry
        except HostError as error:
            tolerate(error, path, self.user_log)
            found = None
        if found is None:
            state = absent_state(path, self.name)
            state.entry = entry
            return self._with_tree(properties, state)
        if found.fault:
            state = absent_state(path, self.name)
            state.unreachable = found.fault.errno not in _LEADS_NOWHERE
            if state.unreachable and properties.ensure != ABSENT:
                tolerate(found.fault, path, self.user_log)
        else:
            wanted, content = self._wanted(properties) if found.kind != "directory" else ("", None)
            checksum = self._checksum(properties, found, wanted)
            state = self.present(properties, found, checksum)
            state.wanted_checksum = wanted
            if checksum != wanted and not self.context.noop:
                state.source_content = content
            if isinstance(found, targets.Entry):
                state.bare = found.bare
            self.compare_owners(properties, state)
        state.symlink = found.symlink
        if found.symlink and mismatch(state, properties):
            state.link = _target_of(path)
        return self._with_tree(properties, state)

    def _with_tree(self, properties: FileProperties, state: FileState) -> FileState:
        if properties.recurse and properties.ensure == DIRECTORY:
            from .trees import add_tree

            add_tree(self, properties, state)
        return state

    def _checksum(self, properties: FileProperties, found: reading.FileInfo, wanted: str) -> str:
        if found.kind == "file" and (found.size <= _ALWAYS_HASHED or found.size == self._wanted_size(properties)):
            most = max(found.size, _ALWAYS_HASHED)
            if isinstance(found, targets.Entry):
                return found.digest(most, wanted)
            return targets.digest_of(properties.name, most)
        return ""

    def compare_owners(self, properties: FileProperties, state: FileState) -> None:
        """Note the ids of the wanted owner and group in the state of what exists."""
        owner, group, there = properties.owner, properties.group, state.metadata
        # Who has the wanted name need not be looked up by it.
        is_owner, is_group = owner in (None, there["owner"]), group in (None, there["group"])
        state.wanted_uid = state.uid if is_owner else _number(self.machine.owners.uid_of, owner)
        state.wanted_gid = state.gid if is_group else _number(self.machine.owners.gid_of, group)

    def present(self, properties: FileProperties, found: reading.FileInfo, checksum: str) -> FileState:
        """Return the state of what was found; `checksum` is of its content, "" where it is not known."""
        metadata: FileMetadata = {"name": properties.name}
        ensure = DIRECTORY if found.kind == "directory" else PRESENT
        if checksum:
            metadata["checksum"] = checksum
        metadata["owner"], metadata["group"] = self.machine.owners.names_of(found.uid, found.gid)
        metadata["mode"] = found.mode
        metadata["provider"] = self.name
        metadata["mtime"] = timestamp(found.mtime)
        if found.size:
            metadata["size"] = found.size
        state = FileState(properties.name, ensure, {"metadata": metadata})
        if found.irregular:
            state.irregular = found.irregular
        state.uid, state.gid = found.uid, found.gid
        state.entry = found.entry
        return state

    def _wanted_size(self, properties: FileProperties) -> int:
        """Return the wanted size in bytes, -1 when the content is not managed."""
        if properties.ensure == PRESENT and properties.source:
            source = reading.inspect(join(self.context.directory, properties.source))
            return source.size if source else -1
        return len(content_bytes(properties.content)) if properties.content is not None else -1

    def _wanted(self, properties: FileProperties) -> tuple[str, bytes | None]:
        """Return the checksum of the wanted content, "" for any, and the content of a source that is not large."""
        if properties.ensure != PRESENT:
            return "", None
        if properties.source:
            source = join(self.context.directory, properties.source)
            try:
                return reading.digest_and_content(source, _LARGEST_KEPT)
            except HostError as error:
                raise refused_source(error, source) from None
        return sha256_hex(content_bytes(properties.content)) if properties.content is not None else "", None

    def status_after(self, properties: FileProperties, before: FileState) -> FileState:
        """Return the state after the verbs, with the path of the backup that was made.

        A file that was just written is not read again: its state in its place shows that it is as it was written.
        """
        written = before.written
        if written is None or written.found is None:
            after = self.status(properties)
        else:
            after = self.present(properties, reading.FileInfo(written.found, False), written.checksum)
            after.wanted_checksum = written.checksum if properties.content is not None or properties.source else ""
            after.wanted_uid, after.wanted_gid = before.wanted_uid, before.wanted_gid
        after.backup_file = before.backup_file
        after.before = before.metadata
        return after

    def differences(self, properties: FileProperties, state: FileState) -> list[Difference]:
        """Return the content and the attributes that will change."""
        from .difference import differences

        return differences(properties, state, self.context.directory)

    def _require_sent(self, source: str, *, is_needed: bool = False) -> None:
        """Raise ResourceFailed for a source that leads out of what a task sent, or `is_needed` and was not sent."""
        environment = self.context.environment
        if source and environment and environment.tree:
            from ...model.sent_names import require_in_sent, require_sent

            if is_needed:
                require_in_sent(source, self.context.directory, environment.tree)
            else:
                require_sent(source, self.context.directory, environment)

    def require_possible(self, verb: str, properties: FileProperties, state: FileState) -> None:
        """Raise ResourceFailed for a mount in the way of a removal, or in the place of a file to be replaced.

        Also for a source that a task did not send.
        """
        if verb in ("copy_tree", "store"):
            self._require_sent(properties.source, is_needed=True)
        if verb == "copy_tree" and state.tree:
            from ..mount_points import require_no_mount_between

            removed = [*state.tree.purged, *(each.path for each in state.tree.changes if each.is_in_the_way)]
            require_no_mount_between(properties.name, [each.path for each in state.tree.changes], removed)
        if state.ensure != ABSENT and verb in ("make_link", "remove", "store"):
            from ..mount_points import require_no_mount_below, require_no_mount_on

            if verb == "remove" or state.ensure == DIRECTORY:
                require_no_mount_below(properties.name)
            else:
                require_no_mount_on([properties.name], self.machine)

    def _actions(self) -> FileActions:
        from .actions import FileActions

        return FileActions(self)

    def store(self, properties: FileProperties, state: FileState) -> None:
        """Write the file next to its place and rename it, with owner and mode set before."""
        self._actions().store(properties, state)

    def make_directory(self, properties: FileProperties, state: FileState) -> None:
        """Make the directory and its parents; a link to a file or to nothing is removed first."""
        self._actions().make_directory(properties, state)

    def copy_tree(self, properties: FileProperties, state: FileState) -> None:
        """Write the entries of a directory that differ, then remove the ones to be purged."""
        self._actions().copy_tree(properties, state)

    def make_link(self, properties: FileProperties, state: FileState) -> None:
        """Put a link in its place, with its owner set before; with force in the place of a directory too."""
        self._actions().make_link(properties, state)

    def set_attributes(self, properties: FileProperties, state: FileState) -> None:
        """Set owner, group and mode and leave the content unchanged; of a link its own owner and group.

        Refuses symbolic links where a file or a directory is wanted.
        """
        self._actions().set_attributes(properties, state)

    def remove(self, properties: FileProperties, state: FileState) -> None:
        """Remove the file or the directory, with force also its content; a missing path is not an error."""
        self._actions().remove(properties, state)


def _target_of(path: str) -> str:
    """Return what a link has as its target, "" when it is none any more."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _number(number_of: Callable[[str], int], name: str | None) -> int | None:
    """Return the number of a user or group, None when it is unknown."""
    try:
        return number_of(name or "")
    except HostError:
        return None


PROVIDER: type[Provider[FileProperties, FileState]] = PosixFileProvider
