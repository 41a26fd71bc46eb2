# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins from one type to another: numbers, texts, JSON, base64."""

from __future__ import annotations

from ..go.base64 import CorruptInput, decode, encode
from ..go.fmt import GoFormatError, sprint
from ..go.json import GoJSONError, marshal
from ..go.json_parsing import parse
from ..go.values import (
    MAX_INT,
    MIN_INT,
    AnyMap,
    Fault,
    check_weight,
    decoded,
    encoded,
    is_integer,
    is_nil,
    is_number,
    to_text,
    truncated,
    type_name,
    wrapped,
)
from .values import Fields, Whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DIGITS = frozenset("0123456789")
_INFINITE = frozenset(("inf", "infinity"))

_TYPES = {
    "<nil>": "nil",
    "int64": "int",
    "uint64": "uint",
    "uint8": "uint",
    "float64": "float",
    "*time.Location": "time.Location",
    "templates.Env": "github.com/choria-io/ccm/templates.Env",
}


def _type(value: Any) -> str:
    name = type_name(value)
    if name.startswith("map["):
        return "map"
    if name.startswith("["):
        return "array"
    if name.startswith("func("):
        return "func"
    return _TYPES.get(name, name)


def _int(value: Any) -> int:
    if isinstance(value, float):
        return truncated(value)
    if isinstance(value, str):
        digits = value[1:] if value[:1] in ("-", "+") else value
        if digits and _DIGITS.issuperset(digits) and len(digits.lstrip("0")) < 20:
            number = int(value)
            if MIN_INT <= number <= MAX_INT:
                return number
        raise Fault(f"invalid operation: int({value})")
    if is_integer(value):
        return wrapped(int(value))
    if value is None:
        raise Fault("reflect: call of reflect.Value.Type on zero Value")
    name = type_name(value)
    if name == "time.Duration":
        return int(value.ns)
    if name in ("time.Month", "time.Weekday"):
        return int(value.number)
    raise Fault(f"invalid operation: int({type_name(value)})")


def _float(value: Any) -> float:
    if isinstance(value, str):
        number = _parsed_float(value)
        if number is None:
            raise Fault(f"invalid operation: float({value})")
        return number
    if is_number(value):
        return float(value)
    raise Fault(f"invalid operation: float({type_name(value)})")


def _parsed_float(text: str) -> float | None:
    """Return the number that Go reads in ``text``; None where it is none or out of range."""
    body = text[1:] if text[:1] in ("-", "+") else text
    lower = body.lower()
    if lower in _INFINITE:
        return float("-inf") if text[0] == "-" else float("inf")
    if lower == "nan" and body == text:
        return float("nan")
    try:
        if lower.startswith("0x"):
            digits = lower.replace("_", "")
            number = float.fromhex(digits) if "p" in digits and lower.isascii() else None
        else:
            plain = set(lower) <= _DIGITS | {".", "e", "+", "-"}
            number = float(lower) if plain and len(lower) < 100000 else None
    except (ValueError, OverflowError):
        return None
    if number is None or number - number != 0:
        return None
    return -number if text[0] == "-" else number


def _string(value: Any) -> str:
    if value.__class__ is str:
        return value
    check_weight(value)
    try:
        return sprint(value)
    except GoFormatError as error:
        raise Fault(str(error)) from None


def _to_json(value: Any) -> str:
    check_weight(value)
    try:
        return marshal(_for_json(value), "  ")
    except GoJSONError as error:
        raise Fault(str(error)) from None
    except RecursionError:
        raise Fault("json: value is nested too deeply") from None


def _for_json(value: Any) -> Any:
    """Return ``value`` with bytes as base64 and null for what was never made.

    Raises Fault for maps whose keys need not be texts.
    """
    if isinstance(value, AnyMap):
        raise Fault("json: unsupported type: " + type_name(value))
    if is_nil(value):
        return None
    if isinstance(value, Whole):
        return Fields((name, _for_json(item)) for name, item in value.go_json().items())
    if isinstance(value, dict):
        return {key: _for_json(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return [_for_json(item) for item in value]
    return _to_base64(decoded(value)) if isinstance(value, bytes) else value


def _from_json(text: Any) -> Any:
    value, fault = parse(to_text(text))
    if fault:
        raise Fault(fault)
    return value


def _to_base64(text: Any) -> str:
    return encode(encoded(to_text(text)))


def _from_base64(text: Any) -> str:
    try:
        return decoded(decode(encoded(to_text(text))))
    except CorruptInput as corrupt:
        raise Fault(str(corrupt)) from None


FUNCTIONS = {
    "type": _type,
    "int": _int,
    "float": _float,
    "string": _string,
    "toJSON": _to_json,
    "fromJSON": _from_json,
    "toBase64": _to_base64,
    "fromBase64": _from_base64,
}
