#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: hiera_info
short_description: Resolve hierarchical data of Choria Configuration Management for a node
version_added: 0.2.0
description:
  - Resolves a file with C(hierarchy), C(data) and C(overrides) with the facts of the node, and returns the data.
  - To resolve it with facts that the play has, without a task on the node, use the lookup P(ccm.core.hiera#lookup).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.attributes.info
  - ccm.core.resource.action
requirements:
  - python3-yaml on the node, with O(remote_src=true)
options:
  path:
    description:
      - The file. It is looked for on the controller as M(ansible.builtin.copy) does, in C(files/) of the role and of
        the play first, and sent parsed.
      - With O(remote_src=true) it is a path on the node, or an http(s) address that the node fetches.
    type: str
    required: true
  remote_src:
    description:
      - Whether O(path) is on the node.
    type: bool
    default: false
  facts:
    description:
      - Facts that are merged over the facts of the node, deeply.
    type: dict
  _document:
    description:
      - The parsed file of the controller.
      - Only the action plugin sets it. A task that gives it is refused.
    type: str
notes:
  - Mark the task with C(no_log) when the data holds secrets.
seealso:
  - module: ccm.core.apply
  - plugin: ccm.core.hiera
    plugin_type: lookup
"""

EXAMPLES = r"""
- name: Resolve the data of the node
  ccm.core.hiera_info:
    path: common.yaml
    facts:
      role: web
  register: resolved

- name: Use one value
  ansible.builtin.debug:
    msg: "{{ resolved.data.port }}"
"""

RETURN = r"""
data:
  description: The resolved data.
  returned: success
  type: dict
  sample:
    port: 8080
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, new_module
from ..module_utils.ansible_tasks.hiera_info import DOCUMENT_OPTION, HIERA_OPTIONS, run_hiera_info


def main():
    run_hiera_info(new_module(AnsibleModule, {**HIERA_OPTIONS, **DOCUMENT_OPTION, **HIDDEN_OPTION}))


if __name__ == "__main__":
    main()
