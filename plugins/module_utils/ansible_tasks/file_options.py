# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A file with more than its properties: a source that the controller looked up, a command that checks it, a backup."""

from __future__ import annotations

from ..model.errors import InvalidResource
from ..model.validation_command import check_command
from ..resources.file.type import PRESENT
from .argument_spec import STAGED_SOURCE, given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.health_check import RunCheck
    from ..model.resource import Resource
    from .ansible_module import AnsibleModule, Options


def file_task(module: AnsibleModule, run_check: RunCheck | None) -> tuple[Task, Options]:
    """Return a task that works with the passed values, and the options with the `source` that it was given."""
    given = dict(given_options(module))
    return _FileTask(module, run_check, _replacements(given)), given


class _FileTask(Task):
    """Works with other values than the values in the event."""

    def __init__(self, module: AnsibleModule, run_check: RunCheck | None, replacements: Options) -> None:
        super().__init__(module, run_check)
        self._replacements_given = replacements

    def transact(self, resource: Resource, refresh: bool) -> Event:
        """Return the event of the file. Raises InvalidResource for a command that checks nothing."""
        replacements = self._replacements_given
        ensure = resource.properties.ensure
        if self.module.params["backup"] and ensure != PRESENT:
            raise InvalidResource(f"backup is for files with ensure: present, not {ensure}", property="backup")
        if "validation" in replacements:
            check_command(replacements["validation"], ensure, "validate")
        event = super().transact(resource.with_properties(replacements), refresh)
        event.resource = resource
        return event


def _replacements(given: Options) -> Options:
    """Return the values to work with in place of a task's own; `given` keeps what the task itself gave.

    A transferred source is the option `STAGED_SOURCE`, a source that turned out to be text is `content`.
    """
    found: Options = {}
    if given["validate"] is not None:
        found["validation"] = given["validate"]
    if given["backup"]:
        found["backup"] = True
    if given[STAGED_SOURCE]:
        found["source"] = given[STAGED_SOURCE]
    elif given["source"] and given["content"] is not None:
        content, given["content"] = given["content"], None
        found.update(source="", content=content)
    return found
