#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: exec
short_description: Run a command when it has to run with Choria Configuration Management
version_added: 0.1.0
description:
  - Runs a command, unless the path that it creates exists or a guard command says that it need not run.
  - Without O(creates), O(onlyif), O(unless) and O(refreshonly) the command runs, and the task is changed, each time.
  - The command can be given in free form as well, C(/usr/bin/touch /srv/x creates=/srv/x). Words with an equals sign
    are options there; use O(name) for a command that has such words.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.exec
  - ccm.core.resource
  - ccm.core.resource.action
attributes:
  check_mode:
    support: full
    details:
      - The guards O(onlyif) and O(unless) run in check mode too, because they decide. Let them change nothing.
  diff_mode:
    support: none
  async:
    support: full
options:
  name:
    description:
      - The command. With O(command) it is only a name, which must be possible as a command all the same.
  command:
    description:
      - The command when it differs from O(name).
      - It is split into words as a shell does, with quotes and backslashes, and run without a shell; see O(provider).
      - It has ended when its process has. What a process in the background writes is read for 2 seconds more; later it
        gets SIGPIPE, so start it with C(> file).
  ensure:
    description:
      - Accepted for the sake of CCM's manifests; makes no difference.
  environment:
    description:
      - Variables for the command, as C(KEY=value); a value may be empty.
      - It also gets the variables of the task's keyword C(environment), also of the play and of blocks. Variables of
        this option replace them, and so does O(path) their C(PATH). It inherits no other variables of the node.
  path:
    description:
      - Absolute directories to look the command up in, with colons between them. It is the command's C(PATH) as well.
      - When not given, C(/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/usr/local/sbin), in this order.
  timeout:
    description:
      - How long it may take before it is killed, like V(10s) or V(1m30s). There is no limit when not given.
      - The processes of its process group are killed as well, but not those with a session of their own.
  creates:
    description:
      - A path that the command creates. When it is there, the command does not run.
      - It is taken as it is. A relative path does not begin at O(cwd), and C(~) and patterns like C(*) are not
        replaced; a task that has them gets a warning.
  refreshonly:
    description:
      - Whether it runs only when it is refreshed; see O(refresh).
  user:
    description:
      - The user that the command and its guards run as, a name or a number; the user of the task when not given.
      - It gets the groups of this user, and C(HOME), C(USER) and C(LOGNAME). This needs root; O(cwd) is entered as this
        user.
  group:
    description:
      - The group that they run as, a name or a number; the group of O(user) when not given.
      - Without O(user) it is their only group.
  umask:
    description:
      - The bits that modes of new files do not get, in octal, like V("0022"); the umask of the task when not given.
      - Quote it. A number is refused, as YAML reads V(022) as 18.
  refresh:
    description:
      - Whether to refresh it, as a change of a resource that it subscribes to does in a manifest. The command then runs
        whatever O(creates), O(onlyif), O(unless) and O(refreshonly) say.
      - When not given, a handler is refreshed, and a task is not. With V(false) a handler does what a task does.
  logoutput:
    description:
      - Whether the lines of its standard output are returned, as RV(log).
  provider:
    description:
      - V(posix) runs the words of the command, V(shell) hands the command to C(/bin/sh); V(posix) when not given.
seealso:
  - module: ccm.core.apply
  - module: ansible.builtin.command
"""

EXAMPLES = r"""
- name: Unpack once
  ccm.core.exec:
    name: /usr/bin/tar -xzf /srv/app.tgz -C /srv/app
    creates: /srv/app/bin/app

- name: Initialise the database unless it is
  ccm.core.exec:
    name: initialise-database
    command: /usr/bin/app db init
    unless: /usr/bin/app db check
    environment:
      - APP_HOME=/srv/app
    timeout: 5m

- name: Use a pipe, with the shell
  ccm.core.exec:
    name: count-users
    command: "cut -d: -f1 /etc/passwd | sort > /var/tmp/users"
    provider: shell
    creates: /var/tmp/users

- name: Rebuild an index when its source changes
  hosts: all
  tasks:
    - name: Write the source
      ccm.core.file:
        name: /etc/app/words
        ensure: present
        source: words
        owner: root
        group: root
        mode: "0644"
      notify: Rebuild the index
  handlers:
    - name: Rebuild the index
      ccm.core.exec:
        name: /usr/bin/app index /etc/app/words
        creates: /var/lib/app/index
"""

RETURN = r"""
# Written by make docs: change the declarations, not this text.
msg:
  description: What was done, what would be done in check mode, or why it failed.
  returned: always
  type: str
  sample: Nothing to do
rc:
  description: The exit code of the command.
  returned: when it ran, also when the task failed
  type: int
  sample: 0
stdout:
  description: The standard output of the command, its first 64 MiB.
  returned: when it ran, also when the task failed
  type: str
stderr:
  description: The standard error of the command, its first 64 MiB.
  returned: when it ran, also when the task failed
  type: str
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
        exitcode:
          description: The exit code of the command, when it ran.
          returned: when there is one
          type: int
        creates_satisfied:
          description: Whether what the command creates is there.
          returned: when it is true
          type: bool
        onlyif_satisfied:
          description: Whether its guard said that it may run.
          returned: when it is true
          type: bool
        unless_satisfied:
          description: Whether its guard said that it need not run.
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
  description: The lines of the command's standard output.
  returned: with logoutput, when it wrote some
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, argument_spec, new_module
from ..module_utils.ansible_tasks.exec_task import run_exec
from ..module_utils.resources.exec.type import TYPE as EXEC


def main():
    run_exec(new_module(AnsibleModule, {**argument_spec(EXEC), **HIDDEN_OPTION}), EXEC)


if __name__ == "__main__":
    main()
