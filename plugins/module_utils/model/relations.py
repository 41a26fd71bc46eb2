# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How resources of a type are related to others: for a dependency graph, watching, and values that are passed on.

`watches` and the three methods after it are for `ccm watch`.
"""

from __future__ import annotations

from .contract import Contract, P

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping, Sequence

    from .property import Property
    from .state import State
    from .values import Data, Value

#: The kinds with rules of their own. A `directory` is the path of a directory, a `tree` the path of a directory with
#: files. A wanted `path` is met by the resource that provides it, else by the nearest directory or tree above it. A
#: `unit` is a unit of systemd.
PATH, DIRECTORY, TREE, UNIT = "path", "directory", "tree", "unit"
#: The directories of systemd where packages put units.
UNIT_DIRECTORIES = ("/usr/lib/systemd/system/", "/lib/systemd/system/")


class Identity:
    """Something on a host that resources provide or want: a `kind` (`path`, `user`, `package` …) and its `name`."""

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and (self.kind, self.name) == (other.kind, other.name)

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def __repr__(self) -> str:
        return f"Identity({self.kind!r}, {self.name!r})"


class Relations(Contract[P]):
    """The relations of a type's resources; all methods are pure, and return nothing by default.

    `sends` declares the values that a resource can pass on to others after it has run. Where the state does not show
    all changes, `shows_changes` is false.
    """

    sends: tuple[Property, ...] = ()
    shows_changes = True

    def provides(self, properties: P) -> Sequence[Identity]:
        """Return what exists when the resource is converged or, with `ensure: absent`, no longer exists."""
        return ()

    def installs(self, properties: P) -> Sequence[str]:
        """Return the names of packages, whose files exist when the resource is converged."""
        return ()

    def wants(self, properties: P) -> Sequence[Identity]:
        """Return what must exist before the resource is managed."""
        return ()

    def watches(self, properties: P) -> Sequence[str]:
        """Return the paths, or names beside the manifest, whose change can mean that it is no longer converged."""
        return ()

    def watched_trees(self, properties: P) -> Sequence[str]:
        """Return the directories in which any change, at any depth, can mean that it is no longer converged."""
        return ()

    def watched_units(self, properties: P) -> Sequence[str]:
        """Return the units of systemd whose change can mean that it is no longer converged."""
        return ()

    def only_refreshed(self, properties: P) -> Data:
        """Return the properties to replace to act only when refreshed; none when the state shows what to do."""
        return {}

    def sent(self, properties: P, state: State) -> Mapping[str, Value] | None:
        """Return the values of `sends` after the resource has run; None when this run did not make the values."""
        return {}

    def observed(self, properties: P, state: State) -> Value:
        """Return the part of a state that shows changes between two runs; None for the whole state without times."""
        return None

    def determines(self, properties: P) -> bool:
        """Return whether properties without expressions determine all of a stable state."""
        return False

    def remains(self, properties: P) -> str | None:
        """Return the path that shows that something remains, "" where the state shows it, None when nothing remains."""
        return ""

    def is_there(self, state: State) -> bool:
        """Return whether the file, package or other thing that the resource manages exists in a state."""
        return state.ensure != "absent"

    def content(self, properties: P, state: State) -> str:
        """Return a digest of desired content that the properties do not have, such as the content of a source file."""
        return ""


if TYPE_CHECKING:
    AnyRelations = Relations[Any]
