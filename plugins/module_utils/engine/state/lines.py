# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The lines of the files of a state: words, with a version, a checksum and their place (docs/design/state.md)."""

from __future__ import annotations

from zlib import crc32

from ...model.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Sequence

VERSION = 3
#: Begins each file, before its version.
MARK = b"ccm-state\t"
_LINE = b"%d\t" % VERSION
#: Where in a line the checksum begins, and the place.
_SUM, START = len(_LINE), len(_LINE) + 9
_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_ESCAPED = ("\\", "\t", "\n", "\r")


class Damaged(Exception):
    """A line or a file of a state has content that no version of this program wrote."""


class LaterVersion(StoreError):
    """A file was written by a later version of this program."""


def line_of(words: Sequence[str], place: int) -> bytes:
    """Return words as the line that begins at a `place` of a file, in bytes; the first one has the version of it."""
    text = "\t".join(words)
    if text.count("\t") >= len(words) or any(each in text for each in _ESCAPED if each != "\t"):
        text = "\t".join([word.translate(_ESCAPES) for word in words])
    body = f"{place}\t{text}".encode("utf-8", "surrogatepass")
    return b"%b%b%08x\t%b\n" % (b"" if place else MARK, _LINE, crc32(body, VERSION), body)


def lines_of(records: Iterable[Sequence[str]], place: int) -> Iterator[bytes]:
    """Yield records as lines; the first one begins at a `place` of a file."""
    for words in records:
        line = line_of(words, place)
        place += len(line)
        yield line


def words_of(body: str) -> list[str]:
    """Return the words of a text with tabs between them."""
    words = body.split("\t")
    return words if "\\" not in body else [_unescaped(word) for word in words]


def first_words(text: bytes, path: str) -> list[str]:
    """Return the words of the first line of the file at a path, none when it is not as it was written.

    Raises LaterVersion.
    """
    version = version_of(text, path)
    if version != VERSION:
        return []
    body = body_of(text.partition(b"\n")[0], 0)
    return words_of(body.decode("utf-8", "surrogatepass"))[1:] if body else []


def version_of(text: bytes, path: str) -> int:
    """Return the version of the format of the file at a path; 0 when no version is known. Raises LaterVersion.

    The versions 1 and 2 had it in the first line of one of their files only, so that all lines count.
    """
    if text.startswith(_LINE) or b"\n" + _LINE in text:
        return VERSION
    mark, _tab, rest = text.partition(b"\t")
    number = rest.partition(b"\t")[0]
    if mark + b"\t" != MARK or not number.isdigit() or len(number) > 9:
        return 0
    if int(number) > VERSION:
        known = f"format {int(number)}, this one knows {VERSION}"
        raise LaterVersion(f"{path} was written by a later version of ccm ({known})")
    return int(number)


def body_of(line: bytes, start: int) -> bytes | None:
    """Return the place and the words of a line, with their checksum; None when it is not as it was written."""
    if not start and line.startswith(MARK):
        line = line[len(MARK) :]
    body = line[START:]
    is_whole = line.startswith(_LINE) and line[_SUM:START] == b"%08x\t" % crc32(body, VERSION)
    return body if is_whole else None


def _unescaped(word: str) -> str:
    parts = word.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)
