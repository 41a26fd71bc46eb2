# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What graph order refuses: circles, resources that are declared twice, semaphores with two counts (docs/graph.md)."""

from __future__ import annotations

from ..engine.graph.graph import CycleFound, Graph
from ..engine.graph.references import References, declared_by, distinct
from ..manifest.ordering import circle, semaphores_of
from ..model.errors import CCMError
from ..model.resource import Resource, complete
from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .declared import Declared
    from .review import Review


def check_graph_order(review: Review, resources: Sequence[Declared]) -> None:
    """Note what a run in graph order refuses, as far as it is known without expressions."""
    made = [found for found in map(_made, resources) if found]
    try:
        made = distinct(made)
        semaphores_of(made)
        _graph(made).order()
    except CycleFound as found:
        review.refuse("reference", circle(found, made))
    except CCMError as error:
        review.refuse("value", error)


def _made(declared: Declared) -> Resource | None:
    """Return the resource as a run makes it, None where that cannot be known."""
    if holds_expression(declared.name) or not declared.name:
        return None
    try:
        values = {**complete(declared.type, {}), **declared.values}
        return Resource(declared.type, declared.type.made(values), origin=declared.origin)
    except CCMError:
        return None


def _graph(resources: Sequence[Resource]) -> Graph:
    """Return the graph of the references that lead to one of the resources; the others are noted elsewhere."""
    references, graph = References(resources), Graph(len(resources))
    for index, resource in enumerate(resources):
        for declared in declared_by(resource):
            is_known = references.holds(declared.reference) and declared.reference not in resource.names
            edge = references.edge(index, declared) if is_known else None
            if edge:
                graph.add(edge)
    return graph
