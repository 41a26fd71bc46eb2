# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which resources are notified by others: `meta.notify` (docs/graph.md)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..model.resource import Resource


class Notifying:
    """The `references` of the resources that notify others, by the references to these."""

    def __init__(self, references: Mapping[str, Sequence[str]]) -> None:
        self.references = references

    def of(self, resource: Resource) -> list[str]:
        """Return the references of the resources that notify a resource, by its name or its alias."""
        return [first for name in resource.names for first in self.references.get(name, ())]

    def joined(self, other: Notifying | None) -> Notifying:
        """Return these and the other ones."""
        if other is None:
            return self
        both = {**self.references}
        for name, first in other.references.items():
            both[name] = [*both.get(name, ()), *first]
        return Notifying(both)

    def outside(self, resources: Sequence[Resource]) -> Notifying:
        """Return the notifications of other resources than these."""
        own = {name for resource in resources for name in resource.names}
        return Notifying({name: first for name, first in self.references.items() if name not in own})
