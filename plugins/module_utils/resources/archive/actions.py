# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of archives: download, unpacking, change of owner (behaviour.md 5.1)."""

from __future__ import annotations

import os

from ...host import files, reading, targets
from ...host.archives.entry import ArchiveError
from ...host.archives.unpack import unpack
from ...host.download import changed
from ...host.errors import HostError
from ...model.errors import NotThereYet, ResourceFailed
from ..archive_addresses import archive_kind
from ..downloading import download_failed, downloaded, request_for, require_checksum
from ..replacing import warn_of_dropped
from .type import SHUT, TYPE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .http import HttpArchiveProvider
    from .type import ArchiveProperties, ArchiveState


class ArchiveActions:
    """The verbs of a provider, and what it knows of downloads."""

    def __init__(self, provider: HttpArchiveProvider) -> None:
        self._provider = provider

    def fetch(self, properties: ArchiveProperties) -> None:
        """Download the archive, and verify its checksum, but do not put it in its place yet.

        Raises ResourceFailed; the file at its place stays.
        """
        provider = self._provider
        try:
            self._owner(properties)
            request = request_for(provider, properties.url, properties)
            fetched = provider.fetched[properties.name] = downloaded(request, properties.name)
        except HostError as error:
            raise download_failed(error, "url") from None
        require_checksum(fetched, properties)

    def extract(self, properties: ArchiveProperties) -> None:
        """Unpack the downloaded archive, else the archive in its place, if it still has the checksum.

        A download that cannot be unpacked is kept if its place was empty, as recorded, but with a closed mode: the next
        run downloads it again. Raises ResourceFailed with the exit codes of tar and unzip.
        """
        fetched = self._provider.fetched.get(properties.name)
        kind = archive_kind(properties.name)
        digest = properties.checksum.lower() if not fetched else ""
        self._provider.machine.before_waiting()  # a program may unpack it
        try:
            unpack(
                fetched.opened(removed=properties.cleanup) if fetched else targets.Target(properties.name),
                kind,
                properties.extract_parent,
                properties.creates,
                self._provider.user_log.warn,
                digest,
                owners=self._provider.machine.owners,
            )
        except HostError as error:
            if fetched:
                self._keep_shut(properties)
            if not isinstance(error, ArchiveError):
                raise
            tool = "unzip" if kind == "zip" else "tar"
            raise ResourceFailed(f"{tool} exited with code {error.code}: {error}", property="extract_parent") from None

    def store(self, properties: ArchiveProperties) -> None:
        """Put the downloaded archive in its place, with its owner.

        Raises ResourceFailed, also when another process has put another file there.
        """
        fetched = self._provider.fetched[properties.name]
        try:
            uid, gid = self._owner(properties)
            found, dropped = fetched.put_in_place(uid=uid, gid=gid)
            self._provider.digests[_identity(found)] = fetched.digest
            if not os.path.samestat(found, os.lstat(properties.name)):
                raise changed(properties.name)
        except (HostError, OSError) as error:
            raise ResourceFailed(f"download failed: {error}", property="name") from None
        if dropped:
            warn_of_dropped(self._provider.user_log, properties.name, dropped)

    def _keep_shut(self, properties: ArchiveProperties) -> None:
        fetched = self._provider.fetched[properties.name]
        if fetched.is_there and not os.path.lexists(properties.name):
            uid, gid = self._owner(properties)
            fetched.put_in_place(uid=uid, gid=gid, mode=SHUT)

    def set_owner(self, properties: ArchiveProperties) -> None:
        """Set the user and group of the archive and leave the rest of it unchanged."""
        uid, gid = self._owner(properties)
        found = reading.inspect(properties.name)
        if found:
            files.set_attributes(properties.name, mode=int(found.mode, 8), uid=uid, gid=gid)

    def known_digest(self, path: str) -> str:
        """Return the checksum of a file that this run downloaded and that has not changed since, "" of others."""
        try:
            return self._provider.digests.get(_identity(os.stat(path)), "")
        except OSError:
            return ""

    def check_owners(self, properties: ArchiveProperties, state: ArchiveState) -> None:
        """Raise NotThereYet when a step needs a user or a group that is unknown."""
        verbs = TYPE.decide(state, properties, False).verbs
        if not (properties.owner and properties.group) or {"download", "fetch", "set_owner"}.isdisjoint(verbs):
            return
        try:
            self._owner(properties)
        except HostError as error:
            lead = "" if "set_owner" in verbs else "download failed: "
            unknown = NotThereYet(f"{lead}{error}", property="owner")
            unknown.expected = state
            raise unknown from None

    def _owner(self, properties: ArchiveProperties) -> tuple[int, int]:
        return self._provider.machine.owners.ids_of(properties.owner, properties.group)


def _identity(found: os.stat_result) -> tuple[int, ...]:
    """Return a value that identifies a file and its changes."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
