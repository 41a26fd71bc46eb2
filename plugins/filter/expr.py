# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
name: expr
short_description: Evaluate an expression of CCM
version_added: 0.1.0
description:
  - Evaluates an expression as CCM's manifests have them between C({{ }}), on the controller.
  - The expression has C(Data), C(Facts), C(Environ) and the function C(lookup), and no function that reads more.
author:
  - ccm.core contributors (!UNKNOWN)
positional: expression
options:
  _input:
    description:
      - A mapping, which is C(Data) in the expression.
    type: dict
    required: true
  expression:
    description:
      - The expression, without braces.
    type: str
    required: true
  facts:
    description:
      - A mapping, which is C(Facts) in the expression.
    type: dict
    default: {}
  environ:
    description:
      - A mapping of variables to texts, which is C(Environ) in the expression.
    type: dict
    default: {}
seealso:
  - plugin: ccm.core.gjson
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the port of the second server
  ansible.builtin.debug:
    msg: "{{ {'port': 8080} | ccm.core.expr('Data.port + 1') }}"
"""

RETURN = r"""
_value:
  description: The value of the expression.
  type: raw
  sample: 8081
"""

from ansible.errors import AnsibleFilterError

from ..module_utils.ansible_tasks.messages import message_of
from ..module_utils.ansible_tasks.result import plain
from ..module_utils.data.environment import Environment
from ..module_utils.model.errors import CCMError
from ..plugin_utils.facts import manifest_facts


def expr(data, expression, facts=None, environ=None):
    """Return the value of an expression. Raises AnsibleFilterError."""
    if not isinstance(expression, str):
        raise AnsibleFilterError(f"expr: expression must be text, not {type(expression).__name__}")
    given = {"the input": data, "facts": facts or {}, "environ": environ or {}}
    for name, value in given.items():
        if not isinstance(value, dict):
            raise AnsibleFilterError(f"expr: {name} must be a mapping, not {type(value).__name__}")
    environment = Environment(manifest_facts(given["facts"]), plain(data), plain(given["environ"]), only_lookup=True)
    try:
        return environment.evaluate(str(expression))
    except CCMError as error:
        raise AnsibleFilterError(f"expr: {message_of(error)}") from None


class FilterModule:
    """The filter of this file."""

    def filters(self):
        """Return the filter by its name."""
        return {"expr": expr}
