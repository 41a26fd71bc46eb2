# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of goss with secrets replaced (decisions.md Q38)."""

from __future__ import annotations

from .names import is_secret
from .replacement import REDACTED
from .texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..lang.values import Value


def without_rule_secrets(value: Value) -> Value:
    """Return rules, or part of them, without the secrets that they send to servers.

    These are passwords and other names of secrets, values of headers, bodies of requests, and credentials in addresses,
    also in names of rules and in commands.
    """
    if isinstance(value, dict):
        return {without_text_secrets(str(key)): _attribute(key, entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [without_rule_secrets(entry) for entry in value]
    return without_text_secrets(value) if isinstance(value, str) else value


def _attribute(name: Value, value: Value) -> Value:
    if name == "request-headers":
        return [_header(line) for line in value] if isinstance(value, list) else REDACTED
    if name == "request-body" or is_secret(name):
        is_text = isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != ""
        return REDACTED if is_text else without_rule_secrets(value)
    return without_rule_secrets(value)


def _header(line: Value) -> str:
    name, separator, _value = str(line).partition(": ")
    return f"{name}: {REDACTED}" if separator and " " not in name else REDACTED
