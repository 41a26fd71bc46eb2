# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions in rules, resolved when the rules are run (features.md 13)."""

from __future__ import annotations

from ....data.templates import resolve_string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ....data.environment import Environment


def resolved(value: Any, environment: Environment) -> Any:
    """A value with every expression in its texts and keys replaced by what it gives, as text. Raises TemplateError."""
    if isinstance(value, str):
        return resolve_string(value, environment)
    if isinstance(value, list):
        return [resolved(item, environment) for item in value]
    if isinstance(value, dict):
        return {resolve_string(key, environment): resolved(item, environment) for key, item in value.items()}
    return value
