# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hierarchical data: a base section, overrides by name, and the order in which facts choose them (behaviour.md 16)."""

from __future__ import annotations

from ..model.errors import DataError, Position, TemplateError
from .annotations import find_rules
from .environment import Environment
from .merge import deep_merge, shallow_merge
from .templates import expand_values, resolve_match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator, Sequence

    from ..model.log import Log
    from ..model.values import Data, FactSource, ParsedDocument, Path, Value
    from .annotations import Rule
    from .templates import Locate

#: How deep maps and lists of a document may be nested.
MAX_DEPTH = 150

_LARGEST = 1 << 63


class Resolved:
    """The result of a document: `data` by key, and the `rules` that its annotations make for it."""

    __slots__ = ("data", "rules")

    def __init__(self, data: Data, rules: Sequence[Rule] = ()) -> None:
        self.data = data
        self.rules = list(rules)


def resolve(
    document: Value,
    facts: FactSource,
    *,
    data_key: str = "data",
    overrides_data: Data | None = None,
    annotations: Sequence[Rule] = (),
    locate: Locate | None = None,
) -> Resolved:
    """Return the data of a document, for these facts.

    `document` is the parsed value: a map with the base section under `data_key`, `hierarchy` (`order`, `merge`) and
    `overrides`, all of which may be absent. Expressions in values and in the order have the facts and `lookup` only.
    `overrides_data` is merged deeply over the result as it is. Nothing is validated: pass `annotations`, which are
    returned as `rules`, to `validate_data` when all data is merged. `locate(path)` returns the Position of an entry.
    Raises DataError for a document of the wrong shape, TemplateError for its expressions.
    """
    if not isinstance(document, dict):
        raise DataError(
            "the document must be a map with the keys data, hierarchy and overrides",
            value=document,
            position=locate(()) if locate else None,
        )
    data_key = data_key or "data"
    hierarchy = _Hierarchy({key: normalised(entry, 1) for key, entry in document.items()}, locate)
    environment = Environment(facts).restricted()
    data = hierarchy.walk(data_key, environment)
    if overrides_data:
        data = deep_merge(data, overrides_data)
    return Resolved(data, annotations)


def resolve_document(
    document: ParsedDocument,
    facts: FactSource,
    *,
    data_key: str = "data",
    overrides_data: Data | None = None,
    log: Log | None = None,
) -> Resolved:
    """Return the data of a document that `lang.yaml` parsed, with the rules that its annotations make.

    As `resolve`; errors have their place. `log` gets a line for each unknown annotation.
    """
    data_key = data_key or "data"
    resolved = resolve(
        document.value,
        facts,
        data_key=data_key,
        overrides_data=overrides_data,
        locate=lambda path: _position(document, path),
    )
    resolved.rules, unknown = find_rules(document, data_key)
    if log is not None:
        unread = _unread(document.value, data_key)
        if unread:
            log.warn(f"Hiera data has no key {data_key}: its other keys are not read", unread=", ".join(unread))
        for key, annotation in unknown:
            log.warn("Unrecognized annotation in hiera data", key=key, annotation=annotation)
    return resolved


def _unread(document: Data, data_key: str) -> list[str]:
    """Return the keys that nothing reads of a document that has no data."""
    if data_key in document or "overrides" in document:
        return []
    return [key for key in document if key not in ("ccm", "hierarchy") and not key.startswith("x-")]


def _position(document: ParsedDocument, path: Path) -> Position | None:
    place = document.position(path)
    return None if place is None else Position(document.name, *place)


def validate_data(data: Data, rules: Sequence[Rule]) -> None:
    """Raise one DataError, a line for each rule that the data does not satisfy; none when all are satisfied."""
    if not rules:
        return
    from .validation import failures

    found = [(rule, text) for rule in rules for text in failures(data, rule)]
    if found:
        first = found[0][0]
        error = DataError("\n".join(text for _rule, text in found), property=first.key, position=first.position)
        error.parts = [text for _rule, text in found]
        raise error


class _Hierarchy:
    """A document split into its sections."""

    def __init__(self, document: Data, locate: Locate | None) -> None:
        self._document = document
        self._locate = locate
        overrides = document.get("overrides")
        if overrides is not None and not isinstance(overrides, dict):
            raise self._wrong("overrides must be a map", "overrides")
        self._overrides: Data = overrides or {}
        self._order, self._merge = self._parsed()

    def _wrong(self, message: str, *path: str | int) -> DataError:
        return DataError(message, position=self._locate(path) if self._locate else None)

    def _parsed(self) -> tuple[list[str], str]:
        hierarchy = self._document.get("hierarchy", {"order": ["default"]})
        if not isinstance(hierarchy, dict):
            raise self._wrong("hierarchy section is required", "hierarchy")
        order = hierarchy.get("order")
        if not isinstance(order, list):
            raise self._wrong("hierarchy.order must be a list", "hierarchy", "order")
        names: list[str] = []
        for index, entry in enumerate(order):
            if not isinstance(entry, str):
                raise self._wrong("hierarchy.order must contain only strings", "hierarchy", "order", index)
            names.append(entry)
        merge = hierarchy.get("merge")
        return names, (merge.lower() if isinstance(merge, str) else "") or "first"

    def walk(self, data_key: str, environment: Environment) -> Data:
        """Return the base section, overridden in the order of the hierarchy."""
        base = self._document.get(data_key)
        has_base = isinstance(base, dict)
        data = self._expanded(base, environment, data_key) if isinstance(base, dict) else {}
        for name in self._names(environment):
            override = self._overrides.get(name)
            if not isinstance(override, dict) or (has_base and name == data_key):
                continue
            override = self._expanded(override, environment, "overrides", name)
            if self._merge == "first":
                return shallow_merge(data, override)
            if self._merge != "deep":
                raise self._wrong(f"unsupported merge mode: {self._merge}", "hierarchy", "merge")
            data = deep_merge(data, override)
        return data

    def _names(self, environment: Environment) -> Iterator[str]:
        for index, entry in enumerate(self._order):
            try:
                name, matched = resolve_match(entry, environment)
            except TemplateError as error:
                if self._locate is not None and error.position is None:
                    error.position = self._locate(("hierarchy", "order", index))
                raise
            if matched:
                yield name

    def _expanded(self, section: Data, environment: Environment, *path: str) -> Data:
        return {key: expand_values(entry, environment, self._locate, (*path, key)) for key, entry in section.items()}


def normalised(value: Value, depth: int = 0) -> Value:
    """Return a copy of parsed data in which floats that are whole numbers of 64 bits are integers (`1.0` is 1).

    Raises DataError when maps and lists are nested too deep.
    """
    if depth > MAX_DEPTH:
        raise DataError(f"the document has more than {MAX_DEPTH} maps and lists in each other")
    if isinstance(value, dict):
        return {key: normalised(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, list):
        return [normalised(entry, depth + 1) for entry in value]
    if isinstance(value, float) and value.is_integer() and -_LARGEST <= value < _LARGEST:
        return int(value)
    return value
