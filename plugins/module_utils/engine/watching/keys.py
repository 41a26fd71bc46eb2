# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The keys of what is watched: numbers that stay when a manifest is read again and places change."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable


class Keys:
    """The keys of the resources of a manifest, and below these the keys of the resources of manifests they apply."""

    def __init__(self) -> None:
        self._last = 0
        self._places: dict[int, int] = {}
        # By the key above, those below by their names; by a key below, the one above and the name.
        self._below: dict[int, dict[str, int]] = {}
        self._above: dict[int, tuple[int, str]] = {}
        # By the key above, the names that were needed in the current step.
        self._needed: dict[int, set[str]] = {}

    def new(self) -> int:
        """Return a key that was never used."""
        self._last += 1
        return self._last

    def set_places(self, keys: Iterable[int]) -> None:
        """Note which key each place has now."""
        self._places = {key: place for place, key in enumerate(keys)}

    def place_of(self, key: int) -> tuple[int | None, str]:
        """Return the place of a key, None for one that is gone, and the name of the resource below it, "" for none."""
        above, name = self._above.get(key, (key, ""))
        return self._places.get(above), name

    def all_of(self, above: int) -> list[int]:
        """Return the key of a resource and those below it."""
        return [above, *self._below.get(above, {}).values()]

    def need(self, above: int, name: str) -> int | None:
        """Note that a key is needed in the current step; return it, None when there is none yet. Any thread may."""
        if not name:
            return above
        self._needed.setdefault(above, set()).add(name)
        return self._below.get(above, {}).get(name)

    def make(self, above: int, name: str) -> tuple[int, int | None]:
        """Return the key of a resource, or a new one of a resource below it, and the one that this had before."""
        if not name:
            return above, None
        keys = self._below.setdefault(above, {})
        former, keys[name] = keys.get(name), self.new()
        self._above[keys[name]] = (above, name)
        if former is not None:
            del self._above[former]
        return keys[name], former

    def remove_needless(self, above: int) -> dict[str, int]:
        """Forget the keys below one that were not needed in the current step, and return them by their names."""
        keys = self._below.get(above, {})
        gone = {name: keys.pop(name) for name in keys.keys() - self._needed.get(above, set())}
        for key in gone.values():
            del self._above[key]
        return gone

    def end_step(self) -> None:
        """Begin to note anew what is needed."""
        self._needed.clear()

    def remove(self, keys: Iterable[int]) -> list[int]:
        """Forget what is below these keys, and return all of them."""
        gone = list(keys)
        for above in list(gone):
            gone += self._below.pop(above, {}).values()
        for key in gone:
            self._above.pop(key, None)
        return gone
