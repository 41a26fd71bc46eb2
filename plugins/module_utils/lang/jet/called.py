# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that a template calls and that do not exist, found without rendering it."""

from __future__ import annotations

from . import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Container, List, Tuple

    # A name and the line of the action that calls it.
    Called = Tuple[str, int]
    Waiting = List[Tuple[Any, int]]

_NOT_PARTS = ("shared", "line", "depth")


def unknown_functions(template: list[nodes.Node], known: Container[str]) -> list[Called]:
    """Return the names that a template calls, in its order, that are neither `known` nor its own variables.

    Not what `try` surrounds, and names that `isset` looks for.
    """
    called: list[Called] = []
    own: set[str] = set()
    waiting: Waiting = [(template, 0)]
    while waiting:
        part, line = waiting.pop()
        if isinstance(part, (list, tuple)):
            waiting += [(each, line) for each in reversed(part)]
            continue
        if isinstance(part, nodes.Try):
            part = part.catch
        if not isinstance(part, (nodes.Node, nodes.Command, nodes.Arguments, nodes.Head)):
            continue
        if not isinstance(part, nodes.Expression):
            # Templates share the expressions of actions that are alike: their line may be the line of another action.
            line = getattr(part, "line", 0) or line
        called += [(name, line) for name in _called(part)]
        own |= _own(part)
        waiting += [(each, line) for each in reversed(_parts(part))]
    return [(name, line) for name, line in called if name not in known and name not in own]


def _called(part: Any) -> list[str]:
    """Return the names that a part itself calls."""
    bases = []
    if isinstance(part, nodes.Call) or (isinstance(part, nodes.Command) and part.arguments is not None):
        bases = [part.base]
    elif isinstance(part, nodes.Action):
        bases = [command.base for command in part.pipeline[1:]]
    return [base.name for base in bases if isinstance(base, nodes.Identifier)]


def _own(part: Any) -> set[str]:
    """Return the names that a part gives values, or looks for."""
    named: list[Any] = []
    if isinstance(part, nodes.Assignment):
        named = list(part.targets)
    elif isinstance(part, nodes.Call) and str(part.base) == "isset":
        named = part.arguments.values
    own = {each.name for each in named if isinstance(each, nodes.Identifier)}
    if isinstance(part, nodes.Catch):
        own.add(part.name)
    elif isinstance(part, nodes.Block):
        own |= {name for name, _value in part.parameters}
    return own


def _parts(part: Any) -> list[Any]:
    slots = [slot for parent in type(part).__mro__ for slot in getattr(parent, "__slots__", ())]
    return [getattr(part, slot) for slot in slots if slot not in _NOT_PARTS]
