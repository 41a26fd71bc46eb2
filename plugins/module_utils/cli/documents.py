# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Results as JSON documents."""

from __future__ import annotations

from ..lang.controls import in_json
from ..lang.go.json import marshal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def json_document(value: Any, *, sort_keys: bool = False) -> str:
    """Return a value as lines of JSON, without characters that control a terminal. Raises GoJSONError."""
    return in_json(marshal(value, indent="  ", sort_keys=sort_keys)) + "\n"
