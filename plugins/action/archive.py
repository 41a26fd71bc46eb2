# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.archive on the controller: refuses what is wrong before anything is sent."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from ..module_utils.model.errors import InvalidResource
from ..module_utils.resources.archive.type import ARCHIVE
from ..module_utils.task.archive_task import archive_argument_spec, download_patience
from ..module_utils.task.words import explain
from ..plugin_utils.arguments import checked_arguments


class ActionModule(ActionBase):
    """Checks the arguments and runs the module; the node fetches the archive."""

    _supports_check_mode = True
    _supports_async = True
    _supports_diff = True

    def run(self, tmp=None, task_vars=None):
        """Run the task."""
        super().run(tmp, task_vars)
        given = checked_arguments(self, archive_argument_spec(ARCHIVE))
        try:
            download_patience(given)
        except InvalidResource as error:
            raise AnsibleActionFail(explain(error, f"archive#{given['name']}")) from None
        return self._execute_module(
            module_name="ccm.core.archive", task_vars=task_vars, wrap_async=self._task.async_val
        )
