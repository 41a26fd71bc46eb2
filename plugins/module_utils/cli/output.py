# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lines of a log as JSON, and what the original shows otherwise in YAML."""

from __future__ import annotations

import time

from ..lang.controls import in_json
from ..lang.go.json import marshal
from ..lang.yamlwriting import Plain
from ..model.clock import timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.log import Fields
    from ..model.values import Data, Value

_NO_TIME = "0001-01-01T00:00:00Z"


def with_times(shown: Data) -> Data:
    """Return a map whose times have no quotes, without an mtime that is not set."""
    timed = dict(shown)
    for key in ("timestamp", "mtime"):
        if key in timed:
            timed[key] = Plain(timed[key])
    if timed.get("mtime") == _NO_TIME:
        del timed["mtime"]
    return timed


def json_line(level: str, message: str, fields: Fields) -> str:
    """Return one line: `time` in RFC 3339, `level`, `msg`, and `fields`, a map; a repeated field is a list."""
    record = {"time": timestamp(time.time_ns()), "level": level, "msg": message, "fields": _map(fields)}
    return in_json(marshal(record, sort_keys=False)) + "\n"


def _map(fields: Fields) -> Data:
    found: Data = {}
    often: dict[str, list[Value]] = {}
    for key, value in fields:
        shown = value if value is None or isinstance(value, (str, int, float, dict, list)) else str(value)
        if key not in found:
            found[key] = shown
        elif key in often:
            often[key].append(shown)
        else:
            found[key] = often[key] = [found[key], shown]
    return found
