# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax of expressions: why an expression does not compile, and its nodes if it does."""

from __future__ import annotations

from ..data.evaluation import advice_for, compiled
from ..data.functions import FUNCTIONS
from ..lang.expr import nodes
from ..lang.expr.errors import CompileError
from ..lang.expr.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator


def fault_of(source: str, as_bool: bool = False, *, only_lookup: bool = False) -> tuple[CompileError, str] | None:
    """Return the error of an expression and what to do about it, None when the expression compiles.

    With `as_bool` it must give a boolean, with `only_lookup` it has no function but `lookup`.
    """
    try:
        compiled(source, as_bool, only_lookup=only_lookup)
    except CompileError as error:
        return error, advice_for(error, source, only_lookup=only_lookup)
    return None


def nodes_of(source: str) -> Iterator[nodes.Node]:
    """Yield all nodes of an expression, each before those below it."""
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
