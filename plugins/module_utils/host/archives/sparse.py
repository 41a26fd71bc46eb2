# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Data of a tar entry in addition to its header: pax records, and the places of a sparse file's data."""

from __future__ import annotations

from .entry import ArchiveError
from .numbers import decimal, length, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .streams import Stream

_BLOCK = 512
_DAMAGED = 2
_MOST_EXTENTS = 50_000
_LONGEST_NUMBER = 40
_SPREAD = (b"GNU.sparse.offset", b"GNU.sparse.numbytes")
_SPARSE = "GNU.sparse."
_KEPT = {"gid", "gname", "linkpath", "mtime", "path", "size", "uid", "uname"}


def records(data: bytes) -> dict[str, bytes]:
    """Return the used records `LENGTH KEY=VALUE` of a pax header, a map that is spread over many as one.

    Raises ArchiveError.
    """
    found: dict[str, bytes] = {}
    spread: list[bytes] = []
    at = 0
    while at < len(data):
        blank = data.find(b" ", at, at + 20)
        end = at + decimal(data[at:blank]) if blank > at else 0
        key, equals, value = data[blank + 1 : end - 1].partition(b"=")
        if not (blank < end <= len(data) and equals and data[end - 1 : end] == b"\n"):
            raise ArchiveError("the archive is damaged: a pax header cannot be read", _DAMAGED)
        if key in _SPREAD:
            spread.append(value)
        else:
            word = key.decode("utf-8", "backslashreplace")
            if word in _KEPT or (word.startswith(_SPARSE) and len(word) < _LONGEST_NUMBER):
                found[word] = value
        at = end
    if spread:
        found["GNU.sparse.map"] = b",".join(spread)
    return found


def old_extents(header: bytes, stream: Stream) -> list[tuple[int, int]]:
    """Return the extents in a header of GNU's own kind, and in the blocks after it.

    The last one ends the file.
    """
    extents = _pairs(header[386:482])
    more = header[482]
    while more:
        block = stream.read(_BLOCK)
        if len(block) < _BLOCK:
            raise ArchiveError("unexpected end of the archive", _DAMAGED)
        extents += _pairs(block[:504])
        more = block[504]
        _check_count(len(extents))
    return _checked([*extents, (number(header[483:495]), 0)])


def _pairs(fields: bytes) -> list[tuple[int, int]]:
    found = []
    for at in range(0, len(fields), 24):
        if not fields[at]:
            break
        found.append((number(fields[at : at + 12]), number(fields[at + 12 : at + 24])))
    return found


def leading_extents(stream: Stream, size: int, extensions: dict[str, bytes]) -> tuple[list[tuple[int, int]], int]:
    """Return the extents before the data, of `size` bytes with them, and how many bytes they take."""
    read = 0
    text = b""
    wanted = 1
    numbers: list[bytes] = []
    while len(numbers) < wanted:
        if size - read < _BLOCK:
            raise ArchiveError("the archive is damaged: a sparse file's map ends early", _DAMAGED)
        text += stream.read(_BLOCK)
        read += _BLOCK
        *lines, text = text.split(b"\n")
        numbers += lines
        if numbers:
            count = decimal(numbers[0])
            _check_count(count)
            wanted = 1 + 2 * count
        if len(numbers) < wanted and len(text) > _LONGEST_NUMBER:
            raise ArchiveError("the archive is damaged: a sparse file's map has a value that is not a number", _DAMAGED)
    return _extents(numbers[1:wanted], extensions), read


def listed_extents(extensions: dict[str, bytes]) -> list[tuple[int, int]]:
    """Return the extents that a pax header lists."""
    listed = extensions["GNU.sparse.map"]
    _check_count(listed.count(b",") // 2)
    numbers = listed.split(b",")
    return _extents(numbers, extensions)


def _extents(numbers: list[bytes], extensions: dict[str, bytes]) -> list[tuple[int, int]]:
    size = extensions.get("GNU.sparse.realsize") or extensions.get("GNU.sparse.size") or b"0"
    values = [decimal(text) for text in numbers]
    return _checked([*zip(values[::2], values[1::2]), (decimal(size), 0)])


def _checked(extents: list[tuple[int, int]]) -> list[tuple[int, int]]:
    for offset, size in extents:
        length(length(offset) + length(size))
    return extents


def _check_count(count: int) -> None:
    if count > _MOST_EXTENTS:
        raise ArchiveError(f"the archive is damaged: a sparse file of {count} pieces", _DAMAGED)
