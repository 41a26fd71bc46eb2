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


def check_values(review: Review, declared: Declared, index: int) -> None:
    """Note what is wrong with the values of the resource that is number `index` (from 0) of the manifest.

    Where a value is not known, something stands in for it; what is wrong only with that is not noted.
    """
    trial = _Trial(declared, index)
    noted = 0
    error = trial.error()
    while error is not None and noted <= len(declared.type.properties):
        at_fault = error.property.partition(".")[0]
        if not trial.can_avoid(error):
            if at_fault in trial.open:
                return
            error.resource = error.resource or declared.reference
            if error.position is None or error.position == declared.origin.position(()):
                error.position = _place(declared, error)
            review.refuse("value", error)
            noted += 1
            if not trial.replace(at_fault):
                return
        error = trial.error()


class _Trial:
    """Validation of one resource with stand-ins; `open` are the properties that have some, with what may stand in."""

    def __init__(self, declared: Declared, index: int) -> None:
        self._declared = declared
        self._index = index
        self._values = dict(declared.values)
        self.open: dict[str, list[Any]] = {}
        self._properties = {prop.name: prop for prop in declared.type.properties}
        for name, value in declared.values.items():
            if is_unknown(self._properties[name], value):
                self.replace(name)

    def replace(self, name: str) -> bool:
        """Let something stand in for a property; False when it has a stand-in already, or is none."""
        prop = self._properties.get(name)
        if prop is None or name in self.open:
            return False
        self.open[name] = stand_ins(self._declared.type, prop, self._values.get(name))
        if not self.open[name]:
            return False
        self._values[name] = self.open[name][0]
        return True

    def error(self) -> CCMError | None:
        """What is wrong with the values as they are now."""
        declaration = Declaration(self._declared.type, dict(self._values), self._declared.origin)
        resource = declaration.resource
        try:
            resource.type.validate(resource.properties)
            resource.type.normalise(resource.properties)
            check_strictly(declaration, self._index)
            require_known_provider(resource)
        except CCMError as error:
            return error
        return None

    def can_avoid(self, error: CCMError) -> bool:
        """Whether other stand-ins lead past an error; they stay when they do."""
        for name, offered in self.open.items():
            before = self._values[name]
            for value in offered:
                self._values[name] = value
                after = self.error()
                if after is None or _is_further(after, error, self.open):
                    return True
            self._values[name] = before
        return False


def _is_further(after: CCMError, before: CCMError, open: dict[str, Any]) -> bool:
    """Whether an error is of another property than the one before, and of none that something stands in for."""
    at_fault = after.property.partition(".")[0]
    return at_fault != before.property.partition(".")[0] and at_fault not in open


def _place(declared: Declared, error: CCMError) -> Position | None:
    path = tuple(error.property.split(".")) if error.property else ()
    return declared.origin.value_position(path) if path[:1] and path[0] in declared.own else declared.origin.place(())
