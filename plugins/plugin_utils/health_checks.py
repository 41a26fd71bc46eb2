# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Health checks of tasks that are wrong, found before anything is managed. PRIVATE to the collection."""

from __future__ import annotations

from ..module_utils.ansible_tasks.result import plain
from ..module_utils.model.errors import InvalidResource, ResourceFailed

_ONE_EXPRESSION = "{{ {'port': {'tcp:' ~ port: {'listening': true}}} }}"


def refuse_wrong_checks(checks):
    """Raise InvalidResource for a check without command and rules, and for wrong rules."""
    for number, check in enumerate(checks or (), 1):
        rules = check.get("goss_rules")
        if not check.get("command") and not rules:
            message = f"check {number} of health_checks has neither command nor goss_rules: give one of them"
            raise InvalidResource(message)
        for kind, named in rules.items() if isinstance(rules, dict) else ():
            for name, attributes in named.items() if isinstance(named, dict) else ():
                if "{{" in str(name) or "${" in str(name):
                    raise InvalidResource(
                        f"the name {name} in goss_rules is a template, and Ansible resolves none in names: "
                        f'write goss_rules as one expression, like "{_ONE_EXPRESSION}"'
                    )
                _refuse_wrong_rule(number, kind, name, attributes)


def _refuse_wrong_rule(number, kind, name, attributes):
    # Few tasks have rules, and to import what knows them takes 40 ms.
    from ..module_utils.health.goss.catalogue import KIND_NAMES
    from ..module_utils.health.goss.spec import FILES, check_rule
    from ..module_utils.health.goss.values import RuleError

    if kind not in (*KIND_NAMES, FILES):
        return
    try:
        check_rule(kind, name, plain(attributes))
    except (ResourceFailed, RuleError) as error:
        advice = f"; {error.advice}" if isinstance(error, ResourceFailed) and error.advice else ""
        raise InvalidResource(f"goss_rules of check {number} of health_checks: {error}{advice}") from None
