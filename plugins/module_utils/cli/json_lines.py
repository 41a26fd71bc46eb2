# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Log lines for machines: one JSON object each."""

from __future__ import annotations

import time

from ..lang.go.json import marshal
from ..model.clock import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.log import Fields


def json_line(level: str, message: str, fields: Fields) -> str:
    """One line: `time` in RFC 3339, `level`, `msg`, and `fields`, a map; a field that comes often is a list."""
    record = {"time": timestamp(time.time_ns()), "level": level, "msg": message, "fields": _map(fields)}
    return marshal(record, sort_keys=False) + "\n"


def _map(fields: Fields) -> dict[str, Any]:
    found: dict[str, Any] = {}
    often = set()
    for key, value in fields:
        shown = value if value is None or isinstance(value, (str, int, float, dict, list)) else str(value)
        if key not in found:
            found[key] = shown
        elif key in often:
            found[key].append(shown)
        else:
            often.add(key)
            found[key] = [found[key], shown]
    return found
