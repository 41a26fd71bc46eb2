# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that are read as a whole, up to a limit."""

from __future__ import annotations

import errno

from .errors import HostError
from .reading import Reader

#: The largest file that is read, and the largest response of a web server, in bytes.
LARGEST = 64 << 20


def read_limited(path: str) -> bytes:
    """Return all of a file.

    Raises SystemCallError; HostError for a path that is no file, and for more than LARGEST bytes.
    """
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
