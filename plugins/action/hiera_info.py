# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.hiera_info on the controller: reads the file and sends it parsed."""

from __future__ import annotations

from ..module_utils.ansible_tasks.hiera_info import DOCUMENT, HIERA_OPTIONS
from ..module_utils.manifest.transport import pack, to_text
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.documents import parsed_file
from ..plugin_utils.transfer import found


class ActionModule(CheckedAction):
    """Gives the module the parsed file of the controller."""

    MODULE = "ccm.core.hiera_info"
    OPTIONS = HIERA_OPTIONS

    def passed(self, given, task_vars):
        """Return the arguments of the task, with the parsed file when that is on the controller."""
        passed = dict(self._task.args)
        if not given["remote_src"]:
            document = parsed_file(found(self, "files", given["path"]), given["path"])
            passed[DOCUMENT] = to_text(pack(document))
        return passed
