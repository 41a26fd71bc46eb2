# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The action plugin of a type of another collection: a class with the type as `TYPE` (docs/writing-a-type.md)."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.argument_spec import argument_spec
from ..module_utils.ansible_tasks.type_module import checked_type
from ..module_utils.model.errors import InvalidResource
from .checked_action import CheckedAction


class TypeAction(CheckedAction):
    """Checks the arguments of a task on the controller, and runs its module, as a handler with a refresh."""

    #: The module of the task.
    MODULE = None

    def run(self, tmp=None, task_vars=None):
        """Run the task. Raises AnsibleActionFail for a type that cannot be used, else as other actions."""
        try:
            self.OPTIONS = argument_spec(checked_type(self.TYPE))
        except InvalidResource as error:
            raise AnsibleActionFail(error.message) from None
        return super().run(tmp, task_vars)

    def sent(self, given, passed):
        """Return no other module, and the arguments as they are: Ansible hides the options that are secret.

        Raises AnsibleActionFail for rules of goss, whose code is not sent.
        """
        if any(check.get("goss_rules") for check in given["health_checks"] or ()):
            raise AnsibleActionFail(f"{self._resource(given)}goss_rules need ccm.core.apply: give a command instead")
        return self.MODULE, passed
