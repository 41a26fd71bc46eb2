#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: user
short_description: Manage a user with Choria Configuration Management
version_added: 0.1.0
description:
  - Makes sure that a user exists, with its groups, its home, its shell and its password, or that it does not.
  - Users of a directory service count as well, and are never made a second time; they are not changed.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.user
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - A group that an earlier task would make is not there yet in check mode, and its task fails; in a manifest
        (M(ccm.core.apply)) it does not.
  diff_mode:
    support: full
    details:
      - Shows what changes; of a password only that it changes.
  async:
    support: full
options:
  name:
    description:
      - The name of the user. At most 32 letters, digits, dots, underscores and hyphens; the first is a letter, a digit
        or an underscore.
  ensure:
    description:
      - Whether it exists. A user that has processes is not removed.
  uid:
    description:
      - Its number. The next free one when it is made without. When it changes, files in its home get the new one. The
        number of a user that has processes is not changed.
  gid:
    description:
      - Its primary group, by name or number, quoted. When it is made without, that is the group of its name, which is
        made where it does not exist.
  groups:
    description:
      - Its other groups, by name. Left as they are when not given.
  membership:
    description:
      - Whether it may be in other groups than O(groups). V(minimum) leaves it there, V(inclusive) removes it.
  home:
    description:
      - The path of its home. Nothing is moved when it changes.
  managehome:
    description:
      - Whether its home is made with the user, with the files of C(/etc/skel), and removed with it.
      - A home that is a link or that belongs to another user is neither used nor removed; the task fails before
        anything is done.
  system:
    description:
      - Whether it is made with a number of the range for system users. It makes no difference for one that exists.
  password:
    description:
      - The hash of its password, as C(openssl passwd -6) makes it, or the filter
        P(ansible.builtin.password_hash#filter). With V(*) or V(!) no password works. A password that is no hash is
        refused.
      - It reaches the host's programs by standard input only.
  expiry:
    description:
      - The day on which the account expires, like V(2027-12-31), in quotes. With V(absent) it does not.
seealso:
  - module: ccm.core.group
  - module: ccm.core.apply
  - module: ansible.builtin.user
"""

EXAMPLES = r"""
- name: Make a user who logs in with a key
  ccm.core.user:
    name: alice
    comment: Alice Adams
    groups: [sudo, adm]
    managehome: true
    shell: /bin/bash

- name: Make the user of a service, without a login
  ccm.core.user:
    name: app
    system: true
    home: /var/lib/app
    shell: /usr/sbin/nologin

- name: Set a password from a vault, and let the account expire
  ccm.core.user:
    name: contractor
    password: "{{ vaulted_hash }}"
    expiry: "2027-12-31"

- name: Let a user be in these groups only
  ccm.core.user:
    name: bob
    groups: [www-data]
    membership: inclusive

- name: Remove a user with its home
  ccm.core.user:
    name: carl
    ensure: absent
    managehome: true
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
            uid:
              description: Its number.
              returned: when there is one
              type: int
            gid:
              description: The number of its primary group.
              returned: when there is one
              type: int
            group:
              description: The name of its primary group, or the number where there is none.
              returned: when there is one
              type: str
            groups:
              description: The other groups that it is in, sorted.
              returned: when there is one
              type: list
              elements: str
            home:
              description: The path of its home.
              returned: when there is one
              type: str
            shell:
              description: The path of its login shell.
              returned: when there is one
              type: str
            comment:
              description: Its full name, or another description.
              returned: when there is one
              type: str
            expiry:
              description: The day on which it expires, or absent, where that is managed.
              returned: when there is one
              type: str
            local:
              description: Whether /etc/passwd has it, and not only a directory service.
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
from ..module_utils.resources.user.type import TYPE as USER


def main():
    run_resource(new_module(AnsibleModule, {**argument_spec(USER), **HIDDEN_OPTION}), USER)


if __name__ == "__main__":
    main()
