# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A source that is the address of an archive: fetched, kept for later runs, and unpacked (behaviour.md 9.2)."""

from __future__ import annotations

import os

from ...host.archive_cache import ArchiveCache, KeptArchive, cache_directory, key_of
from ...host.archives.plain_tree import unpack_plain
from ...host.digests import sha256_hex
from ...host.errors import HostError
from ...host.http import HeaderError, HTTPError, HTTPStatusError, redact_url
from ...host.scratch import make_temporary_directory
from ...host.trees import remove_tree
from ...model.errors import ResourceFailed
from ...redaction.texts import shown_source
from ..archive_addresses import kind_of_address
from ..downloading import download_failed, downloaded, request_for, require_checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.archive_cache import Record
    from ...host.download import Download
    from .choria import ChoriaProvider
    from .type import ScaffoldProperties

_NOT_MODIFIED = 304
_ADVICE = "with a checksum, an archive that was downloaded before is used without asking the server"
_DIGITS = frozenset("0123456789abcdef")
_DIGEST_LENGTH = 64
#: The headers of a conditional request, by the names in records.
_CONDITIONS = {"tag": "If-None-Match", "modified": "If-Modified-Since"}


class FetchedSource:
    """The archive that a source names, of the cache or of its server: at most one request, when it is made.

    Raises ResourceFailed, also where the server does not answer.
    """

    def __init__(self, provider: ChoriaProvider, properties: ScaffoldProperties) -> None:
        self._provider = provider
        self._properties = properties
        self._shown = shown_source(properties.source)
        self._archive = self._found()

    def unpacked(self) -> UnpackedSource:
        """Return a new directory with the content of the archive. Raises ResourceFailed."""
        self._provider.machine.before_waiting()  # a program may unpack it
        made = UnpackedSource()
        try:
            unpack_plain(self._archive.reader(), kind_of_address(self._properties.source, "source"), made.path)
        except HostError as error:
            made.remove()
            raise ResourceFailed(
                f"cannot unpack {self._shown}: {error}", property="source", value=self._shown
            ) from None
        except BaseException:
            made.remove()
            raise
        return made

    def _found(self) -> KeptArchive:
        properties = self._properties
        try:
            cache = ArchiveCache(cache_directory())
        except HostError as error:
            self._provider.user_log.warn(f"{self._shown} is not kept for later runs: {error}")
            return self._without_cache()
        wanted = properties.checksum.lower()
        if len(wanted) == _DIGEST_LENGTH and _DIGITS.issuperset(wanted):
            kept = cache.archive(wanted)
            if kept:
                return kept
        key = key_of(redact_url(properties.source).partition("#")[0])
        record = {} if wanted else cache.record(key)
        kept = None
        if record and record.get("asked") == self._asked(record.get("salt", "")):
            kept = cache.archive(record.get("digest", ""))
        return self._from_server(cache, key, record, kept)

    def _from_server(self, cache: ArchiveCache, key: str, record: Record, kept: KeptArchive | None) -> KeptArchive:
        conditions = {header: record[name] for name, header in _CONDITIONS.items() if kept and record.get(name)}
        try:
            fetched = self._downloaded(f"{cache.path}/{key}", conditions)
        except HTTPStatusError as error:
            if kept and conditions and error.status == _NOT_MODIFIED:
                return kept
            raise self._failed(error) from None
        try:
            salt = os.urandom(16).hex()
            known = {"tag": fetched.tag, "modified": fetched.modified, "salt": salt, "asked": self._asked(salt)}
            cache.keep(fetched, key, known)
            return self._opened(fetched)
        except HostError as error:
            raise self._failed(error) from None
        finally:
            fetched.discard()

    def _without_cache(self) -> KeptArchive:
        directory = make_temporary_directory("scaffold-")
        try:
            fetched = self._downloaded(os.path.join(directory, "archive"), {})
            try:
                return self._opened(fetched)
            finally:
                fetched.discard()
        except HTTPStatusError as error:
            raise self._failed(error) from None
        finally:
            remove_tree(directory)

    def _downloaded(self, place: str, conditions: dict[str, str]) -> Download:
        """Return what the server has, with the right checksum. Raises HTTPStatusError and ResourceFailed."""
        properties = self._properties
        try:
            fetched = downloaded(request_for(self._provider, properties.source, properties, conditions), place)
        except HTTPStatusError:
            raise
        except HostError as error:
            raise self._failed(error) from None
        try:
            require_checksum(fetched, properties, f"{self._shown}: ")
        except BaseException:
            fetched.discard()
            raise
        return fetched

    def _failed(self, error: HostError) -> ResourceFailed:
        is_answer = isinstance(error, HTTPError) and not isinstance(error, HeaderError)
        advice = _ADVICE if is_answer and not self._properties.checksum else ""
        return download_failed(error, "source", f"{self._shown}: ", advice)

    def _opened(self, fetched: Download) -> KeptArchive:
        return KeptArchive(fetched.opened().fd, self._shown)

    def _asked(self, salt: str) -> str:
        """Return a digest of the request, which may have secrets: for others the server may have another archive."""
        properties = self._properties
        request = (properties.source, properties.username, properties.password, sorted(properties.headers.items()))
        return sha256_hex(f"{salt}{request!r}".encode("utf-8", "surrogatepass"))


class UnpackedSource:
    """A new private directory `path`, within `with`, that is removed at the end."""

    def __init__(self) -> None:
        self.path = make_temporary_directory("scaffold-")

    def __enter__(self) -> str:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Remove it with all that is in it."""
        remove_tree(self.path, opened=True)
