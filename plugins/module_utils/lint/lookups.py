# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names in lookups and in `Data` that do not exist (behaviour.md 11.3, 11.4, 16)."""

from __future__ import annotations

import re

from ..lang.expr import nodes
from ..lang.near import nearest
from .data_members import members_of
from .known import may_hold, sections
from .syntax import nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..model.errors import Position
    from ..model.values import Value
    from .facts import Facts
    from .known import KnownValues
    from .review import Review

    Place = Callable[[int], "Position | None"]

DATA, ENVIRON = "data", "environ"
_PLAIN_PATH = re.compile(r"(facts|data|environ)((?:\.[\w-]+)+)\Z")


class Lookups:
    """Notes lookups and names of data in one manifest that find nothing, and the use of variables where are none."""

    def __init__(self, review: Review, facts: Facts, known: KnownValues) -> None:
        self._review = review
        self._facts = facts
        self._given = known.facts
        self._data: list[Value] | None = None
        if known.data is not None:
            self._data = [entry for entry in (*sections(review.document.value), *known.data) if entry]

    def check(self, source: str, about: str, place: Place, *, only_lookup: bool) -> None:
        """Check an expression that compiles; `place` returns the place of an offset in it.

        `only_lookup` is True for expressions of data, overrides and hierarchy.
        """
        if not only_lookup and "Data" in source:
            self._check_members(source, about, place)
        if "lookup" not in source and not (only_lookup and "Environ" in source):
            return
        for node in nodes_of(source):
            if only_lookup and isinstance(node, nodes.Identifier) and node.name == "Environ":
                self._warn_of_environ("Environ", about, place(node.at))
            elif isinstance(node, nodes.Call) and _is_lookup(node):
                self._check_lookup(node, about, place, only_lookup)

    def _check_lookup(self, call: nodes.Call, about: str, place: Place, only_lookup: bool) -> None:
        path = call.arguments[0]
        text = path.value if isinstance(path, nodes.Literal) else None
        found = _PLAIN_PATH.match(text) if isinstance(text, str) else None
        if found is None:
            return
        root, names = found.group(1), found.group(2)[1:].split(".")
        has_default = len(call.arguments) > 1
        if root == "facts":
            if not may_hold(self._given, names):
                self._facts.check_path(names, about, place(path.at), has_default=has_default)
        elif only_lookup:
            if root == "environ":
                self._warn_of_environ(found.group(), about, place(path.at))
        elif root == "data" and not has_default and not self._may_have(names):
            said = f"lookup finds no data.{'.'.join(names)}"
            self._warn_of_data(said, "data", names, "give lookup a default", about, place(path.at))

    def _check_members(self, source: str, about: str, place: Place) -> None:
        """Note members of `Data` that do not exist; without any data in the manifest, all comes from elsewhere."""
        for names, at in members_of(source) if self._data else ():
            if not self._may_have(names):
                said = f"there is no Data.{'.'.join(names)}"
                self._warn_of_data(said, "Data", names, "give a default after ??", about, place(at))

    def _may_have(self, names: list[str]) -> bool:
        return self._data is None or any(may_hold(section, names) for section in self._data)

    def _warn_of_data(
        self, said: str, root: str, names: list[str], default: str, about: str, position: Position | None
    ) -> None:
        known = {key for section in self._data or () if isinstance(section, dict) for key in section}
        near = nearest(names[0], sorted(known))
        advice = f"did you mean {root}.{near}?" if near and near != names[0] else ""
        self._review.warn(
            DATA,
            f"{said}: neither data nor overrides have it",
            position,
            resource=about,
            advice=advice or f"declare it in data, {default}, or lint with the data of --hiera",
        )

    def _warn_of_environ(self, name: str, about: str, position: Position | None) -> None:
        self._review.warn(
            ENVIRON,
            f"{name} is always empty in data, overrides and hierarchy",
            position,
            resource=about,
            advice="there are only facts there: use Environ in the resources",
        )


def _is_lookup(call: nodes.Call) -> bool:
    return isinstance(call.callee, nodes.Identifier) and call.callee.name == "lookup" and bool(call.arguments)
