# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which value to take: defaults, the first that is not empty, one of two; and giving up."""

from __future__ import annotations

from ...go.kinds import is_true
from ..function import CallError, Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _default(fallback: Any, *given: Any) -> Any:
    return given[0] if given and is_true(given[0]) else fallback


def _coalesce(*values: Any) -> Any:
    return next(filter(is_true, values), None)


def _fail(message: str) -> str:
    raise CallError(message)


FUNCTIONS = {
    "default": Function(_default, "any", "...any"),
    "empty": Function(lambda value: not is_true(value), "any"),
    "coalesce": Function(_coalesce, "...any"),
    "all": Function(lambda *values: all(map(is_true, values)), "...any"),
    "any": Function(lambda *values: any(map(is_true, values)), "...any"),
    "ternary": Function(lambda yes, no, condition: yes if condition else no, "any", "any", "bool"),
    "fail": Function(_fail, "string"),
}
