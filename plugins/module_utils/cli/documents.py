# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Results as documents: JSON, and the order of facts in them."""

from __future__ import annotations

from ..lang.controls import in_json
from ..lang.go.json import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def json_document(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as lines of JSON, without characters that control a terminal. Raises GoJSONError."""
    return in_json(marshal(value, indent="  ", sort_keys=sort_keys)) + "\n"


def ordered(value: Any) -> Any:
    """Return facts as plain maps in the order in which they are shown: gathered ones unchanged, others by name."""
    from ..host.facts.fields import FieldNamed

    if isinstance(value, FieldNamed):
        return {key: ordered(entry) for key, entry in value.items()}
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [ordered(entry) for entry in value]
    return value
