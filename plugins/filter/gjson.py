# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
name: gjson
short_description: Find a value in data with a GJSON path
version_added: 0.1.0
description:
  - Returns what a GJSON path finds in data, as the function C(lookup) of manifests and C(ccm hiera parse --query) do.
author:
  - ccm.core contributors (!UNKNOWN)
positional: path
options:
  _input:
    description:
      - The data.
    type: raw
    required: true
  path:
    description:
      - The path, like V(servers.0.name) or V(servers.#(role=="web"\).name).
    type: str
    required: true
  default:
    description:
      - The value when the path finds nothing. Without it that is an error.
    type: raw
seealso:
  - plugin: ccm.core.expr
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Show the name of the web server
  ansible.builtin.debug:
    msg: "{{ {'servers': [{'name': 'a', 'role': 'web'}]} | ccm.core.gjson('servers.#(role==\"web\").name') }}"
"""

RETURN = r"""
_value:
  description: What was found.
  type: raw
  sample: a
"""

import json

from ansible.errors import AnsibleFilterError

from ..module_utils.ansible_tasks.result import plain
from ..module_utils.lang.gjson.result import GJSONError
from ..module_utils.lang.gjson.search import get

_NONE_GIVEN = object()


def gjson(data, path, default=_NONE_GIVEN):
    """Return what a path finds in data. Raises AnsibleFilterError."""
    if not isinstance(path, str):
        raise AnsibleFilterError(f"gjson: path must be text, not {type(path).__name__}")
    try:
        found = get(plain(data), str(path))
        if found.exists:
            return json.loads(found.raw)
    except (GJSONError, RecursionError, ValueError) as error:
        raise AnsibleFilterError(f"gjson: path {path}: {error}") from None
    if default is _NONE_GIVEN:
        raise AnsibleFilterError(f"gjson: path {path} finds nothing; give a default if that is possible")
    return default


class FilterModule:
    """The filter of this file."""

    def filters(self):
        """Return the filter by its name."""
        return {"gjson": gjson}
