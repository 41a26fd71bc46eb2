# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The entries of an archive of any kind."""

from __future__ import annotations

import os

from .compressions import FORMATS
from .streams import Stream, plain, unpacked
from .tar import BLOCK, TarReader, is_header
from .zip import ZipReader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack
    from typing import Callable

    from ..reading import Reader
    from .compressions import Format
    from .entry import EntryRefused
    from .limits import UnpackLimits


def entries_of(
    reader: Reader,
    kind: str,
    refused: Callable[[EntryRefused], None],
    notice: Callable[[str], None],
    allowance: UnpackLimits,
    stack: ExitStack,
) -> TarReader | ZipReader:
    """Return the entries of the archive of a reader; `kind` as in `unpack`.

    `refused` and `notice` are called as by TarReader and ZipReader; what unpacks the bytes is closed with the stack.
    Raises as they do.
    """
    if kind == "zip":
        return ZipReader(reader.fd, reader.path, reader.size, refused, notice, allowance)
    return TarReader(_stream(reader, kind, allowance, stack), refused, notice)


def _stream(reader: Reader, kind: str, allowance: UnpackLimits, stack: ExitStack) -> Stream:
    format = FORMATS[kind] if kind != "tar" else _format_of(reader.fd)
    if format is None:
        return plain(reader.read)
    try:
        return unpacked(reader.read, format, allowance)
    except ImportError:
        from .zstd import ZstdProgram

        program = ZstdProgram(reader.fd, allowance)
        stack.callback(program.close)
        return Stream(program.fill)


def _format_of(fd: int) -> Format | None:
    """Return what a tar is packed in, by its first bytes; None when it is not packed."""
    block = os.pread(fd, BLOCK, 0)
    if is_header(block):
        return None
    return next((format for format in FORMATS.values() if block.startswith(format.magic)), None)
