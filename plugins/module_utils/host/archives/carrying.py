# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What was unpacked carried to another file system, where it cannot be renamed to."""

from __future__ import annotations

import os
import stat

from .tree import OPEN_DIRECTORY

#: How names begin that are no one's but ours, until what they name is whole.
HIDDEN = b".ccm-unpacking-"

_BLOCK = 256 * 1024
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def carry(source: int, target: int, name: bytes) -> None:
    """Copy `name` out of one open directory into another, under a hidden name until it is whole. Raises OSError."""
    hidden = HIDDEN + os.urandom(5).hex().encode()
    _copy(source, name, target, hidden)
    os.rename(hidden, name, src_dir_fd=target, dst_dir_fd=target)


def _copy(source: int, name: bytes, target: int, new: bytes) -> None:
    found = os.lstat(name, dir_fd=source)
    if stat.S_ISLNK(found.st_mode):
        os.symlink(os.readlink(name, dir_fd=source), new, dir_fd=target)
        os.chown(new, found.st_uid, found.st_gid, dir_fd=target, follow_symlinks=False)
        os.utime(new, ns=(found.st_atime_ns, found.st_mtime_ns), dir_fd=target, follow_symlinks=False)
        return
    needed = 0o700 if stat.S_ISDIR(found.st_mode) else 0o400
    if found.st_mode & needed != needed:  # its owner, if not root, is shut out
        os.chmod(name, stat.S_IMODE(found.st_mode) | needed, dir_fd=source)
    if stat.S_ISDIR(found.st_mode):
        os.mkdir(new, 0o700, dir_fd=target)
        original, copy = (os.open(at, OPEN_DIRECTORY, dir_fd=fd) for at, fd in ((name, source), (new, target)))
    else:
        original, copy = os.open(name, _READ, dir_fd=source), os.open(new, _CREATE, 0o600, dir_fd=target)
    try:
        if stat.S_ISDIR(found.st_mode):
            with os.scandir(original) as listing:
                for entry in listing:
                    part = os.fsencode(entry.name)
                    _copy(original, part, copy, part)
        else:
            _copy_data(original, copy)
        os.chown(copy, found.st_uid, found.st_gid)
        os.chmod(copy, stat.S_IMODE(found.st_mode))
        os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))
    finally:
        os.close(original)
        os.close(copy)


def _copy_data(original: int, copy: int) -> None:
    while True:
        block = memoryview(os.read(original, _BLOCK))
        if not block:
            return
        while block:
            block = block[os.write(copy, block) :]
