# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.facts_info on the controller: keeps facts of the task out of logs."""

from __future__ import annotations

from ..module_utils.ansible_tasks.argument_spec import HIDDEN
from ..module_utils.ansible_tasks.facts_info import FACTS_OPTIONS
from ..module_utils.ansible_tasks.result import plain
from ..plugin_utils.checked_action import CheckedAction
from ..plugin_utils.secret_options import hidden_text


class ActionModule(CheckedAction):
    """Passes the facts of the task where Ansible does not log them."""

    MODULE = "ccm.core.facts_info"
    OPTIONS = FACTS_OPTIONS

    def passed(self, given, task_vars):
        """Return the facts in the option that is not logged."""
        return {HIDDEN: hidden_text({"facts": plain(given["facts"])})} if given["facts"] else {}
