# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Directories opened so that no other user redirects a write by a symbolic link (decisions.md Q81).

A directory is opened first and checked then. When the kernel returns exactly the requested path for it, no link was
followed. Else the path is walked. All later steps are relative to the descriptor, so changes of the path meanwhile have
no effect.
"""

from __future__ import annotations

import os

from .descriptors import path_of
from .errors import SystemCallError

_DIRECTORY = os.O_DIRECTORY | os.O_CLOEXEC


class Parent:
    """The directory that contains `path`, open within `with` as `fd`, and the `name` of `path` in it.

    With `mode` (0..0o777) missing directories are made with it, less the umask. Raises LinkNotFollowed, OSError and
    ValueError; SystemCallError for a directory that cannot be made.
    """

    def __init__(self, path: str, mode: int | None = None) -> None:
        directory, name = os.path.split(path)
        self.name = name or "."
        self.fd = open_directory(directory, mode=mode)

    def __enter__(self) -> Parent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it, once."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def open_directory(path: str, flags: int = os.O_PATH, *, mode: int | None = None) -> int:
    """Return the descriptor of the directory `path`, which may be a link.

    `flags`, `mode` and errors are the same as for `Parent`.
    """
    try:
        fd = os.open(path or ".", flags | _DIRECTORY)
    except (OSError, ValueError) as error:
        if mode is None:
            raise
        if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
            raise SystemCallError("mkdir", path, error) from None
    else:
        if path_of(fd) == path:
            return fd
        os.close(fd)
    from .path_resolution import resolve_directory

    return resolve_directory(path, flags, mode)
