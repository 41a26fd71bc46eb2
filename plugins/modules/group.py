#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: group
short_description: Manage a group with Choria Configuration Management
version_added: 0.1.0
description:
  - Makes sure that a group exists, with its number and its members, or that it does not.
  - Groups of a directory service count as well, and are never made a second time; they are not changed.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.group
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - A member that an earlier task would make is not there yet in check mode, and its task fails; in a manifest
        (M(ccm.core.apply)) it does not.
  diff_mode:
    support: full
    details:
      - Shows the number and the members, as far as they change.
  async:
    support: full
options:
  name:
    description:
      - The name of the group. At most 32 letters, digits, dots, underscores and hyphens; the first is a letter, a digit
        or an underscore.
  ensure:
    description:
      - Whether it exists. A group that is the primary group of a user is not removed.
  gid:
    description:
      - Its number. The next free one when it is made without. Files keep the former number when it changes.
  members:
    description:
      - The users in it. Left as they are when not given. Users whose primary group it is need not be here.
  membership:
    description:
      - Whether it may have other members than O(members). V(minimum) leaves them, V(inclusive) removes them.
  system:
    description:
      - Whether it is made with a number of the range for system groups. It makes no difference for one that exists.
seealso:
  - module: ccm.core.user
  - module: ccm.core.apply
  - module: ansible.builtin.group
"""

EXAMPLES = r"""
- name: Make a group with a number that is the same on all hosts
  ccm.core.group:
    name: deploy
    gid: 1500

- name: Let exactly these users use containers
  ccm.core.group:
    name: docker
    members: [alice, bob]
    membership: inclusive

- name: Remove a group
  ccm.core.group:
    name: interns
    ensure: absent
"""

RETURN = r"""
# Written by make docs: change the declarations, not this text.
msg:
  description: What was done, what would be done in check mode, or why it failed.
  returned: always
  type: str
  sample: Nothing to do
event:
  description:
    - CCM's own record of what became of the resource, as C(ccm apply) writes it.
    - See M(ccm.core.file) for the keys of all events.
  returned: unless the arguments were refused
  type: dict
  contains:
    status:
      description: The state afterwards; null when it is not known.
      returned: always
      type: dict
      contains:
        metadata:
          description: The state in detail.
          returned: always
          type: dict
          contains:
            name:
              description: The name of the resource.
              returned: always
              type: str
            provider:
              description: The provider that read the state.
              returned: always
              type: str
            gid:
              description: Its number.
              returned: when there is one
              type: int
            members:
              description: The users in it, sorted.
              returned: when there is one
              type: list
              elements: str
            local:
              description: Whether /etc/group has it, and not only a directory service.
              returned: when it is true
              type: bool
health_checks:
  description:
    - The results of the health checks, in order.
    - See M(ccm.core.file) for their keys.
  returned: when there are any and they were run
  type: list
  elements: dict
log:
  description: What the provider had to say.
  returned: when it said something
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, argument_spec, new_module
from ..module_utils.ansible_tasks.resource_task import run_resource
from ..module_utils.resources.group.type import TYPE as GROUP


def main():
    run_resource(new_module(AnsibleModule, {**argument_spec(GROUP), **HIDDEN_OPTION}), GROUP)


if __name__ == "__main__":
    main()
