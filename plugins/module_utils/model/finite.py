# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that JSON, and so events and sessions, cannot hold."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable

    from .values import Path, Value

_INFINITE = float("inf")


def path_of_non_finite(value: Value) -> Path | None:
    """Return keys and indices of the first infinity or NaN in a value, () for the value itself; None without one."""
    if isinstance(value, float):
        return None if -_INFINITE < value < _INFINITE else ()
    entries: Iterable[tuple[str | int, Value]] = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for step, entry in entries:
        if isinstance(entry, (dict, list, float)):
            found = path_of_non_finite(entry)
            if found is not None:
                return (step, *found)
    return None


def non_finite_message(path: Path) -> str:
    """Return the error for the value at `path`, whose indices are counted from 1."""
    name = ".".join(str(step + 1 if isinstance(step, int) else step) for step in path)
    return f"{name} must be a finite number: neither .nan nor .inf can be recorded"
