# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions in rules, resolved when the rules are run (behaviour.md 13)."""

from __future__ import annotations

import re

from ...data.templates import resolve_string
from ...lang.yamlscalars import plain
from ...model.kinds import Unquoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.environment import ExpressionEnvironment
    from ...model.values import Data, Value

_NUMBERS = frozenset("+-.0123456789")
_POWER = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+"


def resolved(value: Value, environment: ExpressionEnvironment) -> Value:
    """Return a value with every expression in its texts and keys replaced by its value. Raises TemplateError.

    Text without quotes is then read as YAML reads it: a number, true, nothing.
    """
    if isinstance(value, Unquoted):
        return _meant(resolve_string(value, environment))
    if isinstance(value, str):
        return resolve_string(value, environment)
    if isinstance(value, list):
        return [resolved(item, environment) for item in value]
    if isinstance(value, dict):
        return resolved_mapping(value, environment)
    return value


def resolved_mapping(values: Data, environment: ExpressionEnvironment) -> Data:
    """Return a mapping with every expression in its keys and values replaced, as `resolved` does.

    Raises TemplateError.
    """
    return {resolve_string(key, environment): resolved(item, environment) for key, item in values.items()}


def _meant(text: str) -> Value:
    value = plain(text)
    if isinstance(value, str) and value[:1] in _NUMBERS:
        # YAML as goss reads it has powers of ten without a point.
        return float(value) if re.fullmatch(_POWER, value) else value
    return value
