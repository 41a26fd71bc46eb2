# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The bytes of a tar, packed or not, read piece by piece."""

from __future__ import annotations

from .compressions import DamagedData, damage
from .entry import ArchiveError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Iterator

    from .compressions import Format
    from .limits import UnpackLimits

_BLOCK = 256 * 1024
_PACKED_BLOCK = 64 * 1024
_DAMAGED = 2


class OtherFormat(ArchiveError):
    """The data do not begin as data of their format do."""


class Stream:
    """Bytes from `fill`, which returns the next ones and none at the end.

    `is_packed` is whether they come from packed data, which only reading to the end shows to be right.
    """

    def __init__(self, fill: Callable[[], bytes], *, is_packed: bool = True) -> None:
        self._fill = fill
        self.is_packed = is_packed
        self._block = b""
        self._view = memoryview(b"")
        self._at = 0

    def read(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer at the end."""
        at = self._at
        found = self._block[at : at + size]
        if len(found) == size:
            self._at = at + size
            return found
        return b"".join(self.pieces(size, whole=False))

    def held(self, size: int) -> memoryview | None:
        """Return the next `size` bytes if nothing need be read for them."""
        at = self._at
        end = at + size
        if end > len(self._block):
            return None
        self._at = end
        return self._view[at:end]

    def pieces(self, size: int, *, whole: bool = True) -> Iterator[memoryview]:
        """Yield the next `size` bytes as they come. Raises ArchiveError for fewer, unless `whole` is false."""
        while size > 0:
            if self._at == len(self._block):
                self._block = self._fill()
                self._view = memoryview(self._block)
                self._at = 0
                if not self._block:
                    if whole:
                        raise ArchiveError("unexpected end of the archive", _DAMAGED)
                    return
            piece = self._view[self._at : self._at + size]
            self._at += len(piece)
            size -= len(piece)
            yield piece

    def skip(self, size: int) -> None:
        """Skip `size` bytes. Raises ArchiveError when there are fewer."""
        end = self._at + size
        if end <= len(self._block):
            self._at = end
            return
        for _piece in self.pieces(size):
            pass

    def drain(self) -> None:
        """Read to the end of packed data, whose checksum comes last. Raises ArchiveError."""
        while self.is_packed and self._fill():
            pass


def plain(read: Callable[[int], bytes]) -> Stream:
    """Return the bytes of `read`, which takes a largest number of bytes and returns none at the end."""
    return Stream(lambda: read(_BLOCK), is_packed=False)


def unpacked(read: Callable[[int], bytes], format: Format, allowance: UnpackLimits) -> Stream:
    """Return the unpacked data of the packed data of `read`, all streams one after the other.

    Raises OtherFormat, and ArchiveError for damage.
    """
    return Stream(_Packed(read, format, allowance).fill)


class _Packed:
    def __init__(self, read: Callable[[int], bytes], format: Format, allowance: UnpackLimits) -> None:
        self._read = read
        self._format = format
        self._allowance = allowance
        self._unpacker = format.unpacker()
        self._data = b""
        self._members = 0

    def fill(self) -> bytes:
        """Return the next unpacked bytes, none at the end."""
        while not self._unpacker.is_complete or self._next_member():
            if not self._members:
                self._begin()
            if self._unpacker.needs_input and not self._data:
                self._data = self._read(_PACKED_BLOCK)
                if not self._data:
                    raise self._error("unexpected end of file")
            data, self._data = self._data, b""
            try:
                found = self._unpacker.unpack(data, _BLOCK)
            except DamagedData as error:
                if self._members == 1 and "header" in str(error):
                    raise self._other_format() from None
                raise self._error(damage(error)) from None
            if found:
                self._allowance.take(len(found))
                return found
        return b""

    def _begin(self) -> None:
        magic = self._format.magic
        self._data = self._filled(b"", len(magic))
        if not magic.startswith(self._data[: len(magic)]):
            raise self._other_format()
        self._members = 1

    def _next_member(self) -> bool:
        """Begin with the next stream, if there is one; other data after a stream must be padding."""
        magic, padding = self._format.magic, self._format.padding
        rest = self._unpacker.rest
        while True:
            rest = rest.lstrip(padding) if padding else rest
            more = self._read(_PACKED_BLOCK) if len(rest) < len(magic) else b""
            if not more:
                break
            rest += more
        if rest.startswith(magic):
            self._members += 1
            self._data = rest
            self._unpacker = self._format.unpacker()
            return True
        if rest and padding is not None:
            raise self._error("other data follow the packed data")
        return False

    def _filled(self, data: bytes, size: int) -> bytes:
        while len(data) < size:
            more = self._read(_PACKED_BLOCK)
            if not more:
                break
            data += more
        return data

    def _other_format(self) -> OtherFormat:
        return OtherFormat(f"{self._format.name}: stdin: not in {self._format.name} format", _DAMAGED)

    def _error(self, reason: str) -> ArchiveError:
        return ArchiveError(f"{self._format.name}: {reason}", _DAMAGED)
