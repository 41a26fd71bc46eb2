# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files and directories of a POSIX system (features.md 7.1)."""

from __future__ import annotations

import errno
import os

from ...host import files, owners
from ...host.digests import sha256_hex
from ...host.errors import HostError
from ...lang.paths import join
from ...model.clock import timestamp
from ...model.errors import ResourceFailed
from ...model.state import State
from ..provider import Provider
from .type import ABSENT, DIRECTORY, PRESENT, directory_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from typing import Any

    from ...host.files import FileState
    from ...model.resource import Properties

_NO_TIME = "0001-01-01T00:00:00Z"


class PosixFileProvider(Provider):
    """Looks through symbolic links, never writes through them: a written file takes the link's place."""

    name = "posix"

    def status(self, properties: Properties) -> State:
        """What is at the path, and the checksum that is wanted there when its content is managed."""
        path = properties.name
        try:
            found = files.inspect(path)
        except HostError as error:
            if error.denied:
                self.log.warn(f"Permission denied for file {path}: {error}")
            elif error.errno != errno.ENOTDIR:
                raise
            found = None
        if found is None:
            return self._absent(path)
        if found.kind == "directory":
            return self._present(DIRECTORY, properties, found)
        state = self._present(PRESENT, properties, found)
        state.known["wanted_checksum"] = self._wanted_checksum(properties)
        return state

    def _absent(self, path: str) -> State:
        metadata = {"name": path, "owner": "", "group": "", "mode": "", "provider": self.name, "mtime": _NO_TIME}
        return State("file", path, ABSENT, {"metadata": metadata}, {"wanted_checksum": ""})

    def _present(self, ensure: str, properties: Properties, found: FileState) -> State:
        metadata = {"name": properties.name}
        checksum = files.digest(properties.name) if found.kind == "file" else ""
        if checksum:
            metadata["checksum"] = checksum
        metadata.update(
            owner=owners.user_name(found.uid),
            group=owners.group_name(found.gid),
            mode=found.mode,
            provider=self.name,
            mtime=timestamp(found.mtime),
        )
        if found.size:
            metadata["size"] = found.size
        known = {
            "wanted_checksum": "",
            "symlink": found.symlink,
            "uid": found.uid,
            "gid": found.gid,
            "wanted_uid": _number(owners.uid_of, properties.owner),
            "wanted_gid": _number(owners.gid_of, properties.group),
        }
        return State("file", properties.name, ensure, {"metadata": metadata}, known)

    def _wanted_checksum(self, properties: Properties) -> str:
        if properties.ensure != PRESENT:
            return ""
        if properties.source:
            return files.digest(join(self.directory, properties.source))
        return sha256_hex(_bytes(properties.content)) if properties.content is not None else ""

    def differences(self, properties: Properties, state: State) -> list[dict[str, Any]]:
        """The content and the attributes that will change."""
        from .difference import differences

        return differences(properties, state, self.directory)

    def store(self, properties: Properties, state: State) -> None:
        """Write the file beside its place and rename it in, with owner and mode set before."""
        parent = os.path.dirname(properties.name)
        if not os.path.isdir(parent):
            raise ResourceFailed(f'"{parent}" is not a directory', property="name", value=properties.name)
        uid, gid = owners.uid_of(properties.owner), owners.gid_of(properties.group)
        if properties.source:
            source = join(self.directory, properties.source)
            files.copy_file(source, properties.name, mode=int(properties.mode, 8), uid=uid, gid=gid)
        else:
            files.write_file(
                properties.name, _bytes(properties.content or ""), mode=int(properties.mode, 8), uid=uid, gid=gid
            )

    def make_directory(self, properties: Properties, state: State) -> None:
        """Make the directory and those above it; a symbolic link in its place is removed first."""
        uid, gid = owners.uid_of(properties.owner), owners.gid_of(properties.group)
        files.make_directory(properties.name, mode=int(directory_mode(properties.mode), 8), uid=uid, gid=gid)

    def set_attributes(self, properties: Properties, state: State) -> None:
        """Set owner, group and mode and leave the content alone. Refuses symbolic links."""
        uid, gid = owners.uid_of(properties.owner), owners.gid_of(properties.group)
        files.set_attributes(properties.name, mode=int(properties.mode, 8), uid=uid, gid=gid)

    def remove(self, properties: Properties, state: State) -> None:
        """Remove the file or the directory, with force all that is in it; what is not there is fine."""
        if properties.force:
            files.remove_tree(properties.name)
        elif state.ensure == DIRECTORY and not os.path.islink(properties.name):
            files.remove_directory(properties.name)
        else:
            files.remove_file(properties.name)


def _number(look_up: Callable[[str], int], name: str) -> int | None:
    """The number of a user or group, None when it is not known."""
    try:
        return look_up(name)
    except HostError:
        return None


def _bytes(content: str) -> bytes:
    """Content as it is written: what a file gave that is no UTF-8 goes back byte for byte."""
    try:
        return content.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise ResourceFailed(f"content cannot be written as UTF-8: {error.reason}", property="content") from None
