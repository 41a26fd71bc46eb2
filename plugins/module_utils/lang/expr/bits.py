# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Builtins on the 64 bits of an integer."""

from __future__ import annotations

from ..go.values import Fault, is_integer, type_name, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_MASK = (1 << 64) - 1


def _integer(value: Any, name: str) -> int:
    if is_integer(value):
        return wrapped(int(value))
    raise Fault(f"cannot use {type_name(value)} as argument (type int) to call {name}")


def _pair(name: str, combine: Callable[[int, int], int]) -> Callable[[Any, Any], int]:
    def combined(left: Any, right: Any) -> int:
        return wrapped(combine(_integer(left, name), _integer(right, name)))

    return combined


def _shift(name: str, move: Callable[[int, int], int]) -> Callable[[Any, Any], int]:
    def shifted(value: Any, count: Any) -> int:
        number, bits = _integer(value, name), _integer(count, name)
        if bits < 0:
            raise Fault(f"invalid operation: negative shift count {bits} (type int)")
        return wrapped(move(number, min(bits, 64)))

    return shifted


def _not(value: Any) -> int:
    return ~_integer(value, "bitnot")


FUNCTIONS = {
    "bitand": _pair("bitand", lambda left, right: left & right),
    "bitor": _pair("bitor", lambda left, right: left | right),
    "bitxor": _pair("bitxor", lambda left, right: left ^ right),
    "bitnand": _pair("bitnand", lambda left, right: left & ~right),
    "bitshl": _shift("bitshl", lambda value, count: value << count),
    "bitshr": _shift("bitshr", lambda value, count: value >> count),
    "bitushr": _shift("bitushr", lambda value, count: (value & _MASK) >> count),
    "bitnot": _not,
}
