# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A file fetched over HTTP(S) to a hidden place beside its own, and put in place when it is wanted (features.md 5.1).

The checksum is made while the file arrives. What is cut off is fetched on from where it ended when the server offers
ranges, else from the beginning. What processes that were killed left is removed by the next download.
"""

from __future__ import annotations

import os
import stat

from .descriptors import try_lock, write_all
from .digests import sha256
from .http import HeaderError, HTTPError, HTTPStatusError, Response, get
from .system_errors import SystemCallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Mapping

#: Seconds that a download may take in all, and how often the server is asked at most.
TIMEOUT = 60.0
TRIES = 3

_CHUNK = 256 * 1024
# So that the import of OpenSSL is known to be worth its time.
_UNKNOWN_SIZE = 1 << 20
_SUFFIX = ".download"
_LONGEST_STEM = 200
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
#: Answers after which the same question may be answered better.
_PASSING = (408, 429, 500, 502, 503, 504)
_FIRST_PAUSE = 0.5


class Request:
    """What to ask for: `url`, `headers`, `username` with `password` (see `http.get`), and with how much patience.

    `timeout` is in seconds and for all of the `tries`. `told` is told when what was cut off is tried again, `progress`
    of the bytes that have arrived and of those that were announced (None when none were).
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
        told: Callable[[str], None] | None = None,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> None:
        self.url = url
        self.headers = headers
        self.username = username
        self.password = password
        self.timeout = timeout
        self.tries = tries
        self.told = told
        self.progress = progress


class Download:
    """A file, all of it, that is not yet in its place: `path` is where it is, `digest` its SHA-256 in hexadecimal."""

    def __init__(self, place: str, path: str, fd: int, size: int, digest: str) -> None:
        self.path = path
        self.size = size
        self.digest = digest
        self._place = place
        self._fd = fd

    def put_in_place(self, *, uid: int, gid: int, mode: int = 0o600) -> None:
        """Give it to user and group and rename it to its place, where a link is replaced. Raises SystemCallError."""
        try:
            os.chmod(self._fd, mode)
            found = os.fstat(self._fd)
            if (found.st_uid, found.st_gid) != (uid, gid):
                os.chown(self._fd, uid, gid)
            os.rename(self.path, self._place)
            found = os.lstat(self._place)
            if (found.st_uid, found.st_gid) != (uid, gid):  # file systems of containers may forget it
                os.chown(self._place, uid, gid, follow_symlinks=False)
        except OSError as error:
            self.discard()
            raise SystemCallError("rename", self._place, error) from None
        self._close()

    def discard(self) -> None:
        """Remove it, unless it is in its place already."""
        if self._fd >= 0:
            _unlink(self.path)
            self._close()

    def _close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def download(request: Request, place: str) -> Download:
    """Fetch what is asked for to a hidden file, 0600, in the directory of `place`.

    Raises HTTPStatusError, HTTPError for what else goes wrong on the way, and SystemCallError; nothing stays then.
    """
    _sweep(place)
    path, fd = _create(place)
    transfer = _Transfer(request, fd, path)
    try:
        transfer.run()
    except BaseException:
        _unlink(path)
        os.close(fd)
        raise
    return Download(place, path, fd, transfer.received, transfer.hasher.hexdigest())


class _Transfer:
    """A download under way: `received` bytes have arrived, `hasher` has seen them."""

    def __init__(self, request: Request, fd: int, path: str) -> None:
        from time import monotonic

        self._request = request
        self._fd = fd
        self._path = path
        self._deadline = monotonic() + request.timeout
        self._validator = ""
        self._total: int | None = None
        self.received = 0
        self.hasher: Any = None

    def run(self) -> None:
        from time import monotonic, sleep

        pause = _FIRST_PAUSE
        for left in range(self._request.tries - 1, -1, -1):
            before = self.received
            try:
                self._receive()
                return
            except HTTPError as error:
                passing = not isinstance(error, (HTTPStatusError, HeaderError)) or (
                    isinstance(error, HTTPStatusError) and error.status in _PASSING
                )
                if not (left and passing and monotonic() + pause < self._deadline):
                    raise
                if self._request.told and self.received:
                    self._request.told(f"the download is tried again after {self.received} bytes: {error}")
            if self.received == before:
                sleep(pause)
                pause *= 2

    def _receive(self) -> None:
        from time import monotonic

        request = self._request
        public = {"Range": f"bytes={self.received}-", "If-Range": self._validator} if self._validator else None
        response = get(
            request.url,
            headers=request.headers,
            public=public,
            username=request.username,
            password=request.password,
            timeout=self._deadline - monotonic(),
        )
        with response:
            if not self._goes_on(response):
                response.require_ok()
                self._begin(response)
            self._store(response)

    def _goes_on(self, response: Response) -> bool:
        """Whether the answer is what lacks, and nothing else."""
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
        try:
            os.lseek(self._fd, 0, os.SEEK_SET)
            os.ftruncate(self._fd, 0)
        except OSError as error:
            raise SystemCallError("truncate", self._path, error) from None
        self.hasher = sha256(size=_UNKNOWN_SIZE if response.length is None else response.length)
        self._validator = _validator(response) if response.length else ""

    def _store(self, response: Response) -> None:
        progress = self._request.progress
        for chunk in response.chunks(_CHUNK):
            self.hasher.update(chunk)
            write_all(self._fd, chunk, self._path, lead="could not copy file: ")
            self.received += len(chunk)
            if progress:
                progress(self.received, self._total)


def _validator(response: Response) -> str:
    """What tells that a file is still the same, when its server offers to send parts of it."""
    headers = response.headers
    if headers.get("Accept-Ranges", "").strip().lower() != "bytes":
        return ""
    tag = headers.get("ETag", "")
    return tag if tag.startswith('"') else headers.get("Last-Modified", "")


def _stem(place: str) -> tuple[str, str]:
    parent, name = os.path.split(place)
    return parent, "." + os.fsdecode(os.fsencode(name)[:_LONGEST_STEM]) + "."


def _create(place: str) -> tuple[str, int]:
    """A new file beside `place`, locked as long as we live, so that the next download knows it for ours."""
    parent, stem = _stem(place)
    while True:
        path = os.path.join(parent, stem + os.urandom(5).hex() + _SUFFIX)
        try:
            fd = os.open(path, _CREATE, 0o600)
        except FileExistsError:
            continue
        except (OSError, ValueError) as error:
            raise SystemCallError("open", path, error) from None
        if try_lock(fd) and os.fstat(fd).st_nlink:
            return path, fd
        os.close(fd)


def _sweep(place: str) -> None:
    """Remove what killed downloads to the same place left."""
    parent, stem = _stem(place)
    try:
        names = [name for name in os.listdir(parent) if name.startswith(stem) and name.endswith(_SUFFIX)]
    except (OSError, ValueError):
        return
    for name in names:
        path = os.path.join(parent, name)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            found = os.fstat(fd)
            if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and try_lock(fd):
                _unlink(path)
        finally:
            os.close(fd)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
