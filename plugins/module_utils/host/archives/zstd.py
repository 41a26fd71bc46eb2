# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Zstandard unpacked by its program, where Python itself cannot (decisions.md Q89)."""

from __future__ import annotations

import os
from subprocess import DEVNULL, PIPE, Popen

from ..errors import SystemCallError
from ..programs import PATH, find_program
from .compressions import ZSTD
from .entry import ArchiveError
from .streams import OtherFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .limits import UnpackLimits

_BLOCK = 256 * 1024
_FAILED = 2


class ZstdProgram:
    """The program `zstd` that unpacks the file open as `fd`, until `close`."""

    def __init__(self, fd: int, allowance: UnpackLimits) -> None:
        """Start it. Raises ArchiveError when it is not there, OtherFormat, and SystemCallError."""
        if os.pread(fd, len(ZSTD.magic), 0) != ZSTD.magic:
            raise OtherFormat("zstd: stdin: not in zstd format", _FAILED)
        self._allowance = allowance
        program = _program()
        try:
            self._process = Popen(
                [program, "-q", "-d", "-c"],
                stdin=fd,
                stdout=PIPE,
                stderr=DEVNULL,
                cwd="/",
                env={"PATH": PATH, "LC_ALL": "C"},
                start_new_session=True,
            )
        except OSError as error:
            raise SystemCallError("exec", program, error) from None
        output = self._process.stdout
        self._output = output.fileno() if output else -1

    def fill(self) -> bytes:
        """Return the next unpacked bytes, none at the end. Raises ArchiveError for damage."""
        found = os.read(self._output, _BLOCK)
        if not found and self._process.wait():
            raise ArchiveError("zstd: the packed data is damaged or needs too much memory", _FAILED)
        self._allowance.take(len(found))
        return found

    def close(self) -> None:
        """End it."""
        if self._process.stdout:
            self._process.stdout.close()
        self._process.kill()
        self._process.wait()


def _program() -> str:
    program = find_program("zstd")
    if not program:
        text = "neither Python's module compression.zstd (3.14) nor a program zstd is there to unpack it"
        raise ArchiveError(f"zstd: {text}", _FAILED)
    return program
