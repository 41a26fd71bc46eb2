# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of this machine; the layers above turn them into errors of a resource."""

from __future__ import annotations

import errno as codes
import os


class HostError(Exception):
    """An operation on this machine failed.

    `text` is the whole message. `errno` is the operating system's number for it and `path` the file it is about, 0 and
    "" where there is none.
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
        """Whether a permission is missing."""
        return self.errno in (codes.EACCES, codes.EPERM)


class WrongCommand(TypeError):
    """A command was given as one text. The message does not have that text, which may hold secrets."""

    def __init__(self) -> None:
        super().__init__("a command must be a list of its program and its arguments, not one text")


class SystemCallError(HostError):
    """The operating system refused `op` on `path`.

    The text is `<op> <path>: <reason>` as the original prints it: `open /x: no such file or directory`. `cause` is the
    exception of Python: an OSError, or the ValueError of a path that is invalid for system calls, which counts as
    EINVAL. `lead` goes before the text.
    """

    def __init__(self, op: str, path: str, cause: OSError | ValueError, *, lead: str = "") -> None:
        number = errno_of(cause)
        super().__init__(f"{lead}{op} {path}: {reason_of(number)}", path=path, errno=number)
        self.op = op


class LinkNotFollowed(HostError):
    """A symbolic link on the way leads to a path of another owner, and its owner is neither root nor this user."""


def errno_of(error: OSError | ValueError) -> int:
    """Return the number of the exception of a system call, or of Python before it; EINVAL when it has none."""
    return (error.errno or codes.EIO) if isinstance(error, OSError) else codes.EINVAL


def reason_of(errno: int) -> str:
    """Return the operating system's words for the number, beginning in lower case: `no such file or directory`."""
    words = os.strerror(errno)
    return words[:1].lower() + words[1:]
