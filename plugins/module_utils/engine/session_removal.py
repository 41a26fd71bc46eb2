# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Removes a session's directory, and nothing else."""

from __future__ import annotations

import os
import stat

from ..host.errors import errno_of, reason_of
from ..host.mounts import border_of, mounts_below
from ..host.scratch import temporary_root
from ..model.errors import SessionError
from .session_directory import is_session_file

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ABOVE = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


def remove_session(directory: str) -> None:
    """Remove the directory of a session that is strictly inside the system's temporary directory.

    Links are followed first. A path elsewhere, or a missing path, is ignored, as by the original. The directory may
    hold only files of a session (events, starts of runs, unfinished files) and empty regular files of any name. Raises
    SessionError when it holds anything else, when something is mounted there, and when TMPDIR is /; nothing is removed
    then. Raises it too when the system refuses.
    """
    root, path = os.path.realpath(temporary_root()), os.path.realpath(directory)
    if root == "/":
        raise SessionError(
            f"session store {directory} is not removed: TMPDIR is /",
            advice="let TMPDIR be a directory for temporary files",
        )
    if path == root or os.path.commonpath((root, path)) != root:
        return
    try:
        try:
            fd = os.open(path, _OPEN)
        except FileNotFoundError:
            return
        try:
            names = sorted(os.listdir(fd))
            _require_session(directory, path, fd, names)
            for name in names:
                os.unlink(name, dir_fd=fd)
            os.rmdir(path)
        finally:
            os.close(fd)
    except OSError as error:
        raise SessionError(f"session store {directory} cannot be removed: {reason_of(errno_of(error))}") from None


def _require_session(directory: str, path: str, fd: int, names: list[str]) -> None:
    for name in names:
        found = os.lstat(name, dir_fd=fd)
        if not (stat.S_ISREG(found.st_mode) and (is_session_file(name) or not found.st_size)):
            raise SessionError(
                f"session store {directory} is not removed: {name} in it is not a file of a session",
                advice="move what is to be kept, and remove the directory yourself",
            )
    points = [mount.point for mount in mounts_below(path)]
    above = os.open("..", _ABOVE, dir_fd=fd)
    try:
        if border_of(above) != border_of(fd):
            points.append(path)
    finally:
        os.close(above)
    if points:
        raise SessionError(
            f"session store {directory} is not removed: something is mounted on {points[0]}", advice="unmount it first"
        )
