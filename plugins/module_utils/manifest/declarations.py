# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Declarations of the resources of one type: both forms, with defaults (behaviour.md 15.2)."""

from __future__ import annotations

from ..model.decode import NO_ORIGIN, Origin, decode_properties, described, named_properties
from ..model.errors import InvalidResource
from ..model.resource import resource_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import ResourceType
    from ..model.values import Data, Value

DEFAULTS = "defaults"
ONE_NAME_ADVICE = "start a new list entry with - for each name, and indent its properties below the name"
_WITHOUT_DEFAULTS = "defaults do not hold for an entry that is null: write {} for no properties of its own"


class Declaration:
    """One declared resource before its expressions are resolved; `origin` is the origin of its own properties.

    `advice` says what to do when its ensure is wrong, unless the advice is to name another value. `written` is its
    reference as written.
    """

    __slots__ = ("advice", "origin", "resource", "written")

    def __init__(self, type: ResourceType, values: Data, origin: Origin, advice: str = "") -> None:
        self.resource = resource_of(type, values, origin=origin)
        self.written = self.resource.written
        self.origin = origin
        self.advice = advice


def read_declarations(
    type: ResourceType, value: Value, origin: Origin = NO_ORIGIN, *, ignore_unknown: bool = False
) -> list[Declaration]:
    """Return the resources that `value` declares: one mapping with a name, or a list of `name: properties`.

    Raises InvalidResource for any other value, for unknown properties and for values of another kind.
    """
    if isinstance(value, list) and value:
        return _read_list(type, value, origin, ignore_unknown)
    if not isinstance(value, dict) and value is not None:
        raise InvalidResource(
            f"{type.name} resources must be a mapping with a name or a list of names, not "
            + ("an empty list" if value == [] else described(value)),
            position=origin.value_position(()),
            advice=entry_advice(value),
        )
    name = value.get("name") if value else None
    return [Declaration(type, _decode(type, name, value, origin, ignore_unknown), origin)]


def _read_list(
    type: ResourceType, items: list[dict[str, Value]], origin: Origin, ignore_unknown: bool
) -> list[Declaration]:
    defaults = _read_defaults(type, items, origin, ignore_unknown)
    declarations = []
    for at, item in enumerate(items):
        key, own = next(iter(item.items()))
        if key == DEFAULTS:
            continue
        own_origin = origin.below((at, key))
        name = name_of(key, origin, at)
        values = with_defaults(defaults, own, _decode(type, name, own, own_origin, ignore_unknown))
        values["name"] = name
        note = _WITHOUT_DEFAULTS if defaults and own is None else ""
        declarations.append(Declaration(type, values, own_origin, note))
    return declarations


def with_defaults(defaults: Data, own: Value, values: Data) -> Data:
    """Return the values of an entry of a list, completed by the list's defaults.

    An entry that is null does not get the defaults. It has an empty `ensure` if the defaults have one: to take the
    type's default instead could mean the opposite.
    """
    if own is not None:
        return {**defaults, **values}
    return {"ensure": "", **values} if "ensure" in defaults else values


def name_of(key: str, origin: Origin, at: int) -> str:
    """Return the name in the key of a list's entry; none when the key is null."""
    return "" if key == "null" and origin.is_null_key((at, key)) else key


def _decode(type: ResourceType, name: Value, raw: Value, origin: Origin, ignore_unknown: bool) -> Data:
    """Return the values of one resource; errors include its name, if the name is a text."""
    try:
        return decode_properties(type, raw, origin, ignore_unknown=ignore_unknown)
    except InvalidResource as error:
        if name and isinstance(name, str):
            error.resource = error.resource or f"{type.name}#{name}"
        if isinstance(raw, dict):
            error.advice = dashes_advice(type, raw) or error.advice
        elif isinstance(name, str):
            error.advice = entry_advice({name: raw})
        raise


def entry_advice(item: Value) -> str:
    """Return how to write an entry of a list that is a text, or a mapping with the key `name`; else ""."""
    if isinstance(item, dict):
        if "name" not in item:
            return ""
        begin = "an entry begins with the name itself, without the word name"
        return f"{begin}: - {_shown(item['name'])}: {'{}' if len(item) == 1 else '{…}'}"
    return f"write - {_shown(item)}: {{}}" if isinstance(item, str) else ""


def dashes_advice(type: ResourceType, raw: Data) -> str:
    """Return the advice for a list that is written as a mapping from names to properties, "" for anything else."""
    named = named_properties(type)
    for name, value in raw.items():
        if name in named or not (value is None or isinstance(value, dict)):
            return ""
    return f"begin each entry of a list with -, like - {_shown(next(iter(raw)))}:" if raw else ""


def _shown(name: Value) -> str:
    """Return a name as a key of YAML, in a general form where that needs quotes."""
    import re

    return name if isinstance(name, str) and re.match(r"[\w./][\w./+@-]{0,60}\Z", name) else "NAME"


def _read_defaults(type: ResourceType, items: list[dict[str, Value]], origin: Origin, ignore_unknown: bool) -> Data:
    found: Data | None = None
    for at, item in enumerate(items):
        if not isinstance(item, dict):
            raise InvalidResource(
                f"an entry in a list of {type.name} resources must be a mapping from a name to properties, not "
                + described(item),
                position=origin.value_position((at,)),
                value=item,
                advice=entry_advice(item),
            )
        if len(item) != 1:
            raise InvalidResource(
                "multiple resource names found in package resource",
                position=origin.value_position((at,)),
                value=", ".join(item),
                advice=entry_advice(item) or ONE_NAME_ADVICE,
            )
        if DEFAULTS in item:
            if found is not None:
                raise InvalidResource(
                    "multiple defaults found in package resource", position=origin.position((at, DEFAULTS))
                )
            found = decode_properties(type, item[DEFAULTS], origin.below((at, DEFAULTS)), ignore_unknown=ignore_unknown)
    return found or {}
