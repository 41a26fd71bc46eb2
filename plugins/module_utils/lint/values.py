# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks the values of a resource's properties with its type, the schema and the providers."""

from __future__ import annotations

import re

from ..engine.prerequisites import require_runnable
from ..manifest.declarations import Declaration, dashes_advice
from ..manifest.loader import validate_resource
from ..manifest.strict import check_strictly
from ..model.errors import CCMError
from ..model.foreign_words import state_advice
from .placeholders import is_unknown, texts_for, with_placeholders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.errors import Position
    from ..model.property import Property
    from ..model.resource import ResourceType
    from ..model.values import Data, Value
    from .declared import Declared
    from .review import Review


# The most trials of one resource for the search for better substitutes, and the most trials in all.
_SEARCHED, _MOST = 300, 600
_DIGITS = re.compile(r"\d+")


class Trials:
    """Results of trials of earlier resources, so that similar ones need fewer trials.

    `texts` are substitutes for a property, by its type and name; `fitting` is the last substitute without a fault.
    `helpful` are texts for other properties that removed a fault, by the tried text and the property at fault.
    """

    def __init__(self) -> None:
        self.texts: dict[tuple[str, str], list[str]] = {}
        self.fitting: dict[tuple[str, str], str] = {}
        self.helpful: dict[tuple[str, ...], list[tuple[str, str]]] = {}

    def texts_for(self, type: ResourceType, prop: Property) -> list[str]:
        """Return substitutes for a property, the last successful one first."""
        key = (type.name, prop.name)
        texts = self.texts.get(key)
        if texts is None:
            texts = self.texts[key] = texts_for(type, prop)
        likely = self.fitting.get(key)
        if likely is not None and texts[0] != likely:
            texts.remove(likely)
            texts.insert(0, likely)
        return texts


def check_values(review: Review, declared: Declared, index: int, trials: Trials) -> None:
    """Note faults in the values of the resource at `index` (from 0) of the manifest.

    A value that is not known, or was noted already, is replaced by a substitute; faults of the substitute only are not
    noted. `trials` are the trials of the resources before it.
    """
    for error in _Trial(declared, index, trials).faults():
        error.resource = error.resource or declared.reference
        if error.position is None or error.position == declared.origin.position(()):
            error.position = _position_of(declared, error)
        if error.property == "ensure" and isinstance(declared.ensure, str):
            names = [prop.name for prop in declared.type.properties]
            error.advice = state_advice(declared.ensure, declared.type.ensure_choices, names) or error.advice
        elif error.property == "name" and declared.path[-1] == declared.type.name:
            error.advice = error.advice or dashes_advice(declared.type, declared.own)
        review.refuse("value", error)


class _Trial:
    """Validation of one resource, repeated: its type reports the first fault only."""

    def __init__(self, declared: Declared, index: int, trials: Trials) -> None:
        self._declared = declared
        self._type = declared.type
        self._index = index
        self._trials = trials
        self._properties = {prop.name: prop for prop in declared.type.properties}
        self._count = 0

    def faults(self) -> list[CCMError]:
        """Return the faults of the resource's own values."""
        values = dict(self._declared.values)
        open: Data = {}
        for name, value in self._declared.values.items():
            if is_unknown(self._properties[name], value):
                open[name] = value
                values[name] = with_placeholders(value, self._texts(name)[0])
        return self._fewest(values, self._error(values), open, frozenset())

    def _fewest(self, values: Data, error: CCMError | None, open: Data, varied: frozenset[str]) -> list[CCMError]:
        """Return the fewest possible faults of the `values`, where texts replace the `open` ones.

        `error` is the first of them, `open` has the given values. The `varied` ones are unchanged, unless they are at
        fault themselves.
        """
        if error is None or self._count > _MOST:
            return []
        at_fault = error.property.partition(".")[0]
        if at_fault in open:
            other = self._otherwise(values, at_fault, open[at_fault])
            # No fitting value is known: later faults cannot be found.
            return [] if other is None else self._fewest(*other, open, varied)
        found = [error, *self._without(values, at_fault, open)]
        # Resources that differ only in their numbers have the same faults because of substitutes.
        key = (self._type.name, error.property, *sorted(open.keys() - varied), _DIGITS.sub("0", repr(values)))
        options = self._trials.helpful.get(key)
        if options is None:
            options = [(name, text) for name in sorted(open.keys() - varied) for text in self._texts(name)]
        helpful: list[tuple[str, str]] = []
        for name, text in options:
            if self._count > _SEARCHED:
                return found
            changed = {**values, name: with_placeholders(open[name], text)}
            after = self._error(changed)
            if after is not None and (after.property == error.property or after.property.partition(".")[0] == name):
                continue
            helpful.append((name, text))
            if after is None:
                found = []
                break
            found = min(found, self._fewest(changed, after, open, varied | {name}), key=len)
        self._trials.helpful[key] = helpful
        return found

    def _otherwise(self, values: Data, name: str, given: Value) -> tuple[Data, CCMError | None] | None:
        """Return the values with one of them replaced so that it is not at fault, and the next fault."""
        for text in self._texts(name):
            changed = {**values, name: with_placeholders(given, text)}
            after = self._error(changed)
            if after is None or after.property.partition(".")[0] != name:
                self._trials.fitting[self._type.name, name] = text
                return changed, after
        return None

    def _without(self, values: Data, name: str, open: Data) -> list[CCMError]:
        """Return the faults other than the fault of one property."""
        texts = self._texts(name) if name in self._properties else []
        if not texts:
            return []
        without = {**values, name: with_placeholders(values.get(name), texts[0])}
        return self._fewest(without, self._error(without), {**open, name: values.get(name)}, frozenset())

    def _texts(self, name: str) -> list[str]:
        return self._trials.texts_for(self._type, self._properties[name])

    def _error(self, values: Data) -> CCMError | None:
        """Return the first fault of values."""
        self._count += 1
        declaration = Declaration(self._declared.type, dict(values), self._declared.origin)
        resource = declaration.resource
        try:
            validate_resource(resource)
            resource.type.normalise(resource.properties)
            check_strictly(declaration, self._index)
            require_runnable(resource)
        except CCMError as error:
            return error
        return None


def _position_of(declared: Declared, error: CCMError) -> Position | None:
    path = error.path or tuple(error.property.split("."))
    return declared.origin.nearest_position(path if path[0] in declared.own else ())
