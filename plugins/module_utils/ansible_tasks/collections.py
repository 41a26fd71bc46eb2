# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resource types of other collections, which the controller sends with a task."""

from __future__ import annotations

import sys

from ..host.trees import remove_tree
from .tree import unpacked_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

_ROOT = "ansible_collections"


class SentCollections:
    """The collections of a task, importable until `remove`; `packed` has each as base64 of a tar."""

    def __init__(self, packed: Mapping[str, str] | None) -> None:
        self._directories: list[str] = []
        for text in (packed or {}).values():
            directory = unpacked_tree(text, None, "ccm-types-")
            self._directories.append(directory)
            sys.path.append(directory)
            if _ROOT in sys.modules:
                sys.modules[_ROOT].__path__.append(f"{directory}/{_ROOT}")

    def remove(self) -> None:
        """Remove the files, and the directories from the search path."""
        for directory in self._directories:
            sys.path.remove(directory)
            if _ROOT in sys.modules:
                sys.modules[_ROOT].__path__.remove(f"{directory}/{_ROOT}")
            remove_tree(directory)
