# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Archives of web servers (features.md 5.1)."""

from __future__ import annotations

from ...host import looking, owners, targets
from ...host.errors import HostError
from ...model.clock import timestamp
from ...model.state import State
from ..provider import Provider
from .type import ABSENT, PRESENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...host.download import Download
    from ...host.looking import FileState
    from ...model.resource import Properties

#: The mode of what could not be unpacked.
SHUT = 0
_NO_TIME = "0001-01-01T00:00:00Z"


class HttpArchiveProvider(Provider):
    """Fetches archives and unpacks them, without tar and unzip.

    `download_timeout` is in ns and for a whole download, `download_tries` how often its server is asked at most,
    `download_limit` the largest archive in bytes, None for any.
    """

    name = "http"
    download_timeout = 60_000_000_000
    download_tries = 3
    download_limit: int | None = None

    def __init__(self, directory: str, log: Any) -> None:
        super().__init__(directory, log)
        self.fetched: dict[str, Download] = {}
        self.digests: dict[tuple[int, ...], str] = {}

    @classmethod
    def manageable(cls, facts: Any, properties: Properties) -> int | str:
        """Usable for addresses of web servers."""
        scheme = properties.url.partition(":")[0].lower()
        return 1 if scheme in ("http", "https") else f"url begins with {scheme}: and not with http: or https:"

    def status(self, properties: Properties) -> State:
        """The archive, with its checksum, and whether what it creates is there. Raises NotThereYet."""
        path = properties.name
        try:
            found = looking.inspect(path)
        except HostError:
            found = None
        metadata: dict[str, Any] = {"name": path}
        known: dict[str, Any] = {
            "wanted_uid": _number(owners.uid_of, properties.owner),
            "wanted_gid": _number(owners.gid_of, properties.group),
        }
        if found:
            checksum = self._digest(path) if found.kind == "file" else ""
            if checksum:
                metadata["checksum"] = checksum
            metadata["archive_exists"] = True
            known.update(
                kind="not unpacked" if int(found.mode, 8) == SHUT else found.kind,
                uid=found.uid,
                gid=found.gid,
            )
        if properties.creates and self.exists(properties.creates):
            metadata["creates_exists"] = True
        metadata.update(_attributes(found))
        metadata["provider"] = self.name
        state = State("archive", path, PRESENT if found else ABSENT, {"metadata": metadata}, known)
        if None in known.values():
            from .acting import check_owners

            check_owners(properties, state)
        return state

    def act(self, verb: str, properties: Properties, state: State) -> None:
        """Do what a verb says, one function of `acting` each."""
        from . import acting

        getattr(acting, verb)(self, properties)

    def drop_unfinished(self, properties: Properties) -> None:
        if properties.name in self.fetched:
            self.fetched.pop(properties.name).discard()

    def _digest(self, path: str) -> str:
        """The checksum, "" when it cannot be had; of what this run fetched it is known."""
        try:
            if self.digests:
                from .acting import known_digest

                return known_digest(self, path) or targets.digest_of(path)
            return targets.digest_of(path)
        except HostError:
            return ""


def _attributes(found: FileState | None) -> dict[str, Any]:
    if found is None:
        return {"owner": "", "group": "", "mtime": _NO_TIME}
    shown: dict[str, Any] = {
        "owner": owners.user_name(found.uid),
        "group": owners.group_name(found.gid),
        "mtime": timestamp(found.mtime),
    }
    if found.size:
        shown["size"] = found.size
    return shown


def _number(look_up: Any, name: str) -> int | None:
    """The number of a user or group, None when it is not known."""
    try:
        found: int = look_up(name)
    except HostError:
        return None
    return found
