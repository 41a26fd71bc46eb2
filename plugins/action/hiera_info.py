# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.hiera_info on the controller: reads the file and sends it parsed."""

from __future__ import annotations

from ..module_utils.ansible_tasks.argument_spec import HIDDEN
from ..module_utils.ansible_tasks.hiera_info import DOCUMENT, HIERA_OPTIONS
from ..module_utils.ansible_tasks.result import plain
from ..module_utils.manifest.transport import pack, to_text
from ..module_utils.redaction.texts import without_text_secrets
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.documents import parsed_file
from ..plugin_utils.secret_options import hidden_text
from ..plugin_utils.transfer import found, require_path_of_node


class ActionModule(CheckedAction):
    """Gives the module the parsed file of the controller."""

    MODULE = "ccm.core.hiera_info"
    OPTIONS = HIERA_OPTIONS
    #: As with ansible.builtin.include_vars.
    SHOWS_VAULTED = True

    def passed(self, given, task_vars):
        """Return the arguments of the task, with the parsed file when that is on the controller."""
        path = given["path"]
        passed = {"path": without_text_secrets(path), "remote_src": given["remote_src"]}
        if not given["remote_src"]:
            passed[DOCUMENT] = to_text(pack(parsed_file(self.files, found(self, "files", path), path)))
        else:
            require_path_of_node("path", path)
        passed[HIDDEN] = hidden_text({"path": path, "facts": plain(given["facts"])})
        return passed
