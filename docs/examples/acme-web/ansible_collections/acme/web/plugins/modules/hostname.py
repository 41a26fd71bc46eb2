# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
from __future__ import annotations

DOCUMENTATION = r"""
module: hostname
short_description: Set the name of the host
description:
  - Sets the name of the host with the program C(hostname).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.resource
  - ccm.core.resource.provider
options:
  name:
    description:
      - The name of the host.
    type: str
    required: true
  ensure:
    description:
      - Only V(present).
    type: str
    choices: [present]
    default: present
    aliases: [state]
"""

EXAMPLES = r"""
- name: Name the host
  acme.web.hostname:
    name: web1.example
"""

RETURN = r"""
event:
  description: The event of CCM; see M(ccm.core.file).
  returned: always
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ccm.core.plugins.module_utils.ansible_tasks.type_module import run_type

from ..module_utils.resource_types.hostname import TYPE


def main():
    run_type(AnsibleModule, TYPE)


if __name__ == "__main__":
    main()
