# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.archive on the controller: refuses wrong arguments before anything is sent."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.ansible_tasks.archive_task import archive_argument_spec
from ..module_utils.ansible_tasks.download_options import download_options
from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.model.errors import InvalidResource
from ..module_utils.resources.archive.type import TYPE as ARCHIVE
from ..plugin_utils.checked_action import CheckedAction


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module; the node downloads the archive."""

    MODULE = "ccm.core.archive"
    TYPE = ARCHIVE
    OPTIONS = archive_argument_spec(ARCHIVE)

    def passed(self, given, task_vars):
        """Return the arguments of the task, after a check of the options of the download as well."""
        try:
            download_options(given)
        except InvalidResource as error:
            raise AnsibleActionFail(message_of(error, f"archive#{given['name']}")) from None
        return self._task.args
