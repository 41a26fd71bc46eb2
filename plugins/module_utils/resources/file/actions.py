# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes to files and directories of a POSIX system, imported when one is made (behaviour.md 7.1)."""

from __future__ import annotations

import errno
import os

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
from .type import ABSENT, DIRECTORY, content_bytes, directory_mode, keeps_special_bits

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
                with Reader(join(self._provider.context.directory, properties.source)) as source:
                    self._write(parent, properties, state, source.chunks(), source.size)
            else:
                self._write(parent, properties, state, content_bytes(properties.content or ""), 0)

    def _write(
        self, parent: Parent, properties: FileProperties, state: FileState, content: bytes | Iterator[bytes], size: int
    ) -> None:
        mode, (uid, gid) = int(properties.mode, 8), self._owner(properties)
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
        uid, gid = self._owner(properties)
        state.written_path = properties.name
        mode, keeps = int(directory_mode(properties.mode), 8), keeps_special_bits(properties.mode)
        files.make_directory(properties.name, mode=mode, uid=uid, gid=gid, keeps_special_bits=keeps)

    def set_attributes(self, properties: FileProperties, state: FileState) -> None:
        """Set owner, group and mode and leave the content unchanged. Refuses symbolic links."""
        uid, gid = self._owner(properties)
        state.written_path = properties.name
        files.set_attributes(properties.name, mode=int(properties.mode, 8), uid=uid, gid=gid)

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

    def _owner(self, properties: FileProperties) -> tuple[int, int]:
        return self._provider.machine.owners.ids_of(properties.owner, properties.group)
