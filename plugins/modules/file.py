#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: file
short_description: Manage files, directories and links with Choria Configuration Management
version_added: 0.1.0
description:
  - Brings a file, a directory or a symbolic link to a state - whether it is there, what it holds, who owns it, who may
    use it.
  - A file is written beside its place, gets its owner and mode, and is then moved into its place. It is never
    seen half written, or with other permissions than asked for.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_files
  - ccm.core.options.file
  - ccm.core.resource
  - ccm.core.resource.action
  - ccm.core.resource.decrypt
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
    details:
      - Content is shown up to 100,000 bytes and when it is text.
  async:
    support: full
options:
  name:
    description:
      - The absolute path, without C(.), C(..) or a slash at its end.
  ensure:
    description:
      - V(present) is a file, V(directory) a directory with its missing parents, V(link) a symbolic link to O(target).
      - With V(absent) the file or the empty directory is removed; see O(force) for directories that hold something.
      - A directory is never replaced by a file, nor a file by a directory.
      - A symbolic link whose target is as wanted is left. When something differs, the link is replaced by the file or
        the directory, or refused when only attributes of a file are managed.
      - V(link) replaces a file or another link, a directory with O(force=true) only.
  content:
    description:
      - What the file holds. The empty text empties the file.
      - Without O(content), O(source) and O(template) an existing file keeps what it holds, a missing one is made empty.
  source:
    description:
      - A file to take the content from, text or not.
      - It is looked for on the controller as M(ansible.builtin.copy) does, in C(files/) of the role and of the play
        first. With O(remote_src=true) it is an absolute path on the node.
      - With O(recurse=true) it is a directory to copy, which must be on the node.
  template:
    description:
      - A Jinja2 template on the controller that renders the content, looked for as M(ansible.builtin.template) does.
    type: str
  remote_src:
    description:
      - Whether O(source) is a path on the node.
    type: bool
    default: false
  _staged_source:
    description:
      - The path on the node of the O(source) that was sent from the controller.
      - Only the action plugin sets it. A task that gives it is refused.
    type: str
  validate:
    description:
      - A command that checks new content before it is put in place. It needs V(%s), the place of the path of the new
        file, which has its owner and mode already and is in the same directory.
      - When its exit code is not 0 the task fails with the last words of the command, and the old file is unchanged.
      - It does not run where only owner, group or mode are wrong.
      - It is split into words as a shell does, and run without a shell. In check mode it does not run.
    type: str
    version_added: 0.2.0
  backup:
    description:
      - Whether a file whose content is replaced is kept beside the new one. The name of the copy ends with the number
        of the process, the time and a tilde.
    type: bool
    default: false
    version_added: 0.2.0
  owner:
    description:
      - The user that owns it, by name or by number.
      - Without it what exists keeps its owner, and a new file or directory belongs to the user of the task.
  group:
    description:
      - The group that owns it, by name or by number. Without it, as with O(owner).
  mode:
    description:
      - The permissions in octal, V("0644").
      - Without it what exists keeps its permissions. A new file has V("0644") and a new directory V("0755"), whatever
        the umask is. A file whose owner or group changes loses its set-user-ID and set-group-ID bits then.
      - Set-user-ID, set-group-ID and sticky bits are the first of four digits, as in V("2775"). On a directory V(0) as
        the first digit keeps those that it has. On a file it clears them.
      - Quote it. An octal number without quotes, V(0644), is understood as well. A number without a leading zero is
        decimal for YAML. A decimal number above 511, such as V(644), is refused; a smaller one gives another mode, as
        V(400) gives C(0620).
      - Users who may read or write a directory may enter it, so V("0644") makes a directory of mode C(0755).
  force:
    description:
      - Whether O(ensure=absent) removes a directory together with all that is in it, and O(ensure=link) replaces one.
      - When something is mounted in the directory the task fails, and nothing is removed.
      - It does not keep an existing file, as V(false) does in M(ansible.builtin.copy); V(false) together with
        O(content), O(source) or O(template) is refused, except with O(ensure=absent).
  target:
    description:
      - What a link leads to. Needed with O(ensure=link), and refused with V(present) and V(directory).
      - It need not exist. A relative one is relative to the directory of the link.
      - O(owner) and O(group) are the owner and group of the link itself. A link has no O(mode).
    version_added: 0.2.0
  recurse:
    description:
      - Whether O(ensure=directory) copies O(source), a directory, with all that is in it. Needs O(remote_src=true).
      - Without O(mode) entries have the permissions of the source, without set-user-ID, set-group-ID and sticky bits.
      - Links are copied as links, and none is followed. Nothing is changed in a mount below the directory.
    version_added: 0.2.0
  purge:
    description:
      - Whether O(recurse) also removes what O(source) does not have. It also replaces a directory by a file or a link,
        and the other way round, where the source has another kind of entry.
    version_added: 0.2.0
  ignore:
    description:
      - Patterns of what O(recurse) neither copies nor purges, with C(*), C(?) and C([a-z]).
      - A pattern without a slash is for names at any depth, another one for paths from the top.
    version_added: 0.2.0
seealso:
  - module: ccm.core.apply
  - module: ansible.builtin.copy
  - module: ansible.builtin.template
"""

EXAMPLES = r"""
- name: Write a message of the day
  ccm.core.file:
    name: /etc/motd
    ensure: present
    content: |
      Managed by ccm.core
    owner: root
    group: root
    mode: "0644"

- name: Make a directory and its missing parents
  ccm.core.file:
    name: /srv/app/data
    ensure: directory
    owner: app
    group: app
    mode: "0750"

- name: Render a template of the role and restart the service when it changes
  ccm.core.file:
    name: /etc/app/app.conf
    ensure: present
    template: app.conf.j2
    owner: root
    group: app
    mode: "0640"
  notify: Restart app

- name: Copy a file that is on the node already
  ccm.core.file:
    name: /etc/app/defaults
    ensure: present
    source: /usr/share/app/defaults
    remote_src: true
    owner: root
    group: root
    mode: "0644"

- name: Replace a configuration file only with one that its program accepts, and keep the old one
  ccm.core.file:
    name: /etc/sudoers.d/app
    ensure: present
    content: |
      app ALL=(root) NOPASSWD: /usr/bin/systemctl restart app
    owner: root
    group: root
    mode: "0440"
    validate: /usr/sbin/visudo -cf %s
    backup: true

- name: Lead to the release that is in use
  ccm.core.file:
    name: /srv/app/current
    ensure: link
    target: releases/7

- name: Copy a tree of files, and remove what it does not have
  ccm.core.file:
    name: /srv/www
    ensure: directory
    source: /usr/share/app/www
    remote_src: true
    recurse: true
    purge: true
    ignore: ["*.tmp"]

- name: Remove a directory with all that is in it
  ccm.core.file:
    name: /var/cache/app
    ensure: absent
    force: true
"""

RETURN = r"""
# Written by make docs: change the declarations, not this text.
msg:
  description: What was done, what would be done in check mode, or why it failed.
  returned: always
  type: str
  sample: Nothing to do
backup_file:
  description: The path of the copy of the file that was replaced.
  returned: when a copy is wanted and content was replaced
  type: str
  sample: /etc/sudoers.d/app.4711.2026-01-31@12:00:00~
event:
  description: CCM's own record of what became of the resource, as C(ccm apply) writes it.
  returned: unless the arguments were refused
  type: dict
  contains:
    protocol:
      description: What it is, and its version.
      returned: always
      type: str
    event_id:
      description: 'A KSUID: ids sort as events came.'
      returned: always
      type: str
      sample: 38GxNBYqPbLDnVCFNyD9YzFWvLn
    timestamp:
      description: When the work began.
      returned: always
      type: str
      sample: '2026-01-31T12:00:00.123456789Z'
    type:
      description: The type of the resource.
      returned: always
      type: str
      sample: file
    provider:
      description: The provider that managed the resource; empty when none was chosen.
      returned: always
      type: str
      sample: posix
    name:
      description: The name of the resource.
      returned: always
      type: str
    alias:
      description: Its other name.
      returned: when there is one
      type: str
    requested_ensure:
      description: The state that was asked for.
      returned: always
      type: str
      sample: present
    final_ensure:
      description: The state afterwards, in noop the state before; empty when it failed or was skipped.
      returned: always
      type: str
    duration:
      description: How long it took, in nanoseconds.
      returned: always
      type: int
      sample: 1234567
    properties:
      description: The properties that are not empty, secrets hidden.
      returned: always
      type: dict
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
            checksum:
              description: The SHA-256 of the content in hexadecimal.
              returned: when there is one
              type: str
            owner:
              description: The user that owns it, empty when it is not there.
              returned: always
              type: str
            group:
              description: The group that owns it, empty when it is not there.
              returned: always
              type: str
            mode:
              description: The permissions in octal, empty when it is not there.
              returned: always
              type: str
            provider:
              description: The provider that read the state.
              returned: always
              type: str
            mtime:
              description: When it was changed, in RFC 3339; the year 1 when it is not there.
              returned: always
              type: str
            size:
              description: How long the content is, in bytes.
              returned: when there is one
              type: int
            target:
              description: 'What a link leads to, with ensure: link.'
              returned: when there is one
              type: str
            changed:
              description: With recurse, paths of entries that are to be written.
              returned: when there is one
              type: list
              elements: str
            purged:
              description: With recurse, paths of entries that are to be removed.
              returned: when there is one
              type: list
              elements: str
            unchanged:
              description: With recurse, how many entries are as they should be.
              returned: when there is one
              type: int
    noop_message:
      description: What would have been done.
      returned: when there is one
      type: str
    health_check:
      description: The results of the health checks, without their names.
      returned: when there is one
      type: list
      elements: dict
    health_check_only:
      description: Whether only health checks were to run.
      returned: when it is true
      type: bool
    error:
      description: What went wrong.
      returned: always
      type: list
      elements: str
    changed:
      description: Whether something was changed, or would be.
      returned: always
      type: bool
    refreshed:
      description: Whether the change of another resource made it act.
      returned: always
      type: bool
    failed:
      description: Whether it failed.
      returned: always
      type: bool
    skipped:
      description: Whether it was not managed, because of control or of a requirement.
      returned: always
      type: bool
    noop:
      description: Whether nothing was to be changed, as in check mode of Ansible.
      returned: always
      type: bool
    unmet_requirements:
      description: References whose resources failed or were held back.
      returned: always
      type: list
      elements: str
    error_position:
      description: 'The place of the error in a document: file, line and column.'
      returned: when there is one
      type: str
health_checks:
  description: The results of the health checks, in order.
  returned: when there are any and they were run
  type: list
  elements: dict
  contains:
    name:
      description: The name of the check.
      returned: always
      type: str
    status:
      description: V(0) for OK, V(1) for WARNING, V(2) for CRITICAL, V(3) for UNKNOWN.
      returned: always
      type: int
    tries:
      description: How often it was tried.
      returned: always
      type: int
    Output:
      description: What the command printed, or how many rules there were and how many failed.
      returned: always
      type: str
log:
  description: What the provider had to say.
  returned: when it said something
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, new_module
from ..module_utils.ansible_tasks.file_task import file_argument_spec, run_file
from ..module_utils.resources.file.type import TYPE as FILE


def main():
    spec = {**file_argument_spec(FILE), **HIDDEN_OPTION, "_staged_source": {"type": "str"}}
    run_file(new_module(AnsibleModule, spec), FILE)


if __name__ == "__main__":
    main()
