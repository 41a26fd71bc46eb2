# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The values of a resource's properties: what its type, the schema and the providers say of them."""

from __future__ import annotations

from ...engine.preference import require_known_provider
from ...model.errors import CCMError
from ..declarations import Declaration
from ..strict import check_strictly
from .standins import is_unknown, stand_ins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...model.position import Position
    from .declared import Declared
    from .review import Review


# How many trials of one resource may go into the search for stand-ins that fit better, and how many into all.
_SEARCHED, _MOST = 300, 600


def check_values(review: Review, declared: Declared, index: int) -> None:
    """Note what is wrong with the values of the resource that is number `index` (from 0) of the manifest.

    Where a value is not known, or was noted already, something stands in for it; what is wrong only with that is not
    noted.
    """
    for error in _Trial(declared, index).faults():
        error.resource = error.resource or declared.reference
        if error.position is None or error.position == declared.origin.position(()):
            error.position = _place(declared, error)
        review.refuse("value", error)


class _Trial:
    """Validation of one resource, again and again: its type tells the first fault only."""

    def __init__(self, declared: Declared, index: int) -> None:
        self._declared = declared
        self._index = index
        self._properties = {prop.name: prop for prop in declared.type.properties}
        self._count = 0

    def faults(self) -> list[CCMError]:
        """What is wrong with what the resource gives."""
        values = dict(self._declared.values)
        open: dict[str, list[Any]] = {}
        for name, value in self._declared.values.items():
            prop = self._properties[name]
            if is_unknown(prop, value):
                open[name] = stand_ins(self._declared.type, prop, value)
                values[name] = open[name][0]
        return self._fewest(values, open, frozenset())

    def _fewest(self, values: dict[str, Any], open: dict[str, list[Any]], varied: frozenset[str]) -> list[CCMError]:
        """The faults of the `values`, where those that are `open` may be any of some; the fewest that there can be.

        The `varied` ones stay as they are, but where they are at fault themselves.
        """
        error = self._error(values)
        if error is None or self._count > _MOST:
            return []
        at_fault = error.property.partition(".")[0]
        if at_fault in open:
            other = self._otherwise(values, at_fault, open[at_fault])
            # Nobody knows what would fit: what comes after it cannot be seen.
            return [] if other is None else self._fewest(other, open, varied)
        found = [error, *self._without(values, at_fault, open)]
        for name in sorted(open.keys() - varied):
            for value in open[name]:
                if self._count > _SEARCHED:
                    return found
                changed = {**values, name: value}
                after = self._error(changed)
                if after is None:
                    return []
                if after.property != error.property and after.property.partition(".")[0] != name:
                    found = min(found, self._fewest(changed, open, varied | {name}), key=len)
        return found

    def _otherwise(self, values: dict[str, Any], name: str, offered: list[Any]) -> dict[str, Any] | None:
        """The values with something else for one of them, so that it is not at fault."""
        for value in offered:
            changed = {**values, name: value}
            after = self._error(changed)
            if after is None or after.property.partition(".")[0] != name:
                return changed
        return None

    def _without(self, values: dict[str, Any], name: str, open: dict[str, list[Any]]) -> list[CCMError]:
        """The faults beside that of one property."""
        prop = self._properties.get(name)
        offered = stand_ins(self._declared.type, prop, values.get(name)) if prop is not None else []
        if not offered:
            return []
        return self._fewest({**values, name: offered[0]}, {**open, name: offered}, frozenset())

    def _error(self, values: dict[str, Any]) -> CCMError | None:
        """The first fault of values."""
        self._count += 1
        declaration = Declaration(self._declared.type, dict(values), self._declared.origin)
        resource = declaration.resource
        try:
            resource.type.validate(resource.properties)
            resource.type.normalise(resource.properties)
            check_strictly(declaration, self._index)
            require_known_provider(resource)
        except CCMError as error:
            return error
        return None


def _place(declared: Declared, error: CCMError) -> Position | None:
    path = error.path or tuple(error.property.split("."))
    return declared.origin.place(path if path[0] in declared.own else ())
