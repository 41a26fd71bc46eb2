# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files read whole by those who have to have them so."""

from __future__ import annotations

import errno

from .errors import HostError
from .looking import Reader

#: Bytes of the largest file that is read, and of the largest answer of a web server.
LARGEST = 64 << 20


def read_whole(path: str) -> bytes:
    """All that is in a file. Raises SystemCallError; HostError for what is no file, and more than LARGEST bytes."""
    parts: list[bytes] = []
    room = LARGEST
    with Reader(path) as reader:
        while reader.size <= LARGEST and room >= 0:
            part = reader.read()
            if not part:
                return b"".join(parts)
            parts.append(part)
            room -= len(part)
    raise HostError(f"{path} is larger than {LARGEST >> 20} MiB", path=path, errno=errno.EFBIG)
