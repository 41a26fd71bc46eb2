# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What the action plugins do with a task's arguments before anything is sent. PRIVATE to the collection."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail

from ..module_utils.task.quoting import Unquoted, check_quoted


def checked_arguments(action, argument_spec, **rules):
    """The arguments of an action's task, converted; refused when they are wrong.

    `rules` are those of AnsibleModule over several options (`mutually_exclusive` ...). Raises AnsibleActionFail, also
    for what YAML read as something else than the text it was meant to be, which no module could see.
    """
    given = action._task.args
    try:
        check_quoted(argument_spec, given)
    except Unquoted as error:
        name = given.get("name")
        resource = f"{action._task.action.rpartition('.')[2]}#{name}: " if isinstance(name, str) and name else ""
        raise AnsibleActionFail(f"{resource}{error}") from None
    try:
        return action.validate_argument_spec(argument_spec, **rules)[1]
    except AnsibleActionFail as error:
        raise AnsibleActionFail(str(error).replace(action._load_name, action._task.action)) from None
