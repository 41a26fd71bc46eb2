# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What happens just before a new file replaces another: a command checks the new one, the old one is kept."""

from __future__ import annotations

import contextlib
import os
import stat
import time

from ...host import files
from ...host.errors import HostError
from ...host.targets import Target, digest_of
from ...host.trees import remove_tree
from ...model.errors import ResourceFailed
from ..validation import validate
from .type import PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from .type import FileProperties, FileState


class Replacement:
    """The replacement of a file in `state` on `machine` by the file that `properties` declare."""

    def __init__(self, machine: Machine, properties: FileProperties, state: FileState) -> None:
        self._machine = machine
        self._properties = properties
        self._state = state

    def prepare(self, new: str) -> None:
        """Check the complete new file, whose path is `new`, and keep a copy of the old one.

        Neither is done when both have the same content: then only attributes are repaired (decisions.md Q112). Raises
        ResourceFailed when the command refuses it, HostError when the command or the copy is not possible.
        """
        checksum = self._state.metadata.get("checksum")
        if checksum and digest_of(new) == checksum:
            return
        if self._properties.validation:
            self._validate(new)
        if self._properties.backup and self._state.ensure == PRESENT:
            self._keep()

    def _validate(self, new: str) -> None:
        before = _content_and_attributes(new)
        try:
            validate(self._machine, self._properties.validation, new)
        finally:
            if os.path.isdir(new) and not os.path.islink(new):
                remove_tree(new)
        if _content_and_attributes(new) != before:
            # What the command put in its place would stay: only the file that was written is removed.
            with contextlib.suppress(OSError):
                os.unlink(new)
            raise ResourceFailed("validate changed or removed the new file", property="validate")

    def _keep(self) -> None:
        """Copy the old file with its mode and owner to a name that ends with the process id, the time and a tilde."""
        name, moment = self._properties.name, time.strftime("%Y-%m-%d@%H:%M:%S~")
        kept = f"{name}.{os.getpid()}.{moment}"
        try:
            with Target(name) as old:
                found = os.fstat(old.fd)
                # Without set-id bits: an old program must not go on with the rights of its owner.
                mode = found.st_mode & 0o777
                uid, gid = found.st_uid, found.st_gid
                files.write_file(
                    kept, old.chunks(), mode=mode, uid=uid, gid=gid, size=found.st_size, attributes_of=old.fd
                )
        except HostError as error:
            raise ResourceFailed(f"backup could not be made: {error}", property="backup") from None
        self._state.backup_file = kept


def _content_and_attributes(path: str) -> tuple[object, ...]:
    """Return what a command that only checks a file leaves as it is; nothing for a missing file."""
    try:
        found = os.lstat(path)
        same = (found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_gid)
        return (*same, digest_of(path)) if stat.S_ISREG(found.st_mode) else same
    except (OSError, HostError):
        return ()
