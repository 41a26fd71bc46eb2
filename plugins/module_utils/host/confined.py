# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A tree of files below one directory, changed without ever leaving it (behaviour.md 9.1).

The first directory is opened as the parents of files are. Every directory below it is opened relative to the one above
it and never through a symbolic link, so neither a link in the tree nor a link added meanwhile redirects a write or a
removal.
"""

from __future__ import annotations

import errno
import os
import stat

from .descriptors import write_all
from .errors import HostError, SystemCallError, errno_of
from .parents import Parent, open_directory
from .reading import OpenPath
from .replaceable import require_replaceable
from .targets import open_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, TypeVar

    Tree = TypeVar("Tree", bound="ConfinedDirectory")

_CHUNK = 256 * 1024
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# Do not wait for a process at the other end of a FIFO; do not take over a terminal.
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class ParentIsLink(HostError):
    """A directory of the tree is a symbolic link."""


class ConfinedDirectory:
    """The tree below the directory `root`, within `with`; paths in it are relative, with `/` between names.

    `root` itself may be reached through links. `exists` is whether it existed when the tree was opened. Raises
    LinkNotFollowed, and SystemCallError also when `root` is not a directory.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._fd = _opened(root)
        self._at = ""
        self._at_fd = -1
        self._written: tuple[int, OpenPath] | None = None
        self._border: tuple[str, int] | None = None
        self._is_border_seen = False

    def __enter__(self: Tree) -> Tree:
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        self._written = None
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    @property
    def exists(self) -> bool:
        """Whether the directory exists."""
        return self._fd >= 0

    def create(self) -> None:
        """Make the directory itself and missing parents, with mode 0755 less the umask."""
        if self._fd < 0:
            self._fd = _opened(self.root, 0o755)

    def require_directories(self, directories: Iterable[str]) -> None:
        """Raise the SystemCallError or ParentIsLink of making the tree and these directories in it.

        They occur when a path is not a directory; whether it may be made is known only when it is made.
        """
        place = self.root
        while not os.path.lexists(place):
            place = os.path.dirname(place)
        if not os.path.isdir(place):
            raise SystemCallError("mkdir", place, OSError(errno.EEXIST, ""))
        for path in directories:
            self._enter(path)

    def holds(self, path: str, content: bytes) -> bool | None:
        """Return whether a regular file with this content is at `path`, perhaps behind a link.

        None for a missing path.

        Raises ParentIsLink, NotRegular, and SystemCallError also for a directory: no file replaces it.
        """
        parent, name = self._placed(path)
        if parent < 0:
            return None
        try:
            reached = os.open(name, os.O_PATH | os.O_CLOEXEC, dir_fd=parent)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            if errno_of(error) == errno.ELOOP:
                return False
            raise self._error("open", path, error) from None
        try:
            found = os.fstat(reached)
            if not stat.S_ISREG(found.st_mode):
                if not _is_link(name, parent):
                    if stat.S_ISDIR(found.st_mode):
                        raise OSError(errno.EISDIR, "")
                    require_replaceable(found.st_mode, self._full(path))
                return False
            if found.st_size != len(content):
                return False
            return _is_content(reached, name, parent, content)
        except OSError as error:
            raise self._error("read", path, error) from None
        finally:
            os.close(reached)

    def read(self, path: str, most: int = -1) -> tuple[bytes, int] | None:
        """Return content and mode (0..0o7777) of a regular file that is no link; None for all else and for nothing.

        Of the content at most the first `most` bytes, unless this is negative. Raises ParentIsLink and SystemCallError.
        """
        parent, name = self._placed(path)
        if parent < 0:
            return None
        try:
            fd = os.open(name, _READ | os.O_NOFOLLOW, dir_fd=parent)
        except (OSError, ValueError) as error:
            if errno_of(error) in (errno.ENOENT, errno.ENXIO, errno.ELOOP):
                return None
            raise self._error("open", path, error) from None
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            return (file.read(most), stat.S_IMODE(found.st_mode)) if stat.S_ISREG(found.st_mode) else None

    def has(self, path: str) -> bool:
        """Return whether anything but a directory is at `path`, a link included."""
        parent, name = self._placed(path)
        try:
            return parent >= 0 and not stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode)
        except FileNotFoundError:
            return False
        except (OSError, ValueError) as error:
            raise self._error("lstat", path, error) from None

    def make_directory(self, path: str) -> None:
        """Make a missing directory, with mode 0755 less the umask. Its parents must exist."""
        parent, name = self._placed(path)
        try:
            os.mkdir(name, 0o755, dir_fd=parent)
        except FileExistsError:
            self._enter(path)
        except (OSError, ValueError) as error:
            raise self._error("mkdir", path, error) from None

    def write(self, path: str, content: bytes, mode: int) -> list[str]:
        """Put a file in the place of `path`, complete and with its mode before it is visible.

        An existing file is replaced, a link not followed. Its directory must exist. Returns the names of the attributes
        of a replaced file that were not carried over (decisions.md Q95). Raises ParentIsLink, NotRegular and
        SystemCallError; `path` is then unchanged.
        """
        parent, name = self._placed(path)
        if parent < 0:
            raise self._error("open", path, OSError(errno.ENOENT, ""))
        from .hidden_files import HiddenFile

        try:
            with HiddenFile(self._kept(parent), name) as file:
                dropped = file.carry_over(self._full(path))
                write_all(file.fd, content, self._full(path))
                os.fchmod(file.fd, mode)
                file.close_written()
                file.replace_file(self._full(path))
        except (OSError, ValueError) as error:
            raise self._error("write", path, error) from None
        return dropped

    def remove(self, path: str) -> None:
        """Remove a file or a link, but no hidden file that another process is writing; a missing one is no error.

        Raises ParentIsLink, SystemCallError, and MountInTheWay in a mount below the tree's directory.
        """
        parent, name = self._placed(path)
        self._require_same_mount(parent, path)
        if parent < 0 or (_may_be_hidden(name) and is_being_written(parent, name, removes_others=True)):
            return
        try:
            os.unlink(name, dir_fd=parent)
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise self._error("remove", path, error) from None

    def remove_directory(self, path: str) -> bool:
        """Remove a directory if it is empty; return whether it was. Raises as `remove` does."""
        parent, name = self._placed(path)
        if self._at == path:
            self._leave()
            parent, name = self._placed(path)
        self._require_same_mount(parent, path)
        try:
            if parent >= 0:
                os.rmdir(name, dir_fd=parent)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY):
                return False
            if error.errno != errno.ENOENT:
                raise self._error("remove", path, error) from None
        return True

    def remove_root(self) -> None:
        """Remove the directory itself if it is empty. Raises LinkNotFollowed and OSError."""
        with Parent(self.root) as parent:
            os.rmdir(parent.name, dir_fd=parent.fd)

    def files(self) -> list[str]:
        """Return the paths of all that is no directory, sorted, but hidden files that another process is writing.

        Links are listed and not followed. Raises SystemCallError.
        """
        found: list[str] = []
        waiting = [""] if self.exists else []
        while waiting:
            path = waiting.pop()
            fd = self._enter(path)
            if fd < 0:
                continue
            lead = f"{path}/" if path else ""
            try:
                with os.scandir(fd) as listing:
                    for entry in listing:
                        if _may_be_hidden(entry.name) and is_being_written(fd, entry.name):
                            continue
                        into = waiting if entry.is_dir(follow_symlinks=False) else found
                        into.append(lead + entry.name)
            except OSError as error:
                raise self._error("read", path, error) from None
        return sorted(found)

    def _error(self, operation: str, path: str, error: OSError | ValueError) -> SystemCallError:
        return SystemCallError(operation, self._full(path), error)

    def _full(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root

    def _placed(self, path: str) -> tuple[int, str]:
        """Return the descriptor of the directory that contains `path`, -1 when it is missing, and the name in it."""
        parent, _slash, name = path.rpartition("/")
        return self._enter(parent), name

    def _enter(self, path: str) -> int:
        """Return the descriptor of a directory in the tree, -1 when it is missing; the last one stays open."""
        if not path or self._fd < 0:
            return self._fd
        if path == self._at:
            return self._at_fd
        self._leave()
        fd = self._fd
        for part in path.split("/"):
            above = fd
            try:
                fd = self._step(above, part, path)
            finally:
                if above != self._fd:
                    os.close(above)
            if fd < 0:
                return fd
        self._at, self._at_fd = path, fd
        return fd

    def _step(self, above: int, name: str, path: str) -> int:
        try:
            return os.open(name, _DIRECTORY | os.O_NOFOLLOW, dir_fd=above)
        except FileNotFoundError:
            return -1
        except (OSError, ValueError) as error:
            if errno_of(error) in (errno.ELOOP, errno.ENOTDIR) and _is_link(name, above):
                text = f"{self._full(path)} is reached through a symbolic link; refusing to leave {self.root} by it"
                raise ParentIsLink(text, path=self._full(path), errno=errno.ELOOP) from None
            raise self._error("open", path, error) from None

    def _kept(self, parent: int) -> OpenPath:
        """Return a directory of the tree that stays open until another one is written to."""
        written = self._written
        if written is None or written[0] != parent:
            self._written = written = parent, OpenPath(os.dup(parent))
        return written[1]

    def _leave(self) -> None:
        if self._at:
            if self._written is not None and self._written[0] == self._at_fd:
                self._written = None
            os.close(self._at_fd)
            self._at, self._at_fd = "", -1
            self._is_border_seen = False

    def _require_same_mount(self, parent: int, path: str) -> None:
        """Raise MountInTheWay when `parent`, the directory of a path, is in another mount than the tree's directory."""
        if parent != self._at_fd or parent < 0 or self._is_border_seen:
            return
        from .mounts import MountInTheWay, border_of

        self._border = self._border or border_of(self._fd)
        if border_of(parent) != self._border:
            raise MountInTheWay(self._full(path), f"{self._full(self._at)} is in another mount than {self.root}")
        self._is_border_seen = True


def _opened(root: str, mode: int | None = None) -> int:
    try:
        return open_directory(root, os.O_RDONLY, mode=mode)
    except FileNotFoundError:
        return -1
    except (OSError, ValueError) as error:
        raise SystemCallError("open", root, error) from None


def _may_be_hidden(name: str) -> bool:
    return ".ccm-" in name


def is_being_written(fd: int, name: str, *, removes_others: bool = False) -> bool:
    """Return whether a file is being written and must stay, or a file of a killed process was removed."""
    from .hidden_files import is_hidden, is_in_use, remove_unlocked

    return is_hidden(name) and ((removes_others and remove_unlocked(fd, name)) or is_in_use(fd, name))


def _is_link(name: str, above: int) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(name, dir_fd=above).st_mode)
    except OSError:
        return False


def _is_content(reached: int, name: str, parent: int, content: bytes) -> bool:
    fd, at = open_reached(reached, name, parent), 0
    try:
        while True:
            wanted = min(len(content) - at + 1, _CHUNK)
            chunk = os.read(fd, wanted)
            if not content.startswith(chunk, at):
                return False
            at += len(chunk)
            # Less than is wanted is the end, if it comes where the content ends.
            if not chunk or (at == len(content) and len(chunk) < wanted):
                return at == len(content)
    finally:
        os.close(fd)
