#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: scaffold
short_description: Render a tree of templates with Choria Configuration Management
version_added: 0.1.0
description:
  - Renders a directory of templates, or an archive of one, into a directory of files on the node, in Jet, in Go's
    template language with the functions of Sprig, or in Jinja2.
  - Everything is rendered before anything is written. A file is written only when its content differs, beside its
    place, and is then moved into its place.
  - Nothing is written or removed outside of the target, and nothing through a symbolic link in it.
  - The same engine, rules and messages as in the manifests of CCM and in M(ccm.core.apply).
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.options.scaffold
  - ccm.core.resource
  - ccm.core.resource.action
  - ccm.core.resource.decrypt
requirements:
  - python3-jinja2 on the node, with O(engine=jinja2) only
attributes:
  check_mode:
    support: full
    details:
      - The commands of O(post) run in it too, on a copy, because what they do is part of the comparison.
  diff_mode:
    support: full
    details:
      - One difference for each file that is written or removed, when it is text of at most 100,000 bytes.
  async:
    support: full
options:
  name:
    description:
      - The absolute path of the directory to render into, without C(.), C(..) or a slash at its end.
  ensure:
    description:
      - With V(present) every file that a template renders is there with its content.
      - With V(absent) these files are removed, then the directories that this left empty. Other files stay.
  source:
    description:
      - The directory of templates. Each file in it is a template, directories are made as they are, names are kept.
      - Directories called C(_partials) are left out. Their templates are there for C(render).
      - It is looked for on the controller, in C(templates/) of the role and of the play first, and sent as a whole.
        With O(remote_src=true) it is an absolute path on the node.
      - Or the address of an archive, C(http://) or C(https://), which the node fetches, with and without
        O(remote_src). What it unpacks to is the directory. It is kept on the node, so that the next task asks the
        server only whether it has another one, and with O(checksum) asks nothing.
      - It holds files and directories; a symbolic link in it fails the task, except in C(_partials).
  remote_src:
    description:
      - Whether O(source) is a path on the node. It means nothing for an address.
    type: bool
    default: false
  _staged_source:
    description:
      - The path on the node of the O(source) that was sent from the controller.
      - Only the action plugin sets it. A task that gives it is refused.
    type: str
  engine:
    description:
      - The language of the templates. V(go) is Go's C(text/template) with Sprig.
      - V(jinja2) is rendered on the node, so it sees neither the variables of the play nor Ansible's filters.
  data:
    description:
      - What templates see as C(data). They see the facts of the node that M(ccm.core.apply) knows as C(facts), and
        environment variables as C(environ).
  validate:
    description:
      - A command that checks the rendered files before they are put in place. It needs V(%s), the place of the path of
        a temporary directory that has all of them, and none of the others in the target.
      - When its exit code is not 0 the task fails with the last words of the command, and the target is unchanged.
      - It does not run where files are only removed.
      - It is split into words as a shell does, and run without a shell. In check mode it does not run.
    type: str
    version_added: 0.2.0
  left_delimiter:
    description:
      - What opens an action in the templates, V([[) for Jet and V({{) for the others when not given.
  right_delimiter:
    description:
      - What closes an action in the templates, V(]]) for Jet and V(}}) for the others when not given.
  post:
    description:
      - Commands for rendered files, each entry by a pattern of base names, like C(*.sh). They run on a copy before it
        is compared with the target, in check mode too, and more than once. C({}) is replaced by the path of the copy,
        which else is the last argument. Modes that they set are the modes of new and changed files.
  headers:
    description:
      - Headers to send with the request for O(source), in UTF-8. Their values are shown nowhere, and are not sent to
        another server that a redirect leads to.
  username:
    description:
      - The user for basic authentication, which needs O(password) too. It is for the server of O(source) only.
  checksum:
    description:
      - The SHA-256 of the archive in hexadecimal. What arrives with another one is not used. An archive that the node
        has with this one is not fetched again, and its server is not asked.
      - For an address only.
  download_timeout:
    description:
      - How long the download may take in all, like V(10m). One minute when not given.
    type: str
    version_added: 0.2.0
  download_tries:
    description:
      - How often to ask the server at most, when it does not answer, is overloaded or ends the connection early. A
        server that offers it is asked for the rest only. Three times when not given.
    type: int
    version_added: 0.2.0
  download_limit:
    description:
      - The largest archive to download, like V(500MiB) or V(2GiB). Any when not given.
    type: str
    version_added: 0.2.0
seealso:
  - module: ccm.core.apply
  - module: ccm.core.file
  - module: ansible.builtin.template
"""

EXAMPLES = r"""
- name: Render the configuration of an application from templates/app of the role
  ccm.core.scaffold:
    name: /etc/app
    ensure: present
    source: app
    data:
      port: 8080
      hosts: "{{ groups['app'] }}"
  notify: Restart app

- name: Render Go templates that the node has, and remove what they do not render
  ccm.core.scaffold:
    name: /etc/app/conf.d
    ensure: present
    source: /usr/share/app/templates
    remote_src: true
    engine: go
    purge: true
    post:
      - "*.sh": chmod 0755 {}

- name: Render the templates in an archive that the node fetches
  ccm.core.scaffold:
    name: /etc/app
    ensure: present
    source: https://downloads.example.com/app-templates-1.2.tar.gz
    checksum: 6ab3c1e54e6e2d0cbbd4ad1fcdbb7b1d7c9d4d1e4d1f0c9b2a8a3b5d6c7e8f90
    data:
      port: 8080

- name: Remove the rendered files again
  ccm.core.scaffold:
    name: /etc/app
    ensure: absent
    source: app
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
            target_exists:
              description: Whether the directory is there.
              returned: when it is true
              type: bool
            changed:
              description: Paths of files that are to be written.
              returned: when there is one
              type: list
              elements: str
            purged:
              description: Paths of files that no template renders.
              returned: when there is one
              type: list
              elements: str
            stable:
              description: Paths of files that are as they should be.
              returned: when there is one
              type: list
              elements: str
            engine:
              description: The language of the templates.
              returned: always
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

from ..module_utils.ansible_tasks.argument_spec import HIDDEN_OPTION, new_module
from ..module_utils.ansible_tasks.scaffold_task import run_scaffold, scaffold_argument_spec
from ..module_utils.resources.scaffold.type import TYPE as SCAFFOLD


def main():
    spec = {**scaffold_argument_spec(SCAFFOLD), **HIDDEN_OPTION, "_staged_source": {"type": "str"}}
    run_scaffold(new_module(AnsibleModule, spec), SCAFFOLD)


if __name__ == "__main__":
    main()
