# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
module: account
short_description: Manage a local user
description:
  - Creates, changes and removes local users with C(useradd), C(usermod) and C(userdel).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.resource
  - ccm.core.resource.provider
options:
  name:
    description:
      - The name of the user.
    type: str
    required: true
  ensure:
    description:
      - Whether the user exists.
    type: str
    choices: [present, absent]
    default: present
    aliases: [state]
  uid:
    description:
      - The number of the user.
    type: str
  gid:
    description:
      - The primary group, by name or number.
    type: str
  groups:
    description:
      - All other groups of the user.
    type: list
    elements: str
  home:
    description:
      - The home directory.
    type: str
  shell:
    description:
      - The login shell.
    type: str
  comment:
    description:
      - The full name.
    type: str
  managehome:
    description:
      - Whether the home directory is made and removed with the user.
    type: bool
"""

EXAMPLES = r"""
- name: Create a user
  acme.web.account:
    name: alice
    uid: "1500"
    groups: [adm]
    shell: /bin/bash
    managehome: true
"""

RETURN = r"""
event:
  description: The event of CCM; see M(ccm.core.file).
  returned: always
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ccm.core.plugins.module_utils.ansible_tasks.type_module import run_type

from ..module_utils.resource_types.account import TYPE


def main():
    run_type(AnsibleModule, TYPE)


if __name__ == "__main__":
    main()
