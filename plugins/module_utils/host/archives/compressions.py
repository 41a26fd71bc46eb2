# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpackers of single streams of packed data, as tars are packed in and entries of zips (decisions.md Q89)."""

from __future__ import annotations

import zlib

from .entry import ArchiveError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Callable, Protocol

    class Decoder(Protocol):
        """A decompressor as `bz2`, `lzma` and `compression.zstd` have it."""

        @property
        def eof(self) -> bool: ...

        @property
        def needs_input(self) -> bool: ...

        @property
        def unused_data(self) -> bytes: ...

        def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


#: The memory that an unpacker may take: more than `xz -9` and `zstd --ultra -22` need.
_MOST_MEMORY = 192 << 20
_DEFLATED = -15
_TAR_FAILED = 2
_LZMA_HEADER = 9


class DamagedData(Exception):
    """Packed data cannot be unpacked; the text is the reason."""


def damage(error: DamagedData) -> str:
    """Return the damage of packed data as messages name it."""
    return f"the packed data {'needs too much memory' if 'memory' in str(error).lower() else 'is damaged'}"


class Unpacker:
    """One packed stream that `decoder` unpacks, whose errors are `errors`."""

    def __init__(self, decoder: Decoder, *errors: type[Exception]) -> None:
        self._decoder = decoder
        self._errors: tuple[type[Exception], ...] = (*errors, EOFError)

    @property
    def is_complete(self) -> bool:
        """Whether the end of the stream was reached, and its checksum is right."""
        return self._decoder.eof

    @property
    def needs_input(self) -> bool:
        """Whether all that can be unpacked from the data so far was returned."""
        return self._decoder.needs_input

    @property
    def rest(self) -> bytes:
        """The data after the end of the stream."""
        return self._decoder.unused_data

    def unpack(self, data: bytes, limit: int) -> bytes:
        """Return the next unpacked bytes, at most `limit`, perhaps none. Raises DamagedData."""
        try:
            return self._decoder.decompress(data, limit)
        except self._errors as error:
            raise DamagedData(str(error)) from None


class Format:
    """A format of packed files: `name`, its first bytes `magic`, and a function that makes an unpacker.

    `padding` are the bytes that may follow the packed data, None for any.
    """

    def __init__(self, name: str, magic: bytes, padding: bytes | None, make: Callable[[], Unpacker]) -> None:
        self.name = name
        self.magic = magic
        self.padding = padding
        self.unpacker = make


def deflated() -> Unpacker:
    """Return an unpacker of deflated data without a header, as in zips."""
    return Unpacker(_Zlib(_DEFLATED), zlib.error)


def bzip2(code: int = _TAR_FAILED) -> Unpacker:
    """Return an unpacker of bzip2. Raises ArchiveError with `code` where Python lacks it."""
    try:
        from bz2 import BZ2Decompressor
    except ImportError:
        raise _missing("bzip2", "bz2", code) from None
    return Unpacker(BZ2Decompressor(), OSError, ValueError)


def lzma_in_zip(size: int, code: int) -> Unpacker:
    """Return an unpacker of LZMA as in zips, of `size` bytes: its end need not be marked.

    Raises ArchiveError with `code` where Python lacks it.
    """
    lzma = _lzma("lzma", code)
    return Unpacker(_LzmaInZip(lzma, size), lzma.LZMAError, ValueError)


def _gzip() -> Unpacker:
    return Unpacker(_Zlib(31), zlib.error)


def _xz() -> Unpacker:
    lzma = _lzma("xz", _TAR_FAILED)
    return Unpacker(lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MOST_MEMORY), lzma.LZMAError)


def _lzma(name: str, code: int) -> ModuleType:
    """Return the module `lzma`. Raises ArchiveError with `code` where Python lacks it."""
    try:
        import lzma
    except ImportError:
        raise _missing(name, "lzma", code) from None
    return lzma


def _zstd() -> Unpacker:
    """Return the unpacker of Python 3.14. Raises ImportError where Python lacks it."""
    module = __import__("compression.zstd", fromlist=["zstd"])
    decoder: Decoder = module.ZstdDecompressor()
    return Unpacker(decoder, module.ZstdError)


GZIP = Format("gzip", b"\x1f\x8b", b"\0", _gzip)
ZSTD = Format("zstd", b"\x28\xb5\x2f\xfd", b"", _zstd)
#: The formats that a tar may be packed in, by the kind of archive.
FORMATS = {
    "tar.gz": GZIP,
    "tar.bz2": Format("bzip2", b"BZh", None, bzip2),
    "tar.xz": Format("xz", b"\xfd7zXZ\0", b"\0", _xz),
    "tar.zst": ZSTD,
}


def _missing(name: str, module: str, code: int) -> ArchiveError:
    return ArchiveError(f"{name}: the Python that runs ccm has no module {module}, which is needed to unpack it", code)


class _Zlib:
    """The decompressor of `zlib` with the methods of Decoder."""

    def __init__(self, window: int) -> None:
        self._unpacker = zlib.decompressobj(window)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._unpacker.eof

    @property
    def unused_data(self) -> bytes:
        return self._unpacker.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        held = self._unpacker.unconsumed_tail
        found = self._unpacker.decompress(held + data if held else data, max_length)
        self.needs_input = not self._unpacker.unconsumed_tail and len(found) < max_length
        return found


class _LzmaInZip:
    """LZMA with its properties before the data, of `size` bytes, with the methods of Decoder."""

    def __init__(self, lzma: ModuleType, size: int) -> None:
        self._lzma = lzma
        self._left = size
        self._header = b""
        self._decoder: Decoder | None = None
        self.unused_data = b""

    @property
    def eof(self) -> bool:
        return self._left == 0 or (self._decoder is not None and self._decoder.eof)

    @property
    def needs_input(self) -> bool:
        return self._decoder is None or self._decoder.needs_input

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        if self._decoder is None:
            self._header += data
            if len(self._header) < _LZMA_HEADER:
                return b""
            self._decoder, data = _raw_decoder(self._lzma, self._header), self._header[_LZMA_HEADER:]
        found = self._decoder.decompress(data, min(max_length, self._left))
        self._left -= len(found)
        return found


def _raw_decoder(lzma: ModuleType, header: bytes) -> Decoder:
    """Return the decompressor for a version, the length 5, and five bytes of properties. Raises ValueError."""
    length, packed, memory = header[2] | header[3] << 8, header[4], int.from_bytes(header[5:9], "little")
    if length != 5 or packed >= 9 * 5 * 5 or memory > _MOST_MEMORY:
        raise ValueError("its properties are not those of LZMA, or need too much memory")
    lc, lp, pb = packed % 9, packed // 9 % 5, packed // 45
    properties = {"id": lzma.FILTER_LZMA1, "dict_size": memory, "lc": lc, "lp": lp, "pb": pb}
    decoder: Decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=[properties])
    return decoder
