# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.exec, and modules without other work on the controller: refuses wrong arguments before anything is sent.

meta/runtime.yml maps such modules to it. The type is that of the module's name.
"""

from __future__ import annotations

from ..module_utils.ansible_tasks.argument_spec import argument_spec
from ..module_utils.resources.types import resource_type
from ..plugin_utils.checked_action import CheckedAction


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module of the task's type."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        name = self._task.action.rpartition(".")[2]
        self.TYPE = resource_type(name)
        self.MODULE = f"ccm.core.{name}"
        self.OPTIONS = argument_spec(self.TYPE)
