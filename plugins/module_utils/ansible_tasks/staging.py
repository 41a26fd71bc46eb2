# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the controller passes a source that it looked up: as a transferred file, or as text."""

from __future__ import annotations

from .argument_spec import given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.resource import Resource
    from .ansible_module import AnsibleModule, Options

#: The option by which an action plugin, and no task, gives the path on the node of the `source` that it transferred. It
#: is an option of its own: `source` is logged as the task gave it, and one text cannot hold two paths safely.
STAGED_SOURCE = "_staged_source"


def staged_task(module: AnsibleModule) -> tuple[Task, Options]:
    """Return a task that works with the passed values, and the options with the `source` that it was given."""
    given = dict(given_options(module))
    return _StagedTask(module, _replacements(given)), given


class _StagedTask(Task):
    """Works with other values than those that the event shows."""

    def __init__(self, module: AnsibleModule, replacements: Options) -> None:
        super().__init__(module)
        self._replacements_given = replacements

    def transact(self, resource: Resource, refresh: bool) -> Event:
        event = super().transact(resource.with_properties(self._replacements_given), refresh)
        event.resource = resource
        return event


def _replacements(given: Options) -> Options:
    """Return the values to work with in place of a task's `source`; `given` keeps what the task itself gave.

    A source that was transferred is the option `STAGED_SOURCE`, one that turned out to be text is `content`.
    """
    if given[STAGED_SOURCE]:
        return {"source": given[STAGED_SOURCE]}
    if given["content"] is not None:
        content, given["content"] = given["content"], None
        return {"source": "", "content": content}
    return {}
