# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources that come before what they need in the list: a file before its directory (docs/graph.md)."""

from __future__ import annotations

from ..engine.graph.automatic import Related, automatic_edges
from ..manifest.ordering import relations_of
from ..model.errors import CCMError
from ..model.resource import Resource, complete
from ..resources.types import relations
from .placeholders import holds_expression
from .references import names_of, senders_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.values import Data
    from .declared import Declared
    from .review import Review


def check_implied_order(review: Review, resources: Sequence[Declared]) -> None:
    """Note resources that need what a later one of the list makes; what packages have is not known here.

    A later resource that itself names the earlier one, in `require` or `sent()`, has to come later.
    """
    names = [declared.reference for declared in resources]
    defaults = {type: complete(type, {}) for type in {declared.type for declared in resources}}
    related = [_related(declared, defaults[declared.type], review.directory) for declared in resources]
    for edge in automatic_edges(related, names):
        made, needing = resources[edge.first], resources[edge.then]
        is_early = edge.first > edge.then and not related[edge.then].is_absent
        if is_early and names_of([needing]).isdisjoint((*made.texts("require"), *senders_of(made))):
            review.warn(
                "order",
                f"{needing.reference} comes before {made.reference}, which it needs: {edge.reason}",
                needing.origin.position(()),
                resource=needing.reference,
                property="name",
                advice="put it after that one, or set engine: {order: graph}",
            )


def _related(declared: Declared, defaults: Data, directory: str) -> Related:
    """Return what a resource provides and wants, nothing where that cannot be known."""
    if holds_expression(declared.name) or not declared.name:
        return Related()
    try:
        made = declared.type.made({**defaults, **declared.values})
        return relations_of(Resource(declared.type, made), directory, relations(declared.type))
    except CCMError:
        return Related()
