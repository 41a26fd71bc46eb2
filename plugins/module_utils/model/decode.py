# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""From what a document, a module's arguments or a request gives to values of the declared kinds.

`kind` decides what a document may have and what code gets:

| kind | a value |
| --- | --- |
| `string` | text, the YAML scalar as written |
| `mode` | permission bits as octal text, four digits after validation |
| `boolean`, `integer` | `True`, or one of the `choices` of the property; `7` |
| `number_or_template` | an integer, or text with an expression that yields one |
| `strings`, `integers` | a list of them |
| `string_map` | `{"k": "text"}` |
| `string_maps` | a list of those |
| `data` | any mapping |
| `object`, `objects` | a mapping of `fields`, a list of those |
"""

from __future__ import annotations

from .errors import InvalidResource, WrongKind
from .property import NEVER, CutInteger, boolean_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

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


class Unquoted(str):
    """Text without quotes in YAML: once its expressions are resolved it may be a number, for example."""

    __slots__ = ()


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
            f"properties of a {type.name} resource must be a mapping, not {described(raw)}",
            value=raw,
            position=origin.value_position(()),
        )
    return _decode_fields(named_properties(type), raw, origin, (), ignore_unknown, type.name)


def decode_value(prop: Property, value: Value, origin: Origin = NO_ORIGIN, *, ignore_unknown: bool = False) -> Value:
    """Return the value of the property for `value`, which is at the origin. Raises InvalidResource."""
    return _DECODERS[prop.kind](prop, value, origin, (), ignore_unknown)


_named: dict[type, dict[str, Property]] = {}


def named_properties(type: ResourceType) -> dict[str, Property]:
    """Return the declared properties of a type by name and by alias."""
    named = _named.get(type.__class__)
    if named is None:
        named = {prop.name: prop for prop in type.properties}
        named.update({alias: prop for prop in type.properties for alias in prop.aliases})
        _named[type.__class__] = named
    return named


def _decode_fields(
    named: dict[str, Property], raw: Data, origin: Origin, path: Path, ignore_unknown: bool, where: str
) -> Data:
    values: Data = {}
    for key, value in raw.items():
        prop = named.get(key)
        if prop is None:
            if ignore_unknown:
                continue
            raise unknown_key("property", key, list(named), where, origin.position((*path, key)))
        if value.__class__ is str and prop.kind in ("string", "mode"):
            values[prop.name] = value
        else:
            values[prop.name] = _DECODERS[prop.kind](prop, value, origin, (*path, key), ignore_unknown)
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


def _described_value(value: Value, prop: Property, origin: Origin, path: Path) -> str:
    """Return the kind of a value in the words of users, and the value where it is short and no secret."""
    is_large = _is_too_large(value, origin, path)
    kind = "an integer of more than 64 bits" if is_large else described(value)
    is_short = isinstance(value, (bool, int, float)) or (isinstance(value, str) and len(value) < 60)
    if prop.secret or not is_short:
        return kind
    return f"{kind} ({value if is_large and isinstance(value, str) else repr(value)})"


def _is_too_large(value: Value, origin: Origin, path: Path) -> bool:
    """Return whether it is an integer of more than 64 bits, which YAML has as text."""
    if isinstance(value, str):
        return origin.is_unquoted(path) and len(value) > 18 and value[value[:1] in ("+", "-") :].isdecimal()
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def _refuse(prop: Property, value: Value, wanted: str, origin: Origin, path: Path, advice: str = "") -> WrongKind:
    name = ".".join(str(part) if not isinstance(part, int) else str(part + 1) for part in path)
    return WrongKind(
        f"{name} must be {wanted}, not {_described_value(value, prop, origin, path)}",
        property=prop.name,
        value=None if prop.secret else value,
        position=origin.value_position(path),
        advice=advice,
    )


def _text(prop: Property, value: Value, origin: Origin, path: Path) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, (bool, int, float)):
        written = origin.written(path)
        if written is not None:
            return written
        from ..lang.go.fmt import sprint

        return sprint(value)
    raise _refuse(prop, value, "text", origin, path)


def _string(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> str | None:
    if value is None and prop.nullable:
        return None
    return _text(prop, value, origin, path)


def _boolean(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> Value:
    if value is None:
        return None if prop.nullable else False
    if isinstance(value, bool) or value in prop.choices:
        return value
    from .foreign_words import boolean_advice

    advice = boolean_advice(value) if isinstance(value, str) else ""
    raise _refuse(prop, value, boolean_words(prop), origin, path, advice)


def _whole_number(prop: Property, value: Value, origin: Origin, path: Path) -> int:
    if value is None:
        return 0
    if isinstance(value, bool):
        raise _refuse(prop, value, "an integer", origin, path)
    if isinstance(value, str) and value[value[:1] in ("+", "-") :].isdecimal() and len(value) < 20:
        value = int(value)
    if isinstance(value, float) and abs(value) < 2**63 and (value == int(value) or isinstance(prop, CutInteger)):
        value = int(value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return value
    advice = "write a number without a fraction" if isinstance(value, float) else ""
    raise _refuse(prop, value, "an integer", origin, path, advice)


def _integer(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> int:
    return _whole_number(prop, value, origin, path)


def _number_or_template(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> Value:
    return value


def _list(prop: Property, value: Value, origin: Origin, path: Path) -> list[Value]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    advice = "write a list, each entry after -" if isinstance(value, dict) else ""
    raise _refuse(prop, value, "a list", origin, path, advice)


def _strings(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> list[str]:
    return [_text(prop, item, origin, (*path, at)) for at, item in enumerate(_list(prop, value, origin, path))]


def _integers(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> list[int]:
    return [_whole_number(prop, item, origin, (*path, at)) for at, item in enumerate(_list(prop, value, origin, path))]


def _mapping(prop: Property, value: Value, origin: Origin, path: Path) -> Data:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise _refuse(prop, value, "a mapping", origin, path)


def _string_map(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> dict[str, str]:
    given = _mapping(prop, value, origin, path)
    return {str(key): _text(prop, item, origin, (*path, key)) for key, item in given.items()}


def _string_maps(
    prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool
) -> list[dict[str, str]]:
    items = _list(prop, value, origin, path)
    return [_string_map(prop, item, origin, (*path, at), ignore_unknown) for at, item in enumerate(items)]


def _data(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> Data | None:
    if value is None and prop.nullable:
        return None
    given = _mapping(prop, value, origin, path)
    from .finite import non_finite_message, path_of_non_finite

    beyond = path_of_non_finite(given)
    if beyond is not None:
        at = (*path, *beyond)
        raise InvalidResource(non_finite_message(at), property=prop.name, position=origin.value_position(at))
    # These expressions are resolved last, where it must be known what was quoted.
    return {key: _marked(item, origin, (*path, key)) for key, item in given.items()} if prop.when == NEVER else given


def _marked(value: Value, origin: Origin, path: Path) -> Value:
    if isinstance(value, dict):
        return {key: _marked(item, origin, (*path, key)) for key, item in value.items()}
    if isinstance(value, list):
        return [_marked(item, origin, (*path, at)) for at, item in enumerate(value)]
    return Unquoted(value) if isinstance(value, str) and origin.is_unquoted(path) else value


def _object(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> Data | None:
    if value is None:
        return None
    named = {field.name: field for field in prop.fields}
    given = _decode_fields(named, _mapping(prop, value, origin, path), origin, path, ignore_unknown, prop.name)
    values = {field.name: given[field.name] if field.name in given else field.default_value() for field in prop.fields}
    if prop.check is not None:
        _checked(prop, values, origin, path)
    return values


def _objects(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> list[Data]:
    decoded = []
    for at, item in enumerate(_list(prop, value, origin, path)):
        entry = _object(prop, item, origin, (*path, at), ignore_unknown)
        if entry is None:
            raise _refuse(prop, item, "a mapping", origin, (*path, at))
        decoded.append(entry)
    return decoded


def _checked(prop: Property, values: Data, origin: Origin, path: Path) -> None:
    try:
        if prop.check is not None:
            prop.check(values)
    except InvalidResource as error:
        error.position = error.position or origin.value_position((*path, error.property))
        error.property = f"{prop.name}.{error.property}" if error.property else prop.name
        raise


_DECODERS: dict[str, Callable[[Property, Value, Origin, Path, bool], Value]] = {
    "string": _string,
    "mode": _string,
    "boolean": _boolean,
    "integer": _integer,
    "number_or_template": _number_or_template,
    "strings": _strings,
    "integers": _integers,
    "string_map": _string_map,
    "string_maps": _string_maps,
    "data": _data,
    "object": _object,
    "objects": _objects,
}
