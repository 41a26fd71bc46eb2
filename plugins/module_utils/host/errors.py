# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong on this machine; the layers above turn it into errors of a resource."""

from __future__ import annotations

import errno as codes


class HostError(Exception):
    """Something on this machine refused.

    `text` is the whole message. `errno` is the operating system's number for it and `path` the file it is about, 0
    and "" where there is none.
    """

    def __init__(self, text: str, *, path: str = "", errno: int = 0) -> None:
        super().__init__(text)
        self.text = text
        self.path = path
        self.errno = errno

    def __str__(self) -> str:
        return self.text

    @property
    def denied(self) -> bool:
        """Whether we lack the permission."""
        return self.errno in (codes.EACCES, codes.EPERM)
