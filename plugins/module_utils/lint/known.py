# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Facts and data that are known before a run, for names in lookups (behaviour.md 11.4)."""

from __future__ import annotations

from .placeholders import holds_expression

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..model.values import Value


class KnownValues:
    """The given facts, in addition to the facts of hosts, and data that is not in the manifest.

    `data` are mappings that override one another; it is None where that data cannot be known.
    """

    def __init__(self, facts: Mapping[str, Value] | None = None, data: Sequence[Value] | None = ()) -> None:
        self.facts = facts or {}
        self.data = data

    def with_data(self, data: Sequence[Value] | None) -> KnownValues:
        """Return the same facts with other data."""
        return KnownValues(self.facts, data)


def sections(document: Value) -> list[Value]:
    """Return the mappings of a document that may hold data: the base section, and each of the overrides."""
    if not isinstance(document, dict):
        return []
    overrides = document.get("overrides")
    return [document.get("data"), *(overrides.values() if isinstance(overrides, dict) else ())]


def may_hold(value: Value, names: Sequence[str]) -> bool:
    """Return whether a value may have something below these names, for any values of its expressions."""
    for name in names:
        if value is None or isinstance(value, list) or (holds_expression(value) and not isinstance(value, dict)):
            # Empty values may be replaced by given data; lists become longer when they are merged.
            return True
        if not isinstance(value, dict) or name not in value:
            return False
        value = value[name]
    return True
