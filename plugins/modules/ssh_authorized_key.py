#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: ssh_authorized_key
short_description: Manage a key with which a user logs in with Choria Configuration Management
version_added: 0.1.0
description:
  - Makes sure that a public key is in the file with the authorized keys of a user, with the wanted options, or is not.
  - All other lines of the file stay as they are, byte for byte.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.ssh_authorized_key
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - A user that an earlier task would make is not there yet in check mode, and the task fails; in a manifest
        (M(ccm.core.apply)) it does not.
  diff_mode:
    support: full
    details:
      - Shows the lines of the key before and after.
  async:
    support: full
options:
  name:
    description:
      - The comment of the key, by which its line is found, like V(alice@laptop).
      - A line with the same key and another comment belongs to it, too.
  ensure:
    description:
      - Whether the key is there.
  key:
    description:
      - The key in base64, without its type and its comment. Needed with O(ensure=present).
      - With O(ensure=absent), lines with the key are removed as well as lines with the comment.
  options:
    description:
      - Options of sshd for the key, like V(no-pty) or V(from="10.0.0.0/8"). Without them the line has none.
  target:
    description:
      - The file with the keys, an absolute path. Its directory must exist.
      - When not given, it is C(.ssh/authorized_keys) in the home of the user, and C(.ssh) is made if it is missing.
seealso:
  - module: ccm.core.file
  - module: ccm.core.apply
  - module: ansible.posix.authorized_key
"""

EXAMPLES = r"""
- name: Let Alice log in
  ccm.core.ssh_authorized_key:
    name: alice@laptop
    user: root
    type: ssh-ed25519
    key: AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f

- name: Let a server only fetch backups
  ccm.core.ssh_authorized_key:
    name: backup@store
    user: root
    key: AAAAC3NzaC1lZDI1NTE5AAAAIB8eHRwbGhkYFxYVFBMSERAPDg0MCwoJCAcGBQQDAgEA
    options:
      - restrict
      - from="10.0.0.0/8"
      - command="/usr/local/bin/backup"

- name: Do not let Bob log in any more
  ccm.core.ssh_authorized_key:
    name: bob@laptop
    ensure: absent
    user: root
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
            user:
              description: The user.
              returned: always
              type: str
            target:
              description: The file; empty when there is no home for it.
              returned: always
              type: str
            type:
              description: The type of the key that is there.
              returned: when there is one
              type: str
            key:
              description: The key that is there, in base64.
              returned: when there is one
              type: str
            options:
              description: Its options, as they are written, with secrets replaced.
              returned: when there is one
              type: str
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
from ..module_utils.resources.ssh_authorized_key.type import TYPE as SSH_AUTHORIZED_KEY


def main():
    run_resource(new_module(AnsibleModule, {**argument_spec(SSH_AUTHORIZED_KEY), **HIDDEN_OPTION}), SSH_AUTHORIZED_KEY)


if __name__ == "__main__":
    main()
