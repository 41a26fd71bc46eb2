# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Walks through a manifest's values: properties of resources, fields of properties, texts of values."""

from __future__ import annotations

from ..model.decode import named_properties

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, Mapping, Tuple

    from ..model.property import Property
    from ..model.values import Path, Value
    from .declared import Block, Declared

    # A property, its given value, and its path; the last key of the path is the name that was used.
    Given = Tuple[Property, Value, Path]


def given_properties(block: Block) -> Iterator[tuple[Property, Value, Path, str]]:
    """Yield what the parts of a block give, each with the reference of its resource ("" for defaults)."""
    for declared, given in parts(block):
        for prop, value, path in given:
            yield prop, value, path, declared.reference if declared else ""


def parts(block: Block) -> Iterator[tuple[Declared | None, Iterator[Given]]]:
    """Yield the resources of a block, each with what it gives, then None with what their defaults give."""
    named = named_properties(block.type)
    for declared in block.resources:
        yield declared, _known(named, declared.own, declared.path)
    yield None, _known(named, block.defaults, block.defaults_path)


def given_fields(prop: Property, value: Value, path: Path) -> Iterator[Given]:
    """Yield what the entries of a list give for the fields of its property."""
    fields = {field.name: field for field in prop.fields}
    for at, entry in enumerate(value) if isinstance(value, list) else ():
        yield from _known(fields, entry, (*path, at))


def _known(named: Mapping[str, Property], given: Value, path: Path) -> Iterator[Given]:
    """Yield the values of a mapping that are for properties; nothing for a value that is no mapping."""
    for key, value in given.items() if isinstance(given, dict) else ():
        if key in named:
            yield named[key], value, (*path, key)


def texts(value: Value, path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the texts in a value, at any depth, with their paths; keys are not included."""
    if isinstance(value, str):
        yield value, path
    entries: Iterable[tuple[str | int, Value]] = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, entry in entries:
        yield from texts(entry, (*path, key))
