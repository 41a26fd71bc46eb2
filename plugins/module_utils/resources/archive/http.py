# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Archives of web servers (behaviour.md 5.1)."""

from __future__ import annotations

from ...host import targets
from ...host.errors import HostError
from ...model.clock import timestamp
from ...model.provider import Provider
from ..existence import exists
from .type import ABSENT, PRESENT, SHUT, ArchiveProperties, ArchiveState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.download import Download
    from ...host.owners import Owners
    from ...host.reading import FileInfo
    from ...model.provider import ProviderContext
    from ...model.values import Facts
    from .actions import ArchiveActions
    from .type import ArchiveMetadata

_NO_TIME = "0001-01-01T00:00:00Z"


class HttpArchiveProvider(Provider[ArchiveProperties, ArchiveState]):
    """Downloads archives and unpacks them, without tar and unzip."""

    name = "http"

    def __init__(self, context: ProviderContext) -> None:
        super().__init__(context)
        self.fetched: dict[str, Download] = {}
        self.digests: dict[tuple[int, ...], str] = {}

    @classmethod
    def manageable(cls, facts: Callable[[], Facts], properties: ArchiveProperties) -> int | str:
        """Usable for addresses of web servers."""
        scheme = properties.url.partition(":")[0].lower()
        return 1 if scheme in ("http", "https") else f"url begins with {scheme}: and not with http: or https:"

    def status(self, properties: ArchiveProperties) -> ArchiveState:
        """Return the archive, with its checksum, and whether the path that it creates exists. Raises NotThereYet."""
        path = properties.name
        try:
            found = targets.look(path)
        except HostError:
            found = None
        leads_nowhere = found is not None and found.fault is not None
        if leads_nowhere:
            found = None
        metadata: ArchiveMetadata = {"name": path}
        if found:
            checksum = self._digest(path, found) if found.kind == "file" else ""
            if checksum:
                metadata["checksum"] = checksum
            metadata["archive_exists"] = True
        if properties.creates and exists(properties.creates, self.user_log):
            metadata["creates_exists"] = True
        _add_attributes(metadata, found, self.machine.owners)
        metadata["provider"] = self.name
        state = ArchiveState(path, PRESENT if found else ABSENT, {"metadata": metadata})
        state.leads_nowhere = leads_nowhere
        state.wanted_uid = _number(self.machine.owners.uid_of, properties.owner)
        state.wanted_gid = _number(self.machine.owners.gid_of, properties.group)
        if found:
            is_shut = found.kind == "file" and int(found.mode, 8) == SHUT
            state.kind = "not unpacked" if is_shut else found.kind
            state.irregular = found.irregular
            state.uid, state.gid = found.uid, found.gid
        if None in (state.wanted_uid, state.wanted_gid):
            self._actions().check_owners(properties, state)
        return state

    def require_possible(self, verb: str, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Raise ResourceFailed when the archive that is to be replaced or removed is a mount point."""
        if state.ensure == PRESENT and verb not in ("extract", "set_owner"):
            from ..mount_points import require_no_mount_on

            require_no_mount_on([properties.name])

    def _actions(self) -> ArchiveActions:
        from .actions import ArchiveActions

        return ArchiveActions(self)

    def download(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Download the archive to its place."""
        self.fetch(properties, state)
        self.store(properties, state)

    def fetch(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Download the archive, and verify its checksum, but do not put it in its place yet."""
        self._actions().fetch(properties)

    def extract(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Unpack the downloaded archive, else the archive in its place."""
        self._actions().extract(properties)

    def store(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Put the downloaded archive in its place, with its owner."""
        self._actions().store(properties)

    def clean_up(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Remove the archive, when it was unpacked."""
        self.remove(properties, state)

    def remove(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Remove the archive; the files unpacked from it stay."""
        from ...host.files import remove_file

        remove_file(properties.name)

    def set_owner(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Set the user and group of the archive and leave the rest of it unchanged."""
        self._actions().set_owner(properties)

    def drop_unfinished(self, properties: ArchiveProperties) -> None:
        if properties.name in self.fetched:
            self.fetched.pop(properties.name).discard()

    def _digest(self, path: str, found: FileInfo) -> str:
        """Return the checksum, "" when it cannot be read; for a file that this run downloaded it is known."""
        try:
            known = self._actions().known_digest(path) if self.digests else ""
            return known or (found.digest() if isinstance(found, targets.Entry) else targets.digest_of(path))
        except HostError:
            return ""


def _add_attributes(metadata: ArchiveMetadata, found: FileInfo | None, owners: Owners) -> None:
    metadata["owner"], metadata["group"] = owners.names_of(found.uid, found.gid) if found else ("", "")
    metadata["mtime"] = timestamp(found.mtime) if found else _NO_TIME
    if found and found.size:
        metadata["size"] = found.size


def _number(number_of: Callable[[str], int], name: str) -> int | None:
    """Return the number of a user or group, None when it is unknown."""
    try:
        return number_of(name)
    except HostError:
        return None


PROVIDER: type[Provider[ArchiveProperties, ArchiveState]] = HttpArchiveProvider
