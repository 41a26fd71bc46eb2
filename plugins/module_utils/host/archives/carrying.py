# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Unpacked files copied to another file system, where a rename is not possible."""

from __future__ import annotations

import os
import stat

from ..descriptors import write_bytes
from .tree import OPEN_DIRECTORY

_BLOCK = 256 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def copy(source: int, name: bytes, target: int) -> None:
    """Copy `name` from one open directory to another, with its content. Raises OSError."""
    found = os.lstat(name, dir_fd=source)
    if stat.S_ISLNK(found.st_mode):
        os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
        os.chown(name, found.st_uid, found.st_gid, dir_fd=target, follow_symlinks=False)
        os.utime(name, ns=(found.st_atime_ns, found.st_mtime_ns), dir_fd=target, follow_symlinks=False)
        return
    needed = 0o700 if stat.S_ISDIR(found.st_mode) else 0o400
    if found.st_mode & needed != needed:  # its owner, if not root, has no access
        os.chmod(name, stat.S_IMODE(found.st_mode) | needed, dir_fd=source)
    if stat.S_ISDIR(found.st_mode):
        os.mkdir(name, 0o700, dir_fd=target)
        original, copied = (os.open(name, OPEN_DIRECTORY, dir_fd=fd) for fd in (source, target))
    else:
        original, copied = os.open(name, _READ, dir_fd=source), os.open(name, _CREATE, 0o600, dir_fd=target)
    try:
        if stat.S_ISDIR(found.st_mode):
            with os.scandir(original) as listing:
                for entry in listing:
                    copy(original, os.fsencode(entry.name), copied)
        else:
            _copy_data(original, copied)
        os.chown(copied, found.st_uid, found.st_gid)
        os.chmod(copied, stat.S_IMODE(found.st_mode))
        os.utime(copied, ns=(found.st_atime_ns, found.st_mtime_ns))
    finally:
        os.close(original)
        os.close(copied)


def _copy_data(original: int, copy: int) -> None:
    while True:
        block = os.read(original, _BLOCK)
        if not block:
            return
        write_bytes(copy, block)
