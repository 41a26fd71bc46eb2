# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A file that sshd reads for a user, reached and replaced so that no link of the user redirects it (behaviour.md 25).

Below the home of the user each directory is opened relative to the one above it, and never through a link. All
steps are relative to the open directory, so changes of the path meanwhile have no effect.
"""

from __future__ import annotations

import errno
import grp
import os
import pwd
import stat

from . import files
from .distribution import os_family
from .errors import HostError, SystemCallError
from .owners import user_name
from .parents import Parent, open_directory
from .reading import OpenPath, irregular, path_of
from .targets import open_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

_ENTRY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITABLE_BY_OTHERS = 0o022
_DIRECTORY_MODE = 0o700
_OWN_MODE, _ROOTS_MODE = 0o600, 0o644
#: A file with more bytes is not read.
LARGEST = 16 << 20


class NoHome(HostError):
    """The home of the user does not exist."""


class UserFile:
    """The file at the clean absolute `path`, of the user with the number `uid` and the directory `home`, "" for none.

    Raises NoHome, NoDirectory, LinkNotFollowed, SystemCallError, and HostError for a link below the home.
    """

    def __init__(self, path: str, home: str, uid: int) -> None:
        self.path = path
        self.name = path.rpartition("/")[2]
        self._uid = uid
        self._home: OpenPath | None = None
        self._found: os.stat_result | None = None
        self._is_own = bool(home) and path.startswith(home.rstrip("/") + "/")
        #: Whether the directory above the file is missing in the home, which is the place then.
        self._lacks_directory = False
        above = os.path.dirname(path)
        try:
            if home and (self._is_own or os.path.isdir(home)):
                self._home = OpenPath(open_directory(home))
            if self._home and self._is_own:
                self._place = self._below(self._home, home.rstrip("/"), above)
            else:
                self._place = OpenPath(open_directory(above))
        except (FileNotFoundError, NotADirectoryError):
            if self._is_own and self._home is None:
                raise NoHome(f"its home {home} does not exist", path=home) from None
            raise files.NoDirectory(f'"{above}" is not a directory', path=path, errno=errno.ENOTDIR) from None
        except (OSError, ValueError) as error:
            raise SystemCallError("open", above, error) from None

    def _below(self, home: OpenPath, at: str, above: str) -> OpenPath:
        """Return the directory above the file, or the home where it is missing there."""
        place = home
        for name in above[len(at) + 1 :].split("/") if len(above) > len(at) else ():
            at = f"{at}/{name}"
            try:
                below = OpenPath(os.open(name, _ENTRY, dir_fd=place.fd))
            except FileNotFoundError:
                if at != above or place is not home:
                    raise
                self._lacks_directory = True
                return home
            mode = os.fstat(below.fd).st_mode
            if stat.S_ISLNK(mode):
                raise _link_refused(at)
            if not stat.S_ISDIR(mode):
                raise NotADirectoryError(errno.ENOTDIR, "")
            place = below
        return place

    def read(self) -> bytes | None:
        """Return the content, None for a missing file.

        Raises SystemCallError, and HostError for all that is no regular file, also for a link, and for a large file.
        """
        self._found = None
        if self._lacks_directory:
            return None
        try:
            entry = OpenPath(os.open(self.name, _ENTRY, dir_fd=self._place.fd))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise SystemCallError("open", self.path, error) from None
        found = os.fstat(entry.fd)
        if stat.S_ISLNK(found.st_mode):
            raise _link_refused(self.path)
        if not stat.S_ISREG(found.st_mode):
            raise HostError(f"{self.path} is {irregular(found.st_mode)}, not a file", path=self.path)
        if found.st_size > LARGEST:
            raise HostError(f"{self.path} has more than {LARGEST >> 20} MiB, and is not read", path=self.path)
        try:
            with open(open_reached(entry.fd, self.name, self._place.fd), "rb") as file:
                # Python reserves memory for all bytes that are asked for.
                content = file.read(found.st_size + 1)
                if len(content) > found.st_size:
                    content += file.read(LARGEST - found.st_size)
        except OSError as error:
            raise SystemCallError("read", self.path, error) from None
        self._found = found
        return content

    def fault(self) -> str:
        """Return why sshd does not read the file, by the rules of its StrictModes; "" where it does.

        Each directory from the file up to the home, or to the root where the file is not below the home, and the file
        itself must belong to the user or to root, and only its owner may write to it. To sshd of Debian, a group whose
        only member is the user counts as the owner.
        """
        if self._found is not None:
            fault = self._fault_of(self._found, self.path)
            if fault:
                return fault
        place, end = self._place, os.fstat(self._home.fd) if self._home else None
        while True:
            found = os.fstat(place.fd)
            fault = self._fault_of(found, path_of(place.fd) or os.path.dirname(self.path))
            if fault or (end is not None and os.path.samestat(found, end)):
                return fault
            place = OpenPath(os.open("..", _ENTRY, dir_fd=place.fd))
            if os.path.samestat(found, os.fstat(place.fd)):
                return ""

    def _fault_of(self, found: os.stat_result, path: str) -> str:
        if found.st_uid not in (0, self._uid):
            return f"{path} belongs to {user_name(found.st_uid)}"
        writable = found.st_mode & _WRITABLE_BY_OTHERS
        if writable and not (writable == stat.S_IWGRP and _is_private(found.st_gid, self._uid)):
            return f"{path} is writable for more than its owner (mode {stat.S_IMODE(found.st_mode):04o})"
        return ""

    def make_directory(self, gid: int) -> None:
        """Make the directory above the file if it is missing, 0700, of the user and the group. Raises HostError."""
        if not self._lacks_directory:
            return
        above = os.path.dirname(self.path)
        name = above.rpartition("/")[2]
        try:
            os.mkdir(name, _DIRECTORY_MODE, dir_fd=self._place.fd)
            made = OpenPath(os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._place.fd))
            # The user may have put another directory in its place, whose content must not become the user's.
            if os.listdir(made.fd) or os.fstat(made.fd).st_uid != os.geteuid():
                raise FileExistsError(errno.EEXIST, "")
            os.fchown(made.fd, self._uid, gid)
            os.fchmod(made.fd, _DIRECTORY_MODE)
        except (OSError, ValueError) as error:
            raise SystemCallError("mkdir", above, error) from None
        self._place, self._lacks_directory = made, False

    def write(self, content: bytes, gid: int, dropped: Callable[[list[str]], None]) -> None:
        """Replace what was read by `content`; a file that exists keeps its owner, group and mode.

        A new file has mode 0600 and belongs to the user and the group `gid` in a directory of the user, else to root
        with mode 0644, as sshd reads it as the user. `dropped` is as for `files.write_file`. Raises HostError, also
        when another program changed the file since; it is then as that program left it.
        """
        found = self._found
        if found is not None:
            uid, gid, mode = found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)
        elif self._is_own or os.fstat(self._place.fd).st_uid == self._uid:
            uid, mode = self._uid, _OWN_MODE
        else:
            uid, gid, mode = 0, 0, _ROOTS_MODE
        parent = Parent(self.path, directory=self._place)
        files.write_in(
            parent,
            self.path,
            content,
            mode=mode,
            uid=uid,
            gid=gid,
            before_rename=self._require_unchanged,
            dropped=dropped,
            checksum=None,
        )

    def _require_unchanged(self, _new: str) -> None:
        """Raise HostError when another file is there than the file that was read, or it was written since."""
        try:
            now = os.lstat(self.name, dir_fd=self._place.fd)
        except FileNotFoundError:
            now = None
        if _stamp(now) != _stamp(self._found):
            raise HostError(f"another program changed {self.path} meanwhile; it is left as it is", path=self.path)


def _is_private(gid: int, uid: int) -> bool:
    """Return whether sshd of this machine trusts a group: on Debian it does, if the user is the only member."""
    if os_family() != "debian":
        return False
    try:
        named = set(grp.getgrgid(gid).gr_mem)
    except KeyError:
        return False
    accounts = pwd.getpwall()
    members = {each.pw_uid for each in accounts if each.pw_gid == gid or each.pw_name in named}
    return members == {uid} and len(named) <= 1


def _stamp(found: os.stat_result | None) -> tuple[int, ...]:
    return () if found is None else (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _link_refused(path: str) -> HostError:
    return HostError(f"{path} is a symbolic link; nothing is read or written through it", path=path, errno=errno.ELOOP)
