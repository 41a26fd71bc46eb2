# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""acme.web.account on the controller."""

from __future__ import annotations

from ansible_collections.ccm.core.plugins.plugin_utils.type_action import TypeAction

from ..module_utils.resource_types.account import TYPE


class ActionModule(TypeAction):
    """Checks the arguments before anything is sent."""

    TYPE = TYPE
