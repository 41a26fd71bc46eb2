# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The place where a tree is rendered before it is compared with the target (behaviour.md 9.1)."""

from __future__ import annotations

import errno
import os

from ...host.confined import ConfinedDirectory
from ...host.errors import SystemCallError
from ...host.processes import umask
from ...lang.paths import clean
from ...model.errors import ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Dict, Tuple

    from ...host.machine import Machine

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


class PostedTree(RenderedTree):
    """A rendered tree on disk, in a temporary directory, on whose files commands run as they are saved.

    `post` are mappings from patterns of base names to commands.
    """

    def __init__(self, target: str, post: list[dict[str, str]], machine: Machine) -> None:
        super().__init__(target)
        from ...host.scratch import make_temporary_directory

        self._post = post
        self._machine = machine
        self._made = make_temporary_directory("scaffold-")
        self._root = self._made + "/target"
        os.mkdir(self._root, 0o755)

    def __exit__(self, *_: object) -> None:
        """Remove the directory with everything that commands left in it."""
        from ...host.trees import remove_tree

        remove_tree(self._made)

    def make_directory(self, path: str) -> None:
        super().make_directory(path)
        os.makedirs(f"{self._root}/{path}", 0o755, exist_ok=True)

    def save(self, path: str, content: bytes) -> None:
        """As `RenderedTree.save`, and run the commands for the file. Raises ResourceFailed when one fails."""
        from .post_commands import run_post

        super().save(path, content)
        place = f"{self._root}/{path}"
        try:
            with open(place, "wb") as file:
                file.write(content)
        except (OSError, ValueError) as error:
            raise SystemCallError("open", place, error) from None
        run_post(self._machine, self._post, path, place)

    def finish(self) -> None:
        """Read the tree after the commands: links and other entries that are not regular files are left out."""
        self.files = {}
        with ConfinedDirectory(self._root) as tree:
            for path in tree.files():
                found = tree.read(path)
                if found is not None:
                    self.files[path] = found
        self.directories.update(dict.fromkeys(_parents(self.files)))


def _parents(files: Files) -> list[str]:
    """Return the directories of files, parents first."""
    found = set()
    for path in files:
        while "/" in path:
            path = path.rpartition("/")[0]
            found.add(path)
    return sorted(found)
