# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How what a resource changed is undone: the part of a type that `meta.reverse` needs (docs/state.md)."""

from __future__ import annotations

from .contract import Contract, P, S

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Sequence, Union

    from .values import Data

    #: One part of the state that a resource changes: a plain value, or the state of a path (host/restorable_paths.py).
    Part = Union[str, int, bool, List[Union[str, int]]]
    #: Parts by their names. The name of a path is the path itself.
    Parts = Dict[str, Part]


class Reversal(Contract[P, S]):
    """How the changes of a type's resources are undone; all methods but `paths` are pure.

    The engine puts back the files at `paths`. The other `parts` come back because a resource with the properties of
    `undone` is brought to its state.
    """

    def is_reversible(self, properties: P, state: S) -> bool:
        """Return whether the change of a resource from this state can be undone."""
        return True

    def paths(self, properties: P, state: S) -> Sequence[str]:
        """Return the paths that the change of a resource from this state may replace, make or remove."""
        return ()

    def parts(self, properties: P, state: S) -> Parts:
        """Return what of this state a change of the resource changes, other than paths."""
        return {}

    def undone(self, properties: P, parts: Parts) -> Data:
        """Return the properties, but its name, of a resource that brings back these parts."""
        return {}


if TYPE_CHECKING:
    AnyReversal = Reversal[Any, Any]
