# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the original shows otherwise in YAML than in JSON."""

from __future__ import annotations

from ..lang.yamlwriting import Plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NO_TIME = "0001-01-01T00:00:00Z"


def with_times(shown: dict[str, Any]) -> dict[str, Any]:
    """A map whose times have no quotes, and none where there is no time."""
    timed = dict(shown)
    for key in ("timestamp", "mtime"):
        if key in timed:
            timed[key] = Plain(timed[key])
    if timed.get("mtime") == _NO_TIME:
        del timed["mtime"]
    return timed
