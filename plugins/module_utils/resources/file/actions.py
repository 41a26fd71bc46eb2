# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes to files and directories of a POSIX system, imported when one is made (behaviour.md 7.1)."""

from __future__ import annotations

import errno
import os
import stat

from ...host import files
from ...host.errors import HostError
from ...host.parents import LastDirectory
from ...host.reading import Reader
from ...host.trees import remove_tree
from ...lang.paths import join
from ...model.errors import ResourceFailed
from ...redaction.texts import without_text_secrets
from ..mount_points import require_no_mount_on
from ..replacing import warn_of_dropped
from .modes import keeps_special_bits
from .posix import refused_source
from .type import ABSENT, DIRECTORY, LINK, PRESENT, content_bytes, wanted_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ...host.parents import Parent
    from .posix import PosixFileProvider
    from .type import FileProperties, FileState


class FileActions:
    """The verbs of a provider."""

    def __init__(self, provider: PosixFileProvider) -> None:
        self._provider = provider

    def store(self, properties: FileProperties, state: FileState) -> None:
        """Write the file next to its place and rename it, with owner and mode set before.

        A relative source is looked up in the directory of the run (`context.directory`).
        """
        state.written_path = properties.name
        try:
            self._store(properties, state)
        except (HostError, ResourceFailed) as error:
            # The reason is in the line of the resource.
            name, where = without_text_secrets(properties.name), self._provider.context.directory
            self._provider.context.log.error("Could not store new file", type="file", name=name, working_dir=where)
            if isinstance(error, HostError) and error.errno == errno.EBUSY:
                # What was mounted on it since the run read the table of mounts.
                require_no_mount_on([properties.name])
            raise

    def _store(self, properties: FileProperties, state: FileState) -> None:
        name = properties.name
        try:
            self._provider.directory = directory = self._provider.machine.known(LastDirectory)
            parent = files.parent_of(name, directory)
        except files.NoDirectory as error:
            raise ResourceFailed(error.text, property="name", value=name) from None
        with parent:
            content, state.source_content = state.source_content, None
            if content is not None:
                self._write(parent, properties, state, content, 0)
            elif properties.source:
                path = join(self._provider.context.directory, properties.source)
                try:
                    with Reader(path) as source:
                        self._write(parent, properties, state, source.chunks(), source.size)
                except HostError as error:
                    raise refused_source(error, path) from None
            else:
                self._write(parent, properties, state, content_bytes(properties.content or ""), 0)

    def _write(
        self, parent: Parent, properties: FileProperties, state: FileState, content: bytes | Iterator[bytes], size: int
    ) -> None:
        mode, uid, gid = self._attributes(properties, state)
        state.wanted_uid, state.wanted_gid = uid, gid
        before_rename = None
        if properties.validation or properties.backup:
            from .replacement import Replacement

            before_rename = Replacement(self._provider.machine, properties, state).prepare

        def dropped(names: list[str]) -> None:
            warn_of_dropped(self._provider.user_log, properties.name, names)

        state.written = files.write_in(
            parent,
            properties.name,
            content,
            mode=mode,
            uid=uid,
            gid=gid,
            size=size,
            before_rename=before_rename,
            dropped=dropped,
            checksum=state.wanted_checksum if isinstance(content, bytes) else "",
            is_first=state.ensure == ABSENT and not state.symlink,
            bare=state.bare,
        )

    def make_directory(self, properties: FileProperties, state: FileState) -> None:
        """Make the directory and its parents; a link to a file or to nothing is removed first."""
        mode, uid, gid = self._attributes(properties, state)
        state.written_path = properties.name
        keeps = properties.mode is None or keeps_special_bits(properties.mode)
        files.make_directory(properties.name, mode=mode, uid=uid, gid=gid, keeps_special_bits=keeps)

    def set_attributes(self, properties: FileProperties, state: FileState) -> None:
        """Set owner, group and mode and leave the content unchanged; of a link its own owner and group."""
        mode, uid, gid = self._attributes(properties, state)
        state.written_path = properties.name
        if properties.ensure == LINK:
            from ...host.link_files import set_link_owner

            set_link_owner(properties.name, uid=uid, gid=gid)
            return
        files.set_attributes(properties.name, mode=mode, uid=uid, gid=gid)

    def copy_tree(self, properties: FileProperties, state: FileState) -> None:
        """Write the entries of a directory that differ, then remove the ones to be purged."""
        from .trees import copy_tree

        state.written_path = ""
        if state.tree:
            copy_tree(self._provider, properties, state.tree)

    def make_link(self, properties: FileProperties, state: FileState) -> None:
        """Put a link in its place, with its owner set before; with force in the place of a directory too."""
        _mode, uid, gid = self._attributes(properties, state)
        state.written_path = properties.name
        from ...host.link_files import write_link

        is_forced = properties.force
        write_link(properties.name, properties.target, uid=uid, gid=gid, removes_directory=is_forced)

    def remove(self, properties: FileProperties, state: FileState) -> None:
        """Remove the file or the directory, with force also its content; a missing path is not an error.

        What a killed run left hidden for this path goes too.
        """
        files.remove_unfinished(properties.name)
        if properties.force:
            remove_tree(properties.name)
        elif state.ensure == DIRECTORY and not os.path.islink(properties.name):
            files.remove_directory(properties.name)
        else:
            files.remove_file(properties.name)

    def _attributes(self, properties: FileProperties, state: FileState) -> tuple[int, int, int]:
        """Return mode, user and group to set: declared ones, else present ones, else defaults (decisions.md Q120).

        A file whose owner or group changes keeps only declared set-id bits: another user may have written it.
        """
        owners = self._provider.machine.owners
        is_there = state.ensure == properties.ensure
        kept_uid, kept_gid = (state.uid, state.gid) if is_there else (None, None)
        uid = owners.uid_of(properties.owner) if properties.owner is not None else kept_uid
        gid = owners.gid_of(properties.group) if properties.group is not None else kept_gid
        uid, gid = os.geteuid() if uid is None else uid, os.getegid() if gid is None else gid
        mode = wanted_mode(state, properties)
        bits = int(mode, 8)
        if properties.mode is None and state.ensure == PRESENT and (uid, gid) != (kept_uid, kept_gid):
            bits &= ~(stat.S_ISUID | stat.S_ISGID)
        return bits, uid, gid
