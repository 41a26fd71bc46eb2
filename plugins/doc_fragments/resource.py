# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations


class ModuleDocFragment:
    """The options that every resource has, and options that only some modules have, by the purpose of each."""

    DOCUMENTATION = r"""
options:
  alias:
    description:
      - Another name for the resource, shown in its event.
    type: str
  health_checks:
    description:
      - Checks that run after the resource. One that is not OK fails the task.
      - In check mode they run only where nothing would change.
    type: list
    elements: dict
    suboptions:
      command:
        description:
          - A command that answers like a Nagios plugin - exit code 0 is OK, 1 WARNING, 2 CRITICAL, all else UNKNOWN.
          - It is split into words as a shell does, and run without a shell.
        type: str
      goss_rules:
        description:
          - Rules as goss knows them, by kind and then by what they examine. Either these or O(health_checks[].command).
          - The task is sent with the code of M(ccm.core.apply) then, which is larger.
        type: dict
        version_added: 0.2.0
      name:
        description:
          - A name for messages, by default the name of the program.
        type: str
      timeout:
        description:
          - How long it may take before it is killed, like V(10s). There is no limit when not given.
        type: str
      tries:
        description:
          - How often to try until it is OK; once when not given.
        type: int
      try_sleep:
        description:
          - The pause between two tries, like V(1s), which it is when not given.
        type: str
notes:
  - Text is taken as it is, Ansible has templated it already. Only M(ccm.core.apply) understands expressions of CCM.
  - C(control), C(require), C(subscribe), C(meta) and C(register_when_stable) of CCM's manifests are no options here. A
    task that has one is refused with what a play has in its place - C(when), C(block), C(notify) and handlers.
"""

    ACTION = r"""
options:
  _hidden:
    description:
      - The values of options that the log of the node and the result's C(invocation) may not show.
      - Only the action plugin sets it. A task that gives it is refused.
    type: str
"""

    DECRYPT = r"""
options:
  decrypt:
    description:
      - Whether a file of the controller that is encrypted with Ansible Vault is decrypted before it is sent. Without
        its password the task fails.
      - With V(false) it is sent as it is, encrypted, as M(ansible.builtin.copy) does. A file that the controller itself
        reads is always decrypted - a manifest, a file of data, and the option C(template) of M(ccm.core.file).
      - The decrypted copy on the controller is removed when it was sent. A task that decrypted a file shows no
        differences.
    type: bool
    default: true
    version_added: 0.2.0
"""

    PROVIDER = r"""
options:
  provider:
    description:
      - The provider to use, by default the first one that can manage the resource.
    type: str
"""
