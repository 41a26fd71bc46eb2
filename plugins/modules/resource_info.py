#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: resource_info
short_description: Return the state of a resource of Choria Configuration Management
version_added: 0.2.0
description:
  - Returns what the provider of a file, a package or a service finds on the node, as C(ccm status) does.
  - Users and groups have a state, too.
  - Other types have no state that a name alone determines. For them the task fails.
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.attributes.info
options:
  type:
    description:
      - The type of the resource, V(file), V(group), V(package), V(service) or V(user).
    type: str
    required: true
  name:
    description:
      - The name of the resource, for a file its absolute path.
    type: str
    required: true
    aliases: [path]
  provider:
    description:
      - The provider to use, by default the first one that can manage the resource.
    type: str
seealso:
  - module: ccm.core.file
  - module: ccm.core.package
  - module: ccm.core.service
  - module: ccm.core.user
  - module: ccm.core.group
  - module: ansible.builtin.stat
"""

EXAMPLES = r"""
- name: Read the state of a file
  ccm.core.resource_info:
    type: file
    name: /etc/motd
  register: motd

- name: Show who owns it
  ansible.builtin.debug:
    msg: "{{ motd.state.owner }}"
  when: motd.ensure == 'present'

- name: Read which version of a package is installed
  ccm.core.resource_info:
    type: package
    name: openssl
  register: openssl
"""

RETURN = r"""
ensure:
  description:
    - The state in one word. V(present), V(absent) or V(directory) for a file, the version or V(absent) for a package,
      V(running), V(stopped) or V(absent) for a service.
  returned: success
  type: str
  sample: present
state:
  description: What C(ccm status) shows. The keys depend on the type.
  returned: success
  type: dict
  sample:
    name: /etc/motd
    checksum: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
    owner: root
    group: root
    mode: "0644"
    provider: posix
    mtime: "2026-01-31T12:00:00Z"
    size: 3
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.argument_spec import new_module
from ..module_utils.ansible_tasks.resource_info import RESOURCE_OPTIONS, run_resource_info


def main():
    run_resource_info(new_module(AnsibleModule, RESOURCE_OPTIONS))


if __name__ == "__main__":
    main()
