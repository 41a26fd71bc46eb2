# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks data against one rule of its annotations (behaviour.md 16)."""

from __future__ import annotations

from ..lang.expr.errors import CompileError, ExprError, RunError
from ..lang.go.fmt import sprint
from ..lang.go.quoting import quote
from ..redaction.names import is_secret
from .validators import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.values import Data, Value
    from .annotations import Rule

_NOT_SHOWN = "why is not shown, since the key is called like a secret"


def failures(data: Data, rule: Rule) -> Iterator[str]:
    """Yield the faults of the value that the rule is for, in the recorded words.

    Required values may be anything but null and "". Null, lists and maps are not validated; other values are validated
    as printed.
    """
    value = value_at(data, rule.key)
    if rule.required and (value is None or value == ""):
        yield f"key {quote(rule.key)} is required but has no value"
    if rule.validation and does_validate(value):
        yield from _failed(rule, value if isinstance(value, str) else sprint(value))


def does_validate(value: Value) -> bool:
    """Return whether `@validate` holds for a value of this kind."""
    return value is not None and not isinstance(value, (dict, list))


def failure_of_expression(rule: Rule) -> str:
    """Return the first line of the fault of a rule whose expression does not compile, "" where it compiles."""
    try:
        check("", rule.validation)
    except CompileError as error:
        return f"{_failed_to_run(rule)}{error.message}"
    except ExprError:
        return ""
    return ""


def _failed_to_run(rule: Rule) -> str:
    return f"key {quote(rule.key)} validation {quote(rule.validation)} failed: "


def _failed(rule: Rule, text: str) -> Iterator[str]:
    name, expression = quote(rule.key), quote(rule.validation)
    is_hidden = any(map(is_secret, rule.key.split(".")))
    try:
        passed, reason = check(text, rule.validation)
    except ExprError as error:
        why = _NOT_SHOWN if is_hidden and isinstance(error, RunError) else str(error)
        yield f"{_failed_to_run(rule)}{why}"
        return
    if not passed:
        why = _NOT_SHOWN if is_hidden and reason else reason
        yield f"key {name} failed validation {expression}" + (f": {why}" if why else "")


def value_at(data: Data, key: str) -> Value:
    """Return the value of a key with those above it, joined by dots; None where there is none."""
    value: Value = data
    for part in key.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value
