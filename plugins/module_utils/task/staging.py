# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the controller hands over a source that it looked up: as a transferred file, or as text."""

from __future__ import annotations

from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.event import Event
    from ..model.resource import Resource

# No path can hold it.
_STAGED = "\0"


def with_staged(source: str, path: str) -> str:
    """The option `source` for a transferred file: what the task gave, and behind it the path on the node.

    A source that turned out to be text is handed over as `content` beside the `source`.
    """
    return source + _STAGED + path


def split_staged(source: str) -> tuple[str, str]:
    """The option `source` as the task gave it, and the path on the node of what was transferred, "" for nothing."""
    given, _separator, path = source.partition(_STAGED)
    return given, path


def staged_task(module: Any) -> tuple[Task, dict[str, Any]]:
    """A task that works with what was handed over, and the options with the `source` that it was itself given."""
    given = dict(module.params)
    return _StagedTask(module, _stand_ins(given)), given


class _StagedTask(Task):
    """Works with other values than those that the event shows."""

    def __init__(self, module: Any, stand_ins: dict[str, Any]) -> None:
        super().__init__(module)
        self._stand_ins = stand_ins

    def transact(self, resource: Resource, refresh: bool) -> Event:
        values = vars(resource.properties)
        given = dict(values)
        values.update(self._stand_ins)
        event = super().transact(resource, refresh)
        values.update(given)
        return event


def _stand_ins(given: dict[str, Any]) -> dict[str, Any]:
    """The values to work with in place of a task's `source`; leaves in `given` what the task itself gave."""
    source, staged = split_staged(given["source"])
    if staged:
        given["source"] = source
        return {"source": staged}
    if source and given["content"] is not None:
        content, given["content"] = given["content"], None
        return {"source": "", "content": content}
    return {}
