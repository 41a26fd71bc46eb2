# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A directory on the way to watched paths (watched_paths.py)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator


class WatchedDirectory:
    """A directory that exists or not: the names wanted in it, and the number of its watch, -1 when it has none.

    `refused` is why the kernel gave no watch for an existing directory, or why its link is not followed. Where it is a
    link, `leads_to` is its target; `links` are the links that lead to this directory. Following so many `hops` led to
    it; `above` is None for the first directory, and for a directory that is not needed any more.
    """

    __slots__ = ("above", "below", "hops", "keys", "leads_to", "links", "path", "refused", "tree", "watch")

    def __init__(self, path: str, above: WatchedDirectory | None = None, hops: int = 0) -> None:
        self.path = path
        self.above = above
        self.hops = hops
        self.watch = -1
        self.refused = ""
        # By name, the keys that watch it; by name, the directories below; the keys that watch everything.
        self.keys: dict[str, set[int]] = {}
        self.below: dict[str, WatchedDirectory] = {}
        self.tree: frozenset[int] = above.tree if above else frozenset()
        self.leads_to: WatchedDirectory | None = None
        self.links: tuple[WatchedDirectory, ...] = ()

    @property
    def is_needless(self) -> bool:
        """Whether nothing is watched in it, nor by way of it."""
        return not (self.keys or self.below or self.tree or self.links)

    @property
    def is_found_again(self) -> bool:
        """Whether it is only there because it was found in a tree."""
        is_of_tree = bool(self.tree) and self.above is not None and self.above.tree == self.tree
        return is_of_tree and not (self.keys or self.below or self.links)

    def make_below(self, name: str, hops: int = 0) -> WatchedDirectory:
        """Return a new directory of a name in it."""
        path = f"/{name}" if self.path == "/" else f"{self.path}/{name}"
        self.below[name] = made = WatchedDirectory(path, self, hops)
        return made

    def detach(self) -> None:
        """Have the directory above it know it no more."""
        if self.above:
            del self.above.below[self.path.rpartition("/")[2]]
            self.above = None

    def all(self) -> Iterator[WatchedDirectory]:
        """Yield it and all directories below it, each after the one above it."""
        pending = [self]
        while pending:
            each = pending.pop()
            yield each
            pending.extend(each.below.values())

    def all_keys(self) -> Iterator[int]:
        """Yield the keys that watch something in it or below it."""
        for each in self.all():
            yield from each.tree
            for keys in each.keys.values():
                yield from keys

    def refusal(self) -> str:
        """Return why something on the way to it is not watched, "" when all is."""
        seen = set()
        pending = [self]
        while pending:
            each: WatchedDirectory | None = pending.pop()
            while each and each not in seen:
                if each.refused:
                    return each.refused
                seen.add(each)
                if each.leads_to:
                    pending.append(each.leads_to)
                each = each.above
        return ""


def with_leading(directories: Iterable[WatchedDirectory]) -> list[WatchedDirectory]:
    """Return directories, the links that lead to them or to a directory below, the links to these, and so on."""
    found = dict.fromkeys(directories)
    pending = list(found)
    while pending:
        for each in pending.pop().all():
            new = [link for link in each.links if link not in found]
            found.update(dict.fromkeys(new))
            pending.extend(new)
    return list(found)


def with_aliases(directories: Iterable[WatchedDirectory]) -> list[WatchedDirectory]:
    """Return directories, and the links that lead to exactly these."""
    found = dict.fromkeys(directories)
    pending = list(found)
    while pending:
        new = [link for link in pending.pop().links if link not in found]
        found.update(dict.fromkeys(new))
        pending.extend(new)
    return list(found)
