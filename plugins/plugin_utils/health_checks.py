# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Health checks of tasks that cannot mean what is written. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.model.errors import InvalidResource

_ONE_EXPRESSION = "{{ {'port': {'tcp:' ~ port: {'listening': true}}} }}"


def refuse_wrong_checks(checks):
    """Raise InvalidResource for a check without command and rules, and for a name of a rule that is a template."""
    for number, check in enumerate(checks or (), 1):
        rules = check.get("goss_rules")
        if not check.get("command") and not rules:
            message = f"check {number} of health_checks has neither command nor goss_rules: give one of them"
            raise InvalidResource(message)
        for kind in rules.values() if isinstance(rules, dict) else ():
            for name in kind if isinstance(kind, dict) else ():
                if "{{" in str(name) or "${" in str(name):
                    raise InvalidResource(
                        f"the name {name} in goss_rules is a template, and Ansible resolves none in names: "
                        f'write goss_rules as one expression, like "{_ONE_EXPRESSION}"'
                    )
