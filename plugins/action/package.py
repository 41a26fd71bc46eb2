# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.package on the controller: refuses wrong arguments before anything is sent."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.ansible_tasks.package_task import declared_packages, package_argument_spec
from ..module_utils.ansible_tasks.quoting import check_version
from ..module_utils.model.errors import InvalidResource
from ..module_utils.resources.package.type import TYPE as PACKAGE
from ..plugin_utils.checked_action import CheckedAction


class ActionModule(CheckedAction):
    """Checks the arguments, the names as well, and runs the module."""

    MODULE = "ccm.core.package"
    TYPE = PACKAGE
    OPTIONS = package_argument_spec(PACKAGE)

    def passed(self, given, task_vars):
        """Return the arguments of the task, after a check of the names as well."""
        try:
            check_version("ensure", self._task.args.get("ensure"))
            declared_packages(PACKAGE, given)
        except InvalidResource as error:
            raise AnsibleActionFail(message_of(error, PACKAGE.name)) from None
        return self._task.args
