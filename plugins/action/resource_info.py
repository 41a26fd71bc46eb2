# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The action plugin of modules that need only the check of their arguments on the controller.

These are resource_info and the modules of the types that meta/runtime.yml names with `action_plugin`. The file has the
name of one of them because ansible-test wants a module for each action plugin.
"""

from __future__ import annotations

from ..module_utils.ansible_tasks.argument_spec import argument_spec
from ..module_utils.ansible_tasks.resource_info import RESOURCE_OPTIONS
from ..module_utils.resources.types import TYPE_NAMES, required_type
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.node_results import texts_in


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module of the task."""

    MODULE = "ccm.core.resource_info"
    OPTIONS = RESOURCE_OPTIONS

    def _run(self, task_vars):
        """Run the task, with the options of its type."""
        action = self._task.resolved_action or self._task.action
        name = action.rpartition(".")[2]
        if name in TYPE_NAMES:
            self.MODULE = f"ccm.core.{name}"
            self.TYPE = required_type(name)
            self.OPTIONS = argument_spec(self.TYPE)
        result = super()._run(task_vars)
        if action != self.MODULE and self._task.module_defaults:
            # With the keyword `collections` Ansible takes the defaults of its own action of that name.
            warning = f"the short name {self._task.action} has no module_defaults of {self.MODULE}: write that name"
            result["warnings"] = [*texts_in(result, "warnings"), warning]
        return result
