# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Options of a file that only a play has: content on the controller, a command that checks it, and a backup."""

from __future__ import annotations

from ..host.hidden_names import has_unfinished
from .argument_spec import argument_spec, given_options
from .decrypt_option import DECRYPT_OPTION
from .resource_task import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.health_check import RunCheck
    from ..model.resource import ResourceType
    from .ansible_module import AnsibleModule, ArgumentSpec

#: The options that are no properties of the type.
FILE_OPTIONS: ArgumentSpec = {
    "template": {"type": "str"},
    "remote_src": {"type": "bool", "default": False},
    "validate": {"type": "str"},
    "backup": {"type": "bool", "default": False},
    **DECRYPT_OPTION,
}


def file_argument_spec(type: ResourceType) -> ArgumentSpec:
    """Return the argument_spec of the module."""
    return argument_spec(type, FILE_OPTIONS)


def run_file(module: AnsibleModule, type: ResourceType, run_check: RunCheck | None = None) -> None:
    """Manage the file that the arguments of `module` declare; ends in its exit_json or fail_json."""
    task, given = Task(module, run_check), given_options(module)
    if has_unfinished(given["name"]) and not module.check_mode:
        # Of a task that was killed; when nothing is written now, no write removes it.
        from ..host.files import remove_unfinished

        remove_unfinished(given["name"])
    if given["source"] or given["validate"] is not None or given["backup"]:
        from .file_options import file_task

        task, given = file_task(module, run_check)
    task.manage(type, given)
