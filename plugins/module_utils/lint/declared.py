# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The resources that a manifest declares, as far as they can be read (behaviour.md 15.2)."""

from __future__ import annotations

from ..manifest.declarations import (
    DEFAULTS,
    ONE_NAME_ADVICE,
    dashes_advice,
    entry_advice,
    name_of,
    read_declarations,
    with_defaults,
)
from ..manifest.loader import unknown_type
from ..model.decode import decode_properties, described, named_properties
from ..model.errors import CCMError, InvalidResource, WrongKind
from ..resources.types import resource_type, type_names
from .children import is_application

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.resource import ResourceType
    from ..model.values import Data, Path, Value
    from .review import Review

RESOURCES = ("ccm", "resources")

UNUSED_DEFAULTS = "unused-defaults"
DUPLICATE = "duplicate"


class Declared:
    """One declared resource, its expressions not resolved.

    `values` are its properties that could be read, including its list's defaults. `own` are its properties as written,
    at `path`. `name` may hold expressions, and is "" where there is none; `reference` is `type#name`. With `is_null`
    nothing is written, and no default applies.
    """

    def __init__(self, review: Review, type: ResourceType, values: Data, own: Value, path: Path) -> None:
        self.type = type
        self.values = values
        self.own: Data = own if isinstance(own, dict) else {}
        self.is_null = own is None
        self.path = path
        self.origin = review.origin.below(path)
        self.name = str(values.get("name") or "")
        self.reference = f"{type.name}#{self.name}"

    @property
    def ensure(self) -> Value:
        """The state that is wanted, which may be an expression."""
        return self.values.get("ensure", self.type.default_ensure)

    def text(self, name: str) -> str:
        """Return the value of a property of the kind `string`, "" where it has none."""
        value = self.values.get(name)
        return value if isinstance(value, str) else ""

    def texts(self, name: str) -> list[str]:
        """Return the value of a property of the kind `strings`."""
        value = self.values.get(name)
        return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []

    def objects(self, name: str) -> list[Data]:
        """Return the value of a property of the kind `objects`."""
        value = self.values.get(name)
        return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


class Block:
    """The value under a type's name in one entry: `resources`, and for a list its `defaults`.

    `defaults` are as written, None where there are none, and at `defaults_path`.
    """

    def __init__(self, type: ResourceType) -> None:
        self.type = type
        self.resources: list[Declared] = []
        self.defaults: Value = None
        self.defaults_path: Path = ()


def read_blocks(review: Review, entries: list[Value]) -> Iterator[Block]:
    """Yield what the entries of `ccm.resources` declare, in order; what cannot be read is noted and left out."""
    for at, entry in enumerate(entries):
        path = (*RESOURCES, at)
        if not isinstance(entry, dict) or not entry:
            what = "must be a mapping from a type to its resources" if entry != {} else "names no type"
            review.error(
                "shape",
                f"invalid manifest resource {at + 1}: {what}",
                review.value(path),
                advice=f"types: {', '.join(type_names())}",
            )
            continue
        for type_name, value in entry.items():
            try:
                type = resource_type(type_name)
            except InvalidResource as error:
                error.position = review.key((*path, type_name))
                review.refuse("value", error)
                continue
            if type is None:
                review.refuse("unknown-key", unknown_type(type_name, review.key((*path, type_name))))
                continue
            yield _read_block(review, type, value, (*path, type_name))


def _read_block(review: Review, type: ResourceType, value: Value, path: Path) -> Block:
    block = Block(type)
    if not (isinstance(value, list) and value):
        try:
            if not isinstance(value, dict):
                read_declarations(type, value, review.origin.below(path))
            own = value or {}
            block.resources.append(Declared(review, type, _values(review, type, own, path), own, path))
        except InvalidResource as error:
            review.refuse("shape", error)
        return block
    defaults = _read_defaults(review, block, value, path)
    for at, item in enumerate(value):
        if not isinstance(item, dict) or len(item) != 1:
            _refuse_item(review, type, item, (*path, at))
            continue
        key, own = next(iter(item.items()))
        if key != DEFAULTS:
            where = (*path, at, key)
            name = name_of(key, review.origin.below(path), at)
            values = {**with_defaults(defaults, own, _values(review, type, own, where)), "name": name}
            block.resources.append(Declared(review, type, values, own, where))
    return block


def _read_defaults(review: Review, block: Block, items: list[Value], path: Path) -> Data:
    values: Data = {}
    for at, item in enumerate(items):
        if not isinstance(item, dict) or DEFAULTS not in item or len(item) != 1:
            continue
        where = (*path, at, DEFAULTS)
        if block.defaults_path:
            review.error("shape", "multiple defaults found in package resource", review.key(where))
            continue
        block.defaults, block.defaults_path = item[DEFAULTS], where
        values = _values(review, block.type, item[DEFAULTS], where)
    return values


def _refuse_item(review: Review, type: ResourceType, item: Value, path: Path) -> None:
    if isinstance(item, dict) and item:
        message = "multiple resource names found in package resource"
        advice = entry_advice(item) or ONE_NAME_ADVICE
    else:
        message = f"an entry in a list of {type.name} resources must be a mapping from a name to properties"
        message, advice = f"{message}, not {'an empty one' if item == {} else described(item)}", entry_advice(item)
    review.error("shape", message, review.value(path), advice=advice)


def _values(review: Review, type: ResourceType, raw: Value, path: Path) -> Data:
    """Return the readable values of properties, each decoded separately."""
    origin = review.origin.below(path)
    values: Data = {}
    if not isinstance(raw, dict):
        try:
            decode_properties(type, raw, origin)
        except CCMError as error:
            error.advice = entry_advice({str(path[-1]): raw})
            review.refuse("kind", error)
        return values
    for key, value in raw.items():
        try:
            values.update(decode_properties(type, {key: value}, origin))
        except InvalidResource as error:
            if path[-1] == type.name:
                error.advice = dashes_advice(type, raw) or error.advice
            _refuse_property(review, type, error, path, raw)
    return values


def _refuse_property(review: Review, type: ResourceType, error: InvalidResource, path: Path, raw: Data) -> None:
    name = raw.get("name") if path[-1] == type.name else path[-1]
    if name and isinstance(name, str) and name != DEFAULTS:
        error.resource = error.resource or f"{type.name}#{name}"
    rule = "unknown-key"
    if isinstance(error, WrongKind):
        rule = "kind"
    elif "." in error.property or error.property in named_properties(type):
        rule = "value"
    review.refuse(rule, error)


def check_defaults(review: Review, block: Block) -> None:
    """Note defaults without resources, and defaults that every resource overrides."""
    if not block.defaults_path:
        return
    if not block.resources:
        message = f"the list of {block.type.name} resources has nothing but defaults"
        review.warn(UNUSED_DEFAULTS, message, review.key(block.defaults_path))
        return
    for declared in block.resources:
        if declared.is_null:
            message = f"the defaults do not hold for {declared.reference}, whose properties are null"
            review.warn(
                UNUSED_DEFAULTS, message, review.key(declared.path), advice="write {} for no properties of its own"
            )
    named = named_properties(block.type)
    given = [
        {named[key].name for key in declared.own if key in named} | {"name"}
        for declared in block.resources
        if not declared.is_null
    ]
    for key in block.defaults if isinstance(block.defaults, dict) else ():
        prop = named.get(key)
        if prop is not None and given and all(prop.name in own for own in given):
            review.warn(
                UNUSED_DEFAULTS,
                f"the default for {key} is never used: every resource of the list has its own",
                review.key((*block.defaults_path, key)),
                property=key,
            )


def check_duplicates(review: Review, resources: list[Declared]) -> None:
    """Note resources of one type and name where control cannot choose among them; children may run twice."""
    first: dict[str, Declared] = {}
    for declared in resources:
        if not declared.name or is_application(declared) or declared.values.get("control"):
            continue
        earlier = first.setdefault(declared.reference, declared)
        place = earlier.origin.position(())
        if earlier is not declared and place is not None:
            review.warn(
                DUPLICATE,
                f"{declared.reference} is declared twice, first in line {place.line}: both run, in order",
                declared.origin.position(()),
                resource=declared.reference,
                advice="declare it once, or choose with control",
            )
