# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The place where a tree is rendered before it is compared with the target (behaviour.md 9.1)."""

from __future__ import annotations

import errno

from ...host.errors import SystemCallError
from ...host.processes import umask
from ...lang.paths import clean
from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple

    #: Content and mode of files by their paths in the tree.
    Files = Dict[str, Tuple[bytes, int]]


class RenderedTree:
    """A rendered tree in memory, within `with`: `files`, and `directories` in the order in which they were made.

    `target` is the directory of the tree, for messages.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.files: Files = {}
        self.directories: dict[str, None] = {}
        self._mode = 0o644 & ~umask()

    def __enter__(self) -> RenderedTree:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: a tree in memory leaves nothing behind."""

    def make_directory(self, path: str) -> None:
        """Make a directory below an existing one."""
        self.directories[path] = None

    def save(self, path: str, content: bytes) -> None:
        """Put a file into the tree, in place of an existing one. Raises HostError and ResourceFailed."""
        directory = path.rpartition("/")[0]
        if directory and directory not in self.directories:
            raise self._refused(path, errno.ENOTDIR if directory in self.files else errno.ENOENT)
        if not path or path in self.directories:
            raise self._refused(path, errno.EISDIR)
        self.files[path] = (content, self._mode)

    def finish(self) -> None:
        """Update `files` and `directories` to the whole tree."""

    def _refused(self, path: str, number: int) -> SystemCallError:
        return SystemCallError("open", f"{self.target}/{path}".rstrip("/"), OSError(number, ""))

    def path_of(self, name: str) -> str:
        """Return the path in the tree of a template's `name`. Raises ResourceFailed for a path outside."""
        path = clean(f"./{name}")
        if path == ".." or path.startswith("../"):
            raise ResourceFailed(f"{clean(f'{self.target}/{name}')} is not in target directory {self.target}")
        return "" if path == "." else path
