# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.resource_info on the controller: refuses wrong arguments before anything is sent."""

from __future__ import annotations

from ..module_utils.ansible_tasks.resource_info import RESOURCE_OPTIONS
from ..plugin_utils.checked_action import CheckedAction


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module."""

    MODULE = "ccm.core.resource_info"
    OPTIONS = RESOURCE_OPTIONS
