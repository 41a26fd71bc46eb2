# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the controller hands over a source that it looked up: as a transferred file, or as text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# No path can hold it.
_STAGED = "\0"


def with_staged(source: str, path: str) -> str:
    """The option `source` for a transferred file: what the task gave, and behind it the path on the node.

    A source that turned out to be text is handed over as `content` beside the `source`.
    """
    return source + _STAGED + path


def stand_ins_for(given: dict[str, Any]) -> dict[str, Any]:
    """The values to work with in place of a task's `source`; leaves in `given` what the task itself gave."""
    source, _separator, staged = given["source"].partition(_STAGED)
    if staged:
        given["source"] = source
        return {"source": staged}
    if source and given["content"] is not None:
        content, given["content"] = given["content"], None
        return {"source": "", "content": content}
    return {}
