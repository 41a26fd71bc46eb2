#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: service
short_description: Manage a service with Choria Configuration Management
version_added: 0.1.0
description:
  - Makes sure that a service runs or is stopped, and that it starts at boot or does not.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.service
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - Whether a service then starts shows only in the run. A service that an earlier task would install is not there
        yet in check mode, and its task fails; in a manifest (M(ccm.core.apply)) it does not.
  diff_mode:
    support: full
    details:
      - Shows whether it runs and whether it is enabled. A restart makes no difference there.
  async:
    support: full
options:
  name:
    description:
      - The name of the service, like V(nginx), V(nginx.service) or V(getty@tty1).
  ensure:
    description:
      - Whether it runs. With V(unmanaged) this is left as it is, and only O(enable) is looked at.
      - V(stopped) also ends a service that is starting, or that is restarted again and again; one that is stopping is
        waited for.
  enable:
    description:
      - Whether it starts at boot, a boolean. Left as it is when not given.
      - With V(mask) nothing can start it; this needs O(ensure=stopped) or O(ensure=unmanaged). V(true) does not remove
        a mask, it fails.
      - A unit without C([Install]) satisfies both V(true), with a warning, and V(false).
  refresh:
    description:
      - Whether to refresh it, as a change of a resource that it subscribes to does in a manifest. A service that runs
        is restarted, one that does not is started; with O(ensure=stopped) it makes no difference.
      - When not given, a handler is refreshed, and a task is not. With V(false) a handler does what a task does.
      - V(reload) refreshes it, too, and reloads a service that runs; one whose unit has no C(ExecReload=) is restarted.
        V(restart) is the same as V(true).
seealso:
  - module: ccm.core.package
  - module: ccm.core.apply
  - module: ansible.builtin.systemd_service
"""

EXAMPLES = r"""
- name: Run it now and after every boot
  ccm.core.service:
    name: nginx
    enable: true

- name: Stop it for good
  ccm.core.service:
    name: telnetd.socket
    ensure: stopped
    enable: false

- name: Let nothing start it, also not another service
  ccm.core.service:
    name: telnetd.service
    ensure: stopped
    enable: mask

- name: Restart a service when its configuration changes
  hosts: all
  tasks:
    - name: Configure the server
      ccm.core.file:
        name: /etc/app/app.conf
        ensure: present
        template: app.conf.j2
        owner: root
        group: app
        mode: "0640"
      notify: Restart app

    - name: Run the server
      ccm.core.service:
        name: app
        enable: true
  handlers:
    - name: Restart app
      ccm.core.service:
        name: app

- name: Reload a server when its configuration changes
  hosts: all
  tasks:
    - name: Configure the server
      ccm.core.file:
        name: /etc/nginx/conf.d/site.conf
        ensure: present
        content: "server_tokens off;\n"
        owner: root
        group: root
        mode: "0644"
      notify: Reload the server
  handlers:
    - name: Reload the server
      ccm.core.service:
        name: nginx
        refresh: reload
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
            enabled:
              description: Whether it is started at boot.
              returned: always
              type: bool
            running:
              description: Whether the service is running.
              returned: always
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
from ..module_utils.resources.service.type import TYPE as SERVICE


def main():
    run_resource(new_module(AnsibleModule, {**argument_spec(SERVICE), **HIDDEN_OPTION}), SERVICE)


if __name__ == "__main__":
    main()
