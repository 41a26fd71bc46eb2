# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A file downloaded over HTTP(S) to a hidden file next to its place, and later put in place (behaviour.md 5.1).

The checksum is computed during the download. An interrupted download continues where it ended when the server supports
ranges, else from the beginning. Its directory is held open and the file locked until it is in its place; the next
download removes the files of killed processes.
"""

from __future__ import annotations

import os
from time import monotonic, sleep

from .descriptors import write_all
from .digests import sha256
from .errors import HostError, SystemCallError
from .hidden_files import HiddenFile
from .http import HeaderError, HTTPError, HTTPStatusError, Response, get
from .parents import Parent
from .reading import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping

    from .digests import Digest

#: Seconds that a download may take in total, and the most requests to the server.
TIMEOUT = 60.0
TRIES = 3

_MODE = 0o600
_CHUNK = 256 * 1024
# From this size on the import of OpenSSL saves time.
_UNKNOWN_SIZE = 1 << 20
#: Statuses after which the same request may succeed.
_PASSING = (408, 429, 500, 502, 503, 504)
_FIRST_PAUSE = 0.5


class TooLarge(HTTPError):
    """A server has, or sends, more than is wanted; another request would not help."""


class Request:
    """What to request: `url`, `headers`, `username` with `password` (see `http.get`), and its limits.

    `timeout` is in seconds and for all of the `tries`, `limit` the largest file in bytes, None for any. `notice` is
    called when an interrupted download is tried again, `progress` with the bytes that have arrived and those announced
    (None when none were), `before_waiting` before each wait, as `Machine.before_waiting`. `conditions` are headers of a
    conditional request: then HTTPStatusError has the status 304 where the server has nothing else.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        username: str | None = None,
        password: str | None = None,
        timeout: float = TIMEOUT,
        tries: int = TRIES,
        limit: int | None = None,
        conditions: Mapping[str, str] | None = None,
        notice: Callable[[str], None] | None = None,
        progress: Callable[[int, int | None], None] | None = None,
        before_waiting: Callable[[], None] | None = None,
    ) -> None:
        self.url = url
        self.headers = headers
        self.username = username
        self.password = password
        self.timeout = timeout
        self.tries = tries
        self.limit = limit
        self.conditions = conditions
        self.notice = notice
        self.progress = progress
        self._before_waiting = before_waiting

    def before_waiting(self) -> None:
        """Call the function that the caller gave for the time before a wait."""
        if self._before_waiting is not None:
            self._before_waiting()


class Download:
    """A complete file that is not yet in its place `place`: `digest` is its SHA-256 in hexadecimal, `size` in bytes.

    `tag` and `modified` are what its server gave as ETag and Last-Modified, "" for nothing.
    """

    def __init__(self, place: str, parent: Parent, file: HiddenFile, transfer: _Transfer) -> None:
        self.size = transfer.received
        self.digest = transfer.hasher.hexdigest()
        self.tag = transfer.tag
        self.modified = transfer.modified
        self._place = place
        self._parent = parent
        self._file = file
        self._written = _content_state(file.fd)

    def opened(self, *, removed: bool = False) -> Reader:
        """Return the file, from its beginning, even if it was replaced; `removed` when all of it was read.

        When all of it was read, HostError is raised for a file that another process has changed since it was written.
        """
        return _Opened(os.path.join(os.path.dirname(self._place), self._file.name), self._file, self._written, removed)

    @property
    def is_there(self) -> bool:
        """Whether it was not removed yet."""
        return bool(self._file.name)

    def put_in_place(self, *, uid: int, gid: int, mode: int | None = None) -> tuple[os.stat_result, list[str]]:
        """Set user, group and mode and rename it to its place, where a link is replaced.

        Without `mode` it gets 0600, and the mask of a list that was carried over (decisions.md Q95). Returns the state
        of this file, even if another process has put another one in the same place, and the names of the attributes of
        a replaced file that were not carried over. Raises NotRegular and SystemCallError.
        """
        file = self._file
        try:
            dropped = file.carry_over(self._place)
            # The mask is for the group that it is to have.
            if (file.found.st_uid, file.found.st_gid) != (uid, gid):
                os.chown(file.fd, uid, gid)
            os.chmod(file.fd, _MODE | file.mask if mode is None else mode)
            file.replace_file(self._place)
            file.keep_owner(uid, gid)
            return os.fstat(file.fd), dropped
        except OSError as error:
            raise SystemCallError("rename", self._place, error) from None
        finally:
            self.discard()

    def keep_as(self, name: str) -> None:
        """Rename it to `name` in its directory, in place of any file: for the files of ccm itself. It stays open.

        Raises SystemCallError.
        """
        try:
            self._file.put_in_place(name)
        except OSError as error:
            raise SystemCallError("rename", self._place, error) from None

    def discard(self) -> None:
        """Remove it, unless it is in its place already."""
        self._file.close()
        self._parent.close()


class _Opened(Reader):
    """A reader of a hidden file, which is `removed` when all of it was read."""

    def __init__(self, path: str, file: HiddenFile, written: tuple[int, int], removed: bool) -> None:
        self.path = path
        self.fd = os.dup(file.fd)
        self.size = os.fstat(self.fd).st_size
        self._file = file
        self._written = written
        self._removed = removed
        os.lseek(self.fd, 0, os.SEEK_SET)

    def all_read(self) -> None:
        if _content_state(self.fd) != self._written:
            raise changed(self.path)
        if self._removed:
            self._file.remove()


def changed(path: str) -> HostError:
    """Return the error for a file that another process has changed meanwhile."""
    return HostError(f"{path} was changed by another process meanwhile; run again", path=path)


def _content_state(fd: int) -> tuple[int, int]:
    found = os.fstat(fd)
    return found.st_size, found.st_mtime_ns


def download(request: Request, place: str) -> Download:
    """Download a file to a hidden one, 0600, in the directory of `place`.

    Raises HTTPStatusError, HTTPError for other errors of the download, LinkNotFollowed and SystemCallError; then
    nothing stays.
    """
    try:
        parent = Parent(place)
    except (OSError, ValueError) as error:
        raise SystemCallError("open", place, error) from None
    try:
        file = _hidden_beside(place, parent)
        try:
            transfer = _Transfer(request, file.fd, os.path.join(os.path.dirname(place), file.name))
            transfer.run()
        except BaseException:
            file.close()
            raise
    except BaseException:
        parent.close()
        raise
    return Download(place, parent, file, transfer)


def _hidden_beside(place: str, parent: Parent) -> HiddenFile:
    try:
        return HiddenFile(parent.fd, parent.name)
    except (OSError, ValueError) as error:
        raise SystemCallError("open", place, error) from None


class _Transfer:
    """A download in progress: `received` bytes have arrived and are in `hasher`."""

    def __init__(self, request: Request, fd: int, path: str) -> None:
        self._request = request
        self._fd = fd
        self._path = path
        self._deadline = monotonic() + request.timeout
        self._validator = ""
        self._total: int | None = None
        self.received = 0
        self.hasher: Digest
        self.tag = ""
        self.modified = ""

    def run(self) -> None:
        pause = _FIRST_PAUSE
        for left in range(self._request.tries - 1, -1, -1):
            before = self.received
            try:
                self._receive()
                return
            except HTTPError as error:
                passing = not isinstance(error, (HTTPStatusError, HeaderError, TooLarge)) or (
                    isinstance(error, HTTPStatusError) and error.status in _PASSING
                )
                if not (left and passing and monotonic() + pause < self._deadline):
                    raise
                if self._request.notice and self.received:
                    self._request.notice(f"the download is tried again after {self.received} bytes: {error}")
            if self.received == before:
                self._request.before_waiting()
                sleep(pause)
                pause *= 2

    def _receive(self) -> None:
        request = self._request
        request.before_waiting()
        public = request.conditions
        if self._validator:
            public = {"Range": f"bytes={self.received}-", "If-Range": self._validator}
        response = get(
            request.url,
            headers=request.headers,
            public=public,
            username=request.username,
            password=request.password,
            timeout=self._deadline - monotonic(),
        )
        with response:
            if not self._is_missing_part(response):
                response.require_ok()
                self._begin(response)
            self._store(response)

    def _is_missing_part(self, response: Response) -> bool:
        """Return whether the response is exactly the missing part."""
        if response.status == 416:
            self._validator = ""
            raise HTTPError("the server has less than it announced", response.url)
        if not self._validator or response.status != 206:
            return False
        if response.headers.get("Content-Range") != f"bytes {self.received}-{(self._total or 0) - 1}/{self._total}":
            self._validator = ""
            raise HTTPError("the server sent another part than it was asked for", response.url)
        return True

    def _begin(self, response: Response) -> None:
        self.received = 0
        self._total = response.length
        self._require_within_limit(response.length or 0)
        try:
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.ftruncate(self._fd, 0)
        except OSError as error:
            raise SystemCallError("truncate", self._path, error) from None
        self.hasher = sha256(size=_UNKNOWN_SIZE if response.length is None else response.length)
        self._validator = _validator(response) if response.length else ""
        self.tag, self.modified = (response.headers.get(name, "") for name in ("ETag", "Last-Modified"))

    def _store(self, response: Response) -> None:
        progress = self._request.progress
        for chunk in response.chunks(_CHUNK):
            self._require_within_limit(self.received + len(chunk))
            self.hasher.update(chunk)
            write_all(self._fd, chunk, self._path, lead="could not copy file: ")
            self.received += len(chunk)
            if progress:
                progress(self.received, self._total)

    def _require_within_limit(self, size: int) -> None:
        limit = self._request.limit
        if limit is not None and size > limit:
            raise TooLarge(f"the file is larger than {limit} bytes, the limit of downloads", self._request.url)


def _validator(response: Response) -> str:
    """Return a value that identifies the version of a file, when its server supports ranges."""
    headers = response.headers
    if headers.get("Accept-Ranges", "").strip().lower() != "bytes":
        return ""
    tag = headers.get("ETag", "")
    return tag if tag.startswith('"') else headers.get("Last-Modified", "")
