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
    from .type import ScaffoldProperties


def validate_new(machine: Machine, properties: ScaffoldProperties, draft: RenderedTree) -> None:
    """Run the command of a scaffold on a copy of the rendered tree when one of its files is new (decisions.md Q112).

    Raises ResourceFailed when it refuses the tree, and HostError.
    """
    with ConfinedDirectory(properties.name) as target:
        if all(target.holds(path, content) for path, (content, _mode) in draft.files.items()):
            return
    made = make_temporary_directory("scaffold-")
    try:
        root = os.path.join(made, "target")
        with ConfinedDirectory(root) as tree:
            tree.create()
            for path in draft.directories:
                tree.make_directory(path)
            for path, (content, mode) in draft.files.items():
                tree.write(path, content, mode)
        validate(machine, properties.validation, root)
    finally:
        remove_tree(made)
