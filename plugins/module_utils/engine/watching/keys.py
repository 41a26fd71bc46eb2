# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The keys of watched resources: numbers that stay when a manifest is read again and indexes change."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


class Keys:
    """The keys of the resources of a manifest, and of their children, the resources of manifests that they apply."""

    def __init__(self) -> None:
        self._last = 0
        self._indexes: dict[int, int] = {}
        # The keys of children by the key of the parent and the name; the key of the parent and the name by the child's.
        self._children: dict[int, dict[str, int]] = {}
        self._parents: dict[int, tuple[int, str]] = {}
        # The names of children that were needed in the current step, by the key of the parent.
        self._needed: dict[int, set[str]] = {}

    def new(self) -> int:
        """Return a key that was never used."""
        self._last += 1
        return self._last

    def set_indexes(self, keys: Iterable[int]) -> None:
        """Set the keys of the resources, in the order of the manifest."""
        self._indexes = {key: index for index, key in enumerate(keys)}

    def index_of(self, key: int) -> tuple[int | None, str]:
        """Return the index of a key or its parent, None for a removed key, and the name of the child, "" for none."""
        parent, name = self._parents.get(key, (key, ""))
        return self._indexes.get(parent), name

    def all_of(self, parent: int) -> list[int]:
        """Return the key of a resource and the keys of its children."""
        return [parent, *self._children.get(parent, {}).values()]

    def need(self, parent: int, name: str) -> int | None:
        """Note that a child is needed in this step; return its key, None without one. Any thread may call it."""
        if not name:
            return parent
        self._needed.setdefault(parent, set()).add(name)
        return self._children.get(parent, {}).get(name)

    def make(self, parent: int, name: str) -> tuple[int, int | None]:
        """Return the key of a resource, or for a child a new key and its former key."""
        if not name:
            return parent, None
        keys = self._children.setdefault(parent, {})
        former, keys[name] = keys.get(name), self.new()
        self._parents[keys[name]] = (parent, name)
        if former is not None:
            del self._parents[former]
        return keys[name], former

    def remove_needless(self, parent: int) -> dict[str, int]:
        """Forget the children that were not needed in the current step, and return their keys by their names."""
        keys = self._children.get(parent, {})
        gone = {name: keys.pop(name) for name in keys.keys() - self._needed.get(parent, set())}
        for key in gone.values():
            del self._parents[key]
        return gone

    def end_step(self) -> None:
        """Forget which children were needed."""
        self._needed.clear()

    def remove(self, keys: Iterable[int]) -> list[int]:
        """Forget these keys and the keys of their children, and return all of them."""
        gone = list(keys)
        for parent in list(gone):
            gone += self._children.pop(parent, {}).values()
        for key in gone:
            self._parents.pop(key, None)
        return gone
