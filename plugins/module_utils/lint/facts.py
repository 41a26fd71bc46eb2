# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of facts in expressions: facts with other names in the original, and facts that no host has (Q30)."""

from __future__ import annotations

from ..data.fact_names import ANY, about_name, gathered, written
from ..lang.expr import nodes
from ..lang.near import nearest
from .syntax import nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Tuple

    from ..model.errors import Position
    from .review import Review

    Place = Callable[[int], "Position | None"]
    # Keys from `Facts` on; None is an index.
    Keys = Tuple["str | None", ...]

RULE = "fact"
# The keys to the families below, by our name.
_FAMILIES: dict[Keys, dict[str, str]] = {
    keys: {name: name for name in names}
    for keys, names in (
        ((), ("cpu", "host", "memory", "network", "partition")),
        (("cpu",), ("info",)),
        (("host",), ("info",)),
        (("memory",), ("swap", "virtual")),
        (("memory", "swap"), ("devices", "info")),
        (("network",), ("addresses", "default_ipv4", "default_ipv6", "interfaces")),
        (("partition",), ("partitions", "usage")),
    )
}


class Facts:
    """Notes faults in names of facts in one manifest; names of the original only where it is `portable`."""

    def __init__(self, review: Review, portable: bool) -> None:
        self._review = review
        self._portable = portable

    def check(self, source: str, about: str, place: Place) -> None:
        """Check the facts of an expression that compiles; `place` returns the place of an offset in it."""
        if "Facts" not in source:
            return
        for node in nodes_of(source):
            name = _key(node)
            keys = _keys(node.node) if isinstance(node, nodes.Member) and name else None
            known = gathered().get(keys) if keys else None
            if known is not None and keys and name:
                self._check_name(written("Facts", keys), name, known, about, place(node.at))

    def check_path(self, names: list[str], about: str, position: Position | None, *, has_default: bool) -> None:
        """Check a path of facts for `lookup`, which knows none of the names of the original.

        With a default, only a name missing from a family whose names are all known is noted.
        """
        for at, name in enumerate(names):
            keys = tuple(ANY if each.isdigit() else each for each in names[:at])
            known = gathered().get(keys)
            if known is None and not has_default:
                known = _FAMILIES.get(keys)
            if known is not None and name not in known.values():
                self._warn(".".join(("facts", *names[:at])), name, known, about, position)
                return

    def _warn(self, where: str, name: str, known: Mapping[str, str], about: str, position: Position | None) -> None:
        self._review.warn(
            RULE,
            f"no machine has a fact {where}.{name}: only facts that are given could have it",
            position,
            resource=about,
            advice=_nearest(name, known),
        )

    def _check_name(
        self, where: str, name: str, known: Mapping[str, str], about: str, position: Position | None
    ) -> None:
        """`known` are the names of the original, each with ours."""
        if name in known:
            return
        original = next((key for key, our in known.items() if our == name), "")
        if not original:
            self._warn(where, name, known, about, position)
        elif self._portable:
            message = about_name(where, name, original)
            self._review.not_portable(message, position, resource=about, advice="here, both are known")


def _key(node: nodes.Node) -> str | None:
    """Return the name of a member; None where it has none, or it is not known."""
    if isinstance(node, nodes.Member) and isinstance(node.property, nodes.Literal):
        value = node.property.value
        return value if isinstance(value, str) else None
    return None


def _keys(node: nodes.Node) -> Keys | None:
    """Return the keys from `Facts` to a node; None for a node elsewhere."""
    if isinstance(node, nodes.Chain):
        return _keys(node.node)
    if isinstance(node, nodes.Identifier):
        return () if node.name == "Facts" else None
    above = _keys(node.node) if isinstance(node, nodes.Member) else None
    return None if above is None else (*above, _key(node))


def _nearest(name: str, known: Mapping[str, str]) -> str:
    near = nearest(name, known.values())
    return f"did you mean {near}?" if near else f"gathered are {', '.join(known.values())}"
