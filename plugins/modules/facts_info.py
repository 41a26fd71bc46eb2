#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: facts_info
short_description: Return the facts of Choria Configuration Management
version_added: 0.2.0
description:
  - Returns the facts of the node as manifests see them in C(Facts), with the facts of its fact files.
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.attributes.info
  - ccm.core.resource.action
requirements:
  - python3-yaml on the node, when it has fact files in YAML
options:
  facts:
    description:
      - Facts that are merged over the facts of the node, deeply.
    type: dict
seealso:
  - module: ccm.core.apply
  - module: ansible.builtin.setup
  - plugin: ccm.core.gjson
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Read the facts of the node
  ccm.core.facts_info:
  register: found

- name: Show one of them
  ansible.builtin.debug:
    msg: "{{ found.facts | ccm.core.gjson('host.info.platformFamily') }}"
"""

RETURN = r"""
facts:
  description: All facts, as C(ccm facts) shows them.
  returned: success
  type: dict
  sample:
    host:
      info:
        hostname: web1
        platformFamily: debian
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, new_module
from ..module_utils.ansible_tasks.facts_info import FACTS_OPTIONS, run_facts_info


def main():
    run_facts_info(new_module(AnsibleModule, {**FACTS_OPTIONS, **HIDDEN_OPTION}))


if __name__ == "__main__":
    main()
