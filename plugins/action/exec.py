# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.exec on the controller: takes a command as free form, refuses wrong arguments before anything is sent."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.argument_spec import argument_spec
from ..module_utils.ansible_tasks.exec_task import TASK_ENVIRONMENT
from ..module_utils.lint.commands import shell_warning
from ..module_utils.resources.descriptions import description
from ..module_utils.resources.exec.type import TYPE as EXEC
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.node_results import with_warnings
from ..plugin_utils.option_names import FREE_FORM, unknown_options

_RELATIVE = (
    "creates is not an absolute path, and it is taken as it is: ~ is a name in it, and it does not begin at cwd; "
    "write a path that begins with /"
)
_PATTERN = "creates is taken as it is: * ? and [ are characters of a name in it; write a path, or unless with a command"


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module."""

    MODULE = "ccm.core.exec"
    TYPE = EXEC
    OPTIONS = argument_spec(EXEC)

    def run(self, tmp=None, task_vars=None):
        """Run the task, whose free form is the name.

        Raises AnsibleActionFail where it has a name as well, and for a part of the command that is taken as an option.
        """
        given = dict(self._task.args)
        command = given.pop(FREE_FORM, None)
        if command is not None:
            unknown = unknown_options(self.OPTIONS, given)
            if unknown:
                raise AnsibleActionFail(
                    f"{unknown[0]}= in the free form of a command is taken as an option: "
                    "write the whole command as name, or the variable in environment"
                )
            if "name" in given:
                raise AnsibleActionFail("name and the command in free form are the same: give one of them")
            self._task.args = {"name": command, **given}
        result = super().run(tmp, task_vars)
        warning = _warning(self._task.args.get("creates"))
        return with_warnings(result, [warning] if warning else [])

    def completed(self, given, result, task_vars):
        """Return the result with a warning of each command that only a shell understands, and no shell runs."""
        keys = description(EXEC.name).commands
        commands = [(key, given[key]) for key in keys if given[key]]
        if not given[keys[0]]:
            commands.append(("name", given["name"]))
        warnings = [shell_warning(key, text, given["provider"]) for key, text in commands]
        lead = self._resource(given)
        return with_warnings(result, [f"{lead}{message}; {advice}" for message, advice in warnings if message])

    def unlogged(self):
        """Return the variables of the environment of the play, of blocks and of the task (Q103)."""
        variables = {}
        self._compute_environment_string(variables)
        return {TASK_ENVIRONMENT: {name: str(value) for name, value in variables.items()}} if variables else {}


def _warning(creates):
    """Return what to warn of in the option `creates`, without its value, "" for nothing."""
    if not isinstance(creates, str) or not creates:
        return ""
    if not creates.startswith("/"):
        return _RELATIVE
    return _PATTERN if any(char in creates for char in "*?[") else ""
