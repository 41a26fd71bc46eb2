#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: package
short_description: Manage packages with Choria Configuration Management
version_added: 0.1.0
description:
  - Makes sure that packages are installed, absent, at their latest version or at one version.
  - All names of a task are looked at at once, and installed or removed in one run of the package manager. When
    that fails they are done one by one, so that only the faulty packages fail, and every package has an event of its
    own.
  - The package index is refreshed (C(apt-get update)) only where O(update_cache) says so.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.package
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - Whether a version is available, and whether the package manager succeeds, shows only in the run.
  diff_mode:
    support: full
    details:
      - Shows the versions before and after, a line for each package. In check mode O(ensure) is shown in place of
        the version after.
  async:
    support: full
options:
  name:
    description:
      - The names of the packages, or one name. Each name must be unique.
      - A name that no package has, but that packages provide, means the installed one, or the only one that can
        be installed; RV(log) names it. When several can be installed, the task fails and names them. V(absent) does
        not remove a package that only provides the name.
  ensure:
    description:
      - V(present) is any version, V(absent) none. Removed packages leave their configuration files.
      - V(purged) removes the configuration files too. With dnf it is the same as V(absent).
      - V(latest) is the newest version that the package manager knows of, or the version that a pin of apt selects.
        Nothing is done, and the task is not changed, where that is installed.
      - Everything else is a version as the package manager writes it, to upgrade or downgrade to. Quote it, because
        YAML reads V(5.10) as the number 5.1 and V(1:30) as 90; a task with a number is refused.
      - It applies to all names. With a version or V(purged), the packages are managed one by one, in their order, and
        not in one run of the package manager.
  mark:
    description:
      - V(hold) lets the package manager hold the packages at their version, V(none) ends that. Holds are left as they
        are when this is not given. With dnf this needs its plugin versionlock.
      - A held package that O(ensure) would change or remove fails, in check mode too. V(none) ends the hold before
        that.
      - With it, the packages are managed one by one.
  lock_timeout:
    description:
      - How long to wait while another process uses the package manager, like V(30s) or V(10m). Then the task fails, and
        names the process. Five minutes when not given.
    type: str
  update_cache:
    description:
      - Refresh the index of the package manager, before the first package, when it is older than this, like V(1h).
        V(true) refreshes it always. It is not refreshed when this is not given, nor in check mode.
      - A failure to refresh it is a warning; a package that needs it then fails.
    type: raw
  provider:
    description:
      - The package manager to use, V(apt) or V(dnf). The one that this system has when not given.
seealso:
  - module: ccm.core.service
  - module: ccm.core.apply
  - module: ansible.builtin.package
"""

EXAMPLES = r"""
- name: Install what the application needs, in one run of the package manager
  ccm.core.package:
    name:
      - nginx
      - postgresql-client
      - rsync
    ensure: present

- name: Install on a host whose package index may be old or missing
  ccm.core.package:
    name: tree
    update_cache: 1h

- name: Stay at the newest version in the package index
  ccm.core.package:
    name: openssl
    ensure: latest
  notify: Restart nginx

- name: Install packages of one version
  ccm.core.package:
    name: [kubelet, kubeadm, kubectl]
    ensure: "1.31.2-1.1"

- name: Install a version, and keep it when other packages are upgraded
  ccm.core.package:
    name: postgresql-16
    ensure: 16.4-1.pgdg120+1
    mark: hold

- name: Remove a package with its configuration
  ccm.core.package:
    name: exim4-base
    ensure: purged

- name: Remove a package, and wait no longer than half a minute for others
  ccm.core.package:
    name: telnetd
    ensure: absent
    lock_timeout: 30s
"""

RETURN = r"""
# Written by make docs: change the declarations, not this text.
msg:
  description: What was done, what would be done in check mode, or why it failed. For several names, how many changed or
    which failed.
  returned: always
  type: str
  sample: 3 of 5 packages changed
events:
  description: The event of each package, in the order of the names.
  returned: unless the arguments were refused
  type: list
  elements: dict
event:
  description:
    - CCM's own record of what became of the package.
    - See M(ccm.core.file) for the keys of all events.
  returned: when there is one name, unless the arguments were refused
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
              description: The name of the package, which another package may provide.
              returned: always
              type: str
            version:
              description: The installed version, or absent.
              returned: always
              type: str
            arch:
              description: The architecture of what is installed.
              returned: when there is one
              type: str
            provider:
              description: The provider that read the state.
              returned: always
              type: str
            extended:
              description: What only this package manager reports.
              returned: when there is one
              type: dict
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

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, new_module
from ..module_utils.ansible_tasks.package_task import package_argument_spec, run_packages
from ..module_utils.resources.package.type import TYPE as PACKAGE


def main():
    run_packages(new_module(AnsibleModule, {**package_argument_spec(PACKAGE), **HIDDEN_OPTION}), PACKAGE)


if __name__ == "__main__":
    main()
