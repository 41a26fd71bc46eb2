# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A rendered tree on disk, for commands that work on its files before they are compared (behaviour.md 9.1)."""

from __future__ import annotations

import os

from ...host.confined import ConfinedDirectory
from ...host.errors import SystemCallError
from ...host.scratch import make_temporary_directory
from ...host.trees import remove_tree
from .post_commands import run_post
from .rendered_tree import RenderedTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from .rendered_tree import Files

# A command may have left a named pipe there: do not wait for a process that reads it.
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class PostedTree(RenderedTree):
    """A rendered tree on disk, in a temporary directory, on whose files commands run as they are saved.

    `post` are mappings from patterns of base names to commands.
    """

    def __init__(self, target: str, post: list[dict[str, str]], machine: Machine) -> None:
        super().__init__(target)
        self._post = post
        self._machine = machine
        self._made = make_temporary_directory("scaffold-")
        self._root = self._made + "/target"
        os.mkdir(self._root, 0o755)

    def __exit__(self, *_: object) -> None:
        """Remove the directory with everything that commands left in it."""
        remove_tree(self._made)

    def make_directory(self, path: str) -> None:
        super().make_directory(path)
        os.makedirs(f"{self._root}/{path}", 0o755, exist_ok=True)

    def save(self, path: str, content: bytes) -> None:
        """As `RenderedTree.save`, and run the commands for the file. Raises ResourceFailed when one fails."""
        super().save(path, content)
        place = f"{self._root}/{path}"
        try:
            with open(os.open(place, _WRITE, 0o666), "wb") as file:
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
