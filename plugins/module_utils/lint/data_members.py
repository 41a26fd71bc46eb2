# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Members of `Data` that an expression uses, and does not expect to be missing (behaviour.md 11.1)."""

from __future__ import annotations

from ..lang.expr import nodes
from .syntax import nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, List, Tuple

    # The names from `Data` on, and the place of `Data` in the source.
    Used = Tuple[List[str], int]


def members_of(source: str) -> Iterator[Used]:
    """Yield each longest path of names that begins with `Data` in an expression that compiles.

    Not what may be missing for the expression: before `??`, compared with nil, with `?.`, looked for by `in Data`, or
    the value of a variable.
    """
    found: list[Used] = []
    expected: list[list[str]] = []
    inner: set[nodes.Node] = set()
    for node in nodes_of(source):
        if isinstance(node, nodes.Member):
            used = None if node in inner else _path(node, inner)
            if used is not None:
                found.append(used)
        elif isinstance(node, nodes.Binary):
            expected += _expected(node)
        elif isinstance(node, nodes.Let):
            expected += _names(node.value)
    for names, at in found:
        if not any(names[: len(each)] == each for each in expected):
            yield names, at


def _path(node: nodes.Node, inner: set[nodes.Node] | None = None) -> Used | None:
    """Return the names to a member as far as they are known, and add the members on the way to `inner`."""
    names: list[str] = []
    is_optional = False
    while isinstance(node, nodes.Member):
        if inner is not None:
            inner.add(node)
        key = node.property.value if isinstance(node.property, nodes.Literal) else None
        if isinstance(key, str) and not node.method:
            names.append(key)
        else:
            names = []
        is_optional = is_optional or node.optional
        node = node.node
    if not isinstance(node, nodes.Identifier) or node.name != "Data" or is_optional or not names:
        return None
    return names[::-1], node.at


def _expected(node: nodes.Binary) -> Iterator[list[str]]:
    """Yield the paths that a comparison or `??` expects to be missing."""
    left, right = node.left, node.right
    if node.operator == "??":
        yield from _names(left)
    elif node.operator in ("==", "!="):
        for one, other in ((left, right), (right, left)):
            if isinstance(other, nodes.Literal) and other.value is None:
                yield from _names(one)
    elif node.operator == "in" and isinstance(left, nodes.Literal) and isinstance(left.value, str):
        if isinstance(right, nodes.Identifier) and right.name == "Data":
            yield [left.value]
        for names in _names(right):
            yield [*names, left.value]


def _names(node: nodes.Node) -> list[list[str]]:
    used = _path(node)
    return [used[0]] if used else []
