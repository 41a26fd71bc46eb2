# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""ccm.core.service on the controller: refuses wrong arguments before anything is sent."""

from __future__ import annotations

from ..module_utils.ansible_tasks.argument_spec import argument_spec
from ..module_utils.resources.service.type import TYPE as SERVICE
from ..plugin_utils.checked_action import CheckedAction


class ActionModule(CheckedAction):
    """Checks the arguments and runs the module."""

    MODULE = "ccm.core.service"
    TYPE = SERVICE
    OPTIONS = argument_spec(SERVICE)
