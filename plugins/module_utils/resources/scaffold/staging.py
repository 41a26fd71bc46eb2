# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A rendered tree in a temporary directory, for the command that checks it before it is put in place."""

from __future__ import annotations

import os

from ...host.confined import ConfinedDirectory
from ...host.scratch import make_temporary_directory
from ...host.trees import remove_tree
from ..validation import validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...host.machine import Machine
    from .rendered_tree import RenderedTree


def validate_tree(machine: Machine, command: str, draft: RenderedTree) -> None:
    """Run a command on a copy of a rendered tree. Raises ResourceFailed when it refuses the tree, and HostError."""
    made = make_temporary_directory("scaffold-")
    try:
        root = os.path.join(made, "target")
        with ConfinedDirectory(root) as tree:
            tree.create()
            for path in draft.directories:
                tree.make_directory(path)
            for path, (content, mode) in draft.files.items():
                tree.write(path, content, mode)
        validate(machine, command, root)
    finally:
        remove_tree(made)
