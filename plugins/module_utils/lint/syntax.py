# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax of an expression that compiles."""

from __future__ import annotations

from ..data.functions import FUNCTIONS
from ..lang.expr import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator


def nodes_of(source: str) -> Iterator[nodes.Node]:
    """Yield all nodes of an expression, each before those below it."""
    from ..lang.expr.parser import parse

    waiting: list[nodes.Node] = [parse(source, FUNCTIONS)]
    while waiting:
        node = waiting.pop()
        waiting += _below(node)
        yield node


def _below(node: nodes.Node) -> Iterator[nodes.Node]:
    for parent in node.__class__.__mro__:
        for slot in getattr(parent, "__slots__", ()):
            value = getattr(node, slot)
            for entry in value if isinstance(value, list) else (value,):
                for each in entry if isinstance(entry, tuple) else (entry,):
                    if isinstance(each, nodes.Node):
                        yield each
