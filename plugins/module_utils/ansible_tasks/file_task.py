# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of a file that only a play has: content on the controller, looked up or rendered there."""

from __future__ import annotations

from .argument_spec import argument_spec, given_options
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.resource import ResourceType
    from .ansible_module import AnsibleModule, ArgumentSpec

#: The options that are no properties of the type.
FILE_OPTIONS: ArgumentSpec = {
    "template": {"type": "str"},
    "remote_src": {"type": "bool", "default": False},
}


def file_argument_spec(type: ResourceType) -> ArgumentSpec:
    """Return the argument_spec of the module."""
    return argument_spec(type, FILE_OPTIONS)


def run_file(module: AnsibleModule, type: ResourceType) -> None:
    """Manage the file that the arguments of `module` declare; ends in its exit_json or fail_json."""
    task, given = Task(module), given_options(module)
    if given["source"]:
        from .staging import staged_task

        task, given = staged_task(module)
    task.manage(type, given)
