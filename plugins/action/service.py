# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.service on the controller: refuses what is wrong before anything is sent."""

from __future__ import annotations

from ansible.plugins.action import ActionBase

from ..module_utils.resources.service.type import SERVICE
from ..module_utils.task.service_task import service_argument_spec
from ..plugin_utils.arguments import checked_arguments


class ActionModule(ActionBase):
    """Checks the arguments and runs the module."""

    _supports_check_mode = True
    _supports_async = True
    _supports_diff = True

    def run(self, tmp=None, task_vars=None):
        """Run the task."""
        super().run(tmp, task_vars)
        checked_arguments(self, service_argument_spec(SERVICE))
        return self._execute_module(
            module_name="ccm.core.service", task_vars=task_vars, wrap_async=self._task.async_val
        )
