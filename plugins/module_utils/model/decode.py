# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From what a document, a module's arguments or a request gives to the values of properties.

Most properties are text. What other kinds take is in kinds.py, imported for the first of them.
"""

from __future__ import annotations

from .errors import InvalidResource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .errors import Position
    from .property import Property
    from .resource import ResourceType
    from .values import Data, Path, Value


class Origin:
    """The origin of raw values without lines. Documents have a subclass."""

    def position(self, path: Path) -> Position | None:
        """Return the position of the key at `path` below this origin."""
        return None

    def value_position(self, path: Path) -> Position | None:
        """Return the position of the value at `path` below this origin."""
        return None

    def nearest_position(self, path: Path) -> Position | None:
        """Return the position of the value at `path`, or of the nearest parent, or of the key of this origin."""
        return None

    def written(self, path: Path) -> str | None:
        """Return the scalar at `path` as it was written, None without a document."""
        return None

    def is_unquoted(self, path: Path) -> bool:
        """Return whether the text at `path` is without quotes in YAML."""
        return False

    def is_null_key(self, path: Path) -> bool:
        """Return whether the key at `path` is YAML's null, which is read as the text "null"."""
        return False

    def below(self, path: Path) -> Origin:
        """Return the origin of the value at `path`."""
        return self


NO_ORIGIN = Origin()
#: The kinds of which any text is a value.
_TEXTS = ("string", "mode")


def decode_properties(
    type: ResourceType, raw: Value, origin: Origin = NO_ORIGIN, *, ignore_unknown: bool = False
) -> Data:
    """Return the values of the properties that `raw` gives, by declared name, and no others.

    Raises InvalidResource, with position, for an unknown property (unless `ignore_unknown`) and for a value of another
    kind than declared (decisions.md Q10, Q45).
    """
    if raw is None:
        return {}
    if not isinstance(raw, dict):
        raise InvalidResource(
            f"properties of {type.name} resources must be a mapping, not {described(raw)}",
            value=raw,
            position=origin.value_position(()),
        )
    return decode_fields(named_properties(type), raw, origin, (), ignore_unknown, type.name)


_named: dict[type, dict[str, Property]] = {}


def named_properties(type: ResourceType) -> dict[str, Property]:
    """Return the declared properties of a type by name and by alias."""
    named = _named.get(type.__class__)
    if named is None:
        named = {prop.name: prop for prop in type.properties}
        named.update({alias: prop for prop in type.properties for alias in prop.aliases})
        _named[type.__class__] = named
    return named


def decode_fields(
    named: dict[str, Property], raw: Data, origin: Origin, path: Path, ignore_unknown: bool, where: str
) -> Data:
    """Return the values that `raw`, at `path`, gives of properties by these names; `where` is for errors.

    Raises InvalidResource.
    """
    values: Data = {}
    for key, value in raw.items():
        prop = named.get(key)
        if prop is None:
            if ignore_unknown:
                continue
            raise unknown_key("property", key, list(named), where, origin.position((*path, key)))
        kind = prop.kind
        if (value.__class__ is str and kind in _TEXTS) or (value.__class__ is bool and kind == "boolean"):
            values[prop.name] = value
        else:
            from .kinds import decoded

            values[prop.name] = decoded(prop, value, origin, (*path, key), ignore_unknown)
    return values


def unknown_key(what: str, key: str, known: list[str], where: str, position: Position | None) -> InvalidResource:
    """Return the error for an undeclared key, with the nearest known one."""
    from .foreign_words import property_advice, property_for

    advice = property_advice(key, known)
    near = "" if advice else property_for(key, known)
    message = f'unknown {what} "{key}" in {where}'
    return InvalidResource(
        message + (f', did you mean "{near}"?' if near else ""),
        property=key,
        position=position,
        advice=advice or ("" if near else f"known: {', '.join(known)}"),
    )


def described(value: Value) -> str:
    """Return a value's kind in the words of users."""
    if value is None:
        return "nothing"
    words = {bool: "a boolean", int: "an integer", float: "a number", str: "text", bytes: "bytes", list: "a list"}
    for kinds, word in words.items():
        if isinstance(value, kinds):
            return word
    return "a mapping"
