# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a tar, packed by gzip or not, read piece by piece."""

from __future__ import annotations

import os
import zlib

from .entry import ArchiveError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from .limits import UnpackLimits

_BLOCK = 256 * 1024
_PACKED_BLOCK = 64 * 1024
_GZIP = b"\x1f\x8b"
_DAMAGED = 2


class NoGzip(ArchiveError):
    """The data do not begin as a gzip file does."""


class Stream:
    """Bytes from `fill`, which returns the next ones and none at the end."""

    def __init__(self, fill: Callable[[], bytes]) -> None:
        self._fill = fill
        self._block = memoryview(b"")

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer at the end."""
        if len(self._block) >= size:
            found, self._block = self._block[:size], self._block[size:]
            return bytes(found)
        return b"".join(self.pieces(size, whole=False))

    def pieces(self, size: int, *, whole: bool = True) -> Iterator[memoryview]:
        """Yield the next `size` bytes as they come. Raises ArchiveError for fewer, unless `whole` is false."""
        while size > 0:
            if not self._block:
                self._block = memoryview(self._fill())
                if not self._block:
                    if whole:
                        raise ArchiveError("unexpected end of the archive", _DAMAGED)
                    return
            piece = self._block[:size]
            self._block = self._block[len(piece) :]
            size -= len(piece)
            yield piece

    def skip(self, size: int) -> None:
        """Skip `size` bytes. Raises ArchiveError when there are fewer."""
        for _piece in self.pieces(size):
            pass


def plain(read: Callable[[int], bytes]) -> Stream:
    """Return the bytes of `read`, which takes a largest number of bytes and returns none at the end."""
    return Stream(lambda: read(_BLOCK))


def unzipped(read: Callable[[int], bytes], allowance: UnpackLimits) -> Stream:
    """Return the unpacked data of the gzip data of `read`, all members. Raises NoGzip, and ArchiveError for damage."""
    return Stream(_Gzip(read, allowance).fill)


def is_gzip(fd: int) -> bool:
    """Return whether the file begins as a gzip file does."""
    return os.pread(fd, len(_GZIP), 0) == _GZIP


class _Gzip:
    def __init__(self, read: Callable[[int], bytes], allowance: UnpackLimits) -> None:
        self._read = read
        self._allowance = allowance
        self._make = zlib.decompressobj
        self._error = zlib.error
        self._unpacker = self._make(31)
        self._packed = b""
        self._members = 0

    def fill(self) -> bytes:
        """Return the next unpacked bytes, none at the end."""
        while True:
            if self._unpacker.eof and not self._next_member():
                return b""
            if not self._packed:
                self._packed = self._read(_PACKED_BLOCK)
                if not self._packed:
                    raise ArchiveError("gzip: unexpected end of file", _DAMAGED)
            try:
                data: bytes = self._unpacker.decompress(self._packed, _BLOCK)
            except self._error as error:
                if not self._members and "header" in str(error):
                    raise NoGzip("gzip: stdin: not in gzip format", _DAMAGED) from None
                raise ArchiveError("gzip: the packed data is damaged", _DAMAGED) from None
            self._packed = self._unpacker.unconsumed_tail
            if data:
                self._allowance.take(len(data))
                return data

    def _next_member(self) -> bool:
        """Begin with the next member, if there is one; other data after a member are padding."""
        rest = self._unpacker.unused_data
        if len(rest) < len(_GZIP):
            rest += self._read(_PACKED_BLOCK)
        if not rest.startswith(_GZIP):
            return False
        self._members += 1
        self._packed = rest
        self._unpacker = self._make(31)
        return True
