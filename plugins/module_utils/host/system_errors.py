# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the operating system refuses, in its own words."""

from __future__ import annotations

import errno as codes
import os

from .errors import HostError


class SystemCallError(HostError):
    """The operating system refused `op` on `path`.

    The text is `<op> <path>: <reason>` as the original prints it: `open /x: no such file or directory`. `cause` is what
    Python raised for it: an OSError, or the ValueError of a path that no system call can be handed, which counts as
    EINVAL. `lead` goes before the text.
    """

    def __init__(self, op: str, path: str, cause: OSError | ValueError, *, lead: str = "") -> None:
        number = errno_of(cause)
        super().__init__(f"{lead}{op} {path}: {reason_of(number)}", path=path, errno=number)
        self.op = op


def errno_of(error: OSError | ValueError) -> int:
    """The number for what a system call, or Python on the way to it, raised; EINVAL when it has none."""
    return (error.errno or codes.EIO) if isinstance(error, OSError) else codes.EINVAL


def reason_of(errno: int) -> str:
    """The operating system's words for the number, beginning in lower case: `no such file or directory`."""
    words = os.strerror(errno)
    return words[:1].lower() + words[1:]
