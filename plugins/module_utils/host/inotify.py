# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's notices of changes in directories (inotify), by the C library."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from time import monotonic_ns

from .errors import HostError, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Notice(NamedTuple):
        """A change: `watch` is the number of the watch, `name` that in the directory, "" for the directory itself."""

        watch: int
        mask: int
        name: str

else:
    from collections import namedtuple

    Notice = namedtuple("Notice", ("watch", "mask", "name"))

MODIFY, ATTRIB, CLOSE_WRITE = 0x2, 0x4, 0x8
MOVED_FROM, MOVED_TO, CREATE, DELETE = 0x40, 0x80, 0x100, 0x200
UNMOUNT, OVERFLOW, IGNORED = 0x2000, 0x4000, 0x8000
#: The name belongs to a directory.
IS_DIRECTORY = 0x40000000
_ONLY_DIRECTORIES = 0x01000000
#: A file without a name any more is not reported. The mask is added to the mask of a watch that is there.
ONLY_LINKED, ADD_TO_MASK = 0x04000000, 0x20000000
#: What of an entry of a directory was made, removed or renamed.
STRUCTURE = MOVED_FROM | MOVED_TO | CREATE | DELETE
_HEADER = struct.Struct("iIII")
_BUFFER = 64 * 1024
#: So many buffers are read together at most.
_MOST_BUFFERS = 64


class Inotify:
    """One descriptor, `fd`, for the watches of directories. Raises HostError where the kernel has none to give.

    At `drained_at`, in ns of the monotonic clock, everything had been read.
    """

    def __init__(self) -> None:
        self.drained_at = 0
        self._library = ctypes.CDLL(None, use_errno=True)
        self.fd: int = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            number = ctypes.get_errno()
            advice = ": no inotify instance or descriptor is left, see fs.inotify.max_user_instances"
            shown = f"cannot watch files: {reason_of(number)}{advice if number == errno.EMFILE else ''}"
            raise HostError(shown, errno=number)

    def add(self, directory: str, mask: int) -> int:
        """Watch a directory for what `mask` says; return the number of the watch, the same for the same directory.

        Raises OSError, with ENOSPC when there are too many watches.
        """
        watch: int = self._library.inotify_add_watch(
            self.fd, os.fsencode(directory), ctypes.c_uint32(mask | _ONLY_DIRECTORIES)
        )
        if watch < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), directory)
        return watch

    def remove(self, watch: int) -> None:
        """End a watch. A watch that the kernel ended already is no error."""
        self._library.inotify_rm_watch(self.fd, watch)

    def read(self) -> list[Notice]:
        """Return what has happened since the last call, as far as it is not very much; nothing when nothing has."""
        found: list[Notice] = []
        for _buffer in range(_MOST_BUFFERS):
            begin = monotonic_ns()
            try:
                data = os.read(self.fd, _BUFFER)
            except BlockingIOError:
                self.drained_at = begin
                break
            except OSError as error:
                if error.errno == errno.EINTR:
                    break
                raise
            at = 0
            while at < len(data):
                watch, mask, _cookie, length = _HEADER.unpack_from(data, at)
                at += _HEADER.size
                name = data[at : at + length].rstrip(b"\0")
                at += length
                found.append(Notice(watch, mask, os.fsdecode(name)))
        return found

    def close(self) -> None:
        """Close the descriptor, which ends all watches."""
        os.close(self.fd)
