# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Every module that needs nothing of the controller but a check: refuses what is wrong before anything is sent.

meta/runtime.yml routes such modules here, by the name of their type.
"""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.resources.types import resource_type
from ..module_utils.task.argument_spec import argument_spec
from ..plugin_utils.checked_action import CheckedAction


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module of the task's type."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        name = self._task.action.rpartition(".")[2]
        self.TYPE = resource_type(name)
        if self.TYPE is None:
            raise AnsibleActionFail(f"{self._task.action} is no module of ccm.core")
        self.MODULE = f"ccm.core.{name}"
        self.OPTIONS = argument_spec(self.TYPE)
