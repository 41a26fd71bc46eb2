# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of properties: what a document may have for each, and what code gets.

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

from .decode import NO_ORIGIN, Origin, decode_fields, described
from .errors import InvalidResource, WrongKind
from .property import NEVER, CutInteger, boolean_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from .property import Property
    from .values import Data, Path, Value


class Unquoted(str):
    """Text without quotes in YAML: once its expressions are resolved it may be a number, for example."""

    __slots__ = ()


def decode_value(prop: Property, value: Value, origin: Origin = NO_ORIGIN, *, ignore_unknown: bool = False) -> Value:
    """Return the value of the property for `value`, which is at the origin. Raises InvalidResource."""
    return decoded(prop, value, origin, (), ignore_unknown)


def decoded(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> Value:
    """Return the value of the property for `value`, which is at `path` below the origin. Raises InvalidResource."""
    return _DECODERS[prop.kind](prop, value, origin, path, ignore_unknown)


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
    if isinstance(value, str) and ("{{" in value or "${" in value):
        advice = "write the number itself: it takes no expression"
    raise _refuse(prop, value, "an integer", origin, path, advice)


def _integer(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> int | None:
    if value is None and prop.nullable:
        return None
    return _whole_number(prop, value, origin, path)


def _number_or_template(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> Value:
    return value


def _list(prop: Property, value: Value, origin: Origin, path: Path) -> list[Value]:
    if value is None:
        return []
    if isinstance(value, list):
        return value
    advice = ""
    if isinstance(value, dict):
        import re

        # Values may be secrets.
        key = next(iter(value), "")
        is_variable = prop.kind == "strings" and prop.pattern and re.search(prop.pattern, f"{key}=x")
        advice = f"write a list: [{key}=…]" if is_variable else "write a list, each entry after -"
    elif isinstance(value, str) or (isinstance(value, int) and prop.kind == "integers"):
        advice = f"write a list, also of one entry: [{'...' if isinstance(value, str) else value}]"
    raise _refuse(prop, value, "a list", origin, path, advice)


def _strings(prop: Property, value: Value, origin: Origin, path: Path, ignore_unknown: bool) -> list[str] | None:
    if value is None and prop.nullable:
        return None
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
    given = decode_fields(named, _mapping(prop, value, origin, path), origin, path, ignore_unknown, prop.name)
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
