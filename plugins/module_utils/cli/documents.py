# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Results as documents: JSON, and the order of facts in them."""

from __future__ import annotations

from ..lang.controls import in_json
from ..lang.go.json import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Data, Facts, Value


def json_document(value: object, *, sort_keys: bool = False) -> str:
    """Return a value as lines of JSON, without characters that control a terminal. Raises GoJSONError."""
    return in_json(marshal(value, indent="  ", sort_keys=sort_keys)) + "\n"


def ordered(facts: Facts) -> Data:
    """Return facts as plain maps in the order in which they are shown: gathered ones unchanged, others by name."""
    from ..host.facts.fields import FieldNamed

    names = facts if isinstance(facts, FieldNamed) else sorted(facts)
    return {name: ordered_value(facts[name]) for name in names}


def ordered_value(value: Value) -> Value:
    """Return a value with the facts in it in that order."""
    if isinstance(value, dict):
        return ordered(value)
    if isinstance(value, (list, tuple)):
        return [ordered_value(entry) for entry in value]
    return value
