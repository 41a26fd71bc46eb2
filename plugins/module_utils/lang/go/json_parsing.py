# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""JSON text read the way Go's ``encoding/json`` reads it into a value of any type."""

from __future__ import annotations

from json import loads

from ..letters import runes
from .json_faults import fault_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parse(text: str) -> tuple[Any, str]:
    """Return what a JSON text says and, if it is none, why not. Numbers are floats; those beyond them are nil."""
    faults: list[str] = []

    def number(digits: str) -> float | None:
        value = float(digits) if len(digits) < 100000 else float("inf")
        if value - value == 0:
            return value
        faults.append(f"json: cannot unmarshal number {digits} into Go value of type float64")
        return None

    try:
        if text[:1] == "\ufeff":
            raise ValueError
        value = loads(runes(text), parse_int=number, parse_float=number, parse_constant=_no_constant)
    except RecursionError:
        return None, "exceeded max depth"
    except ValueError:
        return None, fault_in(text)
    return (_without_halves(value) if "\\ud" in text.lower() else value), (faults or [""])[0]


def _no_constant(text: str) -> float:
    raise ValueError(text)


def _without_halves(value: Any) -> Any:
    """Replace the halves of surrogate pairs that JSON can name but text cannot hold."""
    if isinstance(value, str):
        return runes(value)
    if isinstance(value, list):
        return [_without_halves(item) for item in value]
    if isinstance(value, dict):
        return {runes(key): _without_halves(item) for key, item in value.items()}
    return value
