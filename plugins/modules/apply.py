#!/usr/bin/python
# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)

from __future__ import annotations

DOCUMENTATION = r"""
module: apply
short_description: Apply a manifest of Choria Configuration Management
version_added: 0.1.0
description:
  - Runs a whole manifest in one task - all its resources in their order, with C(require), C(subscribe), C(control) and
    hierarchical data, as the command C(ccm apply) does.
  - The manifest is read on the controller and sent parsed, with those that it applies, so the node needs nothing but
    Python.
  - Everything in the manifest is validated before anything is changed. A manifest that it applies is validated when
    its turn comes.
author:
  - ccm.core contributors (!UNKNOWN)
extends_documentation_fragment:
  - ccm.core.attributes
  - ccm.core.attributes.actiongroup_all
  - ccm.core.resource.decrypt
requirements:
  - python3-yaml on the node, with O(remote_src=true), for manifests that are applied by absolute names, and for
    C(resources_jet_file)
  - nats-py on the controller, with O(register=true), C(obj://) and C(kv://)
  - nats-py on the node, for C(kvGet(\)) and C(registrations(\)) in expressions
attributes:
  check_mode:
    support: full
    details:
      - This is CCM's noop. The guards of commands run in it, because they decide.
  diff_mode:
    support: full
    details:
      - One difference for each resource that has something to show, files above all.
  async:
    support: full
options:
  path:
    description:
      - A manifest, or a directory with a C(manifest.yaml) and the files that it uses.
      - It is looked for on the controller as M(ansible.builtin.copy) does, in C(files/) of the role and of the play
        first. With O(remote_src=true) it is a path on the node, or an http(s) address of a gzipped tar that the node
        fetches.
      - C(obj://BUCKET/KEY) is a directory in an object store of NATS, which the controller fetches.
      - A directory is sent as a whole, without what version control keeps in it, and is removed from the node after
        the task. Of a single file nothing but the manifest is sent, and the manifests that it applies, so name the
        directory when they use other files.
      - Of a directory that is too large for the arguments of a task, large sources of files are compared with the node
        first, and sent only when they differ.
      - Manifests that it applies are parsed on the controller too - of a directory all that have the key C(ccm), else
        manifests that are named without expressions. An absolute name means a file on the node.
    type: str
  manifest:
    description:
      - The manifest itself, as a mapping with the key C(ccm). It is neither shown nor logged.
      - Ansible templates C({{ }}) before CCM sees the manifest. Write expressions of CCM as C(${ }) here.
      - Quote modes and versions.
    type: dict
  remote_src:
    description:
      - Whether O(path) and O(hiera) are on the node.
    type: bool
    default: false
  data:
    description:
      - Data that is merged over the manifest's own, deeply. Lists are concatenated.
    type: dict
  facts:
    description:
      - Facts that are merged over the facts of the node, deeply.
    type: dict
  hiera:
    description:
      - A file with C(data), C(hierarchy) and C(overrides) that is merged over the manifest's data and under O(data).
      - It is looked for where O(path) is.
      - C(kv://BUCKET/KEY) is the value of a key in NATS, which the controller fetches.
    type: str
  types:
    description:
      - Collections on the controller that offer resource types, by name. Their files are sent with the task. A manifest
        can name them too, in C(ccm.engine.types).
      - Types of Python packages that are installed on the node need no entry. Where a collection offers the same type,
        its type is used.
    type: list
    elements: str
    version_added: 0.2.0
  fail_on_error:
    description:
      - Whether the first failed resource ends the run. By default as the manifest has it, which is V(false) when it
        says nothing.
    type: bool
    version_added: 0.2.0
  parallel:
    description:
      - Run the resources in graph order, at most so many at once - a number, or V(auto) for as many as there are
        processors. By default as C(engine) of the manifest has it.
    type: str
    version_added: 0.2.0
  events:
    description:
      - Whether the result has CCM's own record of each resource as well, under RV(events). The result is several times
        as large then.
    type: bool
    default: false
    version_added: 0.2.0
  state:
    description:
      - Whether to keep state between runs, so that a refresh that a failed or killed run lost is made up for in the
        next one. It is found by O(path) as the task gives it; a manifest in the play has none unless it names it in
        C(ccm.engine.state). Check mode reads it and writes nothing.
    type: bool
    default: true
    version_added: 0.2.0
  state_directory:
    description:
      - The directory of the state between runs, on the node. By default the value of the variable E(CCM_STATE), then
        C(/var/lib/ccm) for root, and C(~/.local/state/ccm) for others.
    type: path
    version_added: 0.2.0
  register:
    description:
      - Whether the controller publishes C(register_when_stable) in NATS, of all resources that are well after the run -
        stable or changed, and neither failed, also not by their health checks, nor skipped. Nothing is published in
        check mode.
      - The node needs neither nats-py nor a way to the server. The task fails where an entry cannot be published.
      - A task with C(async) cannot register.
    type: bool
    default: false
    version_added: 0.2.0
  context:
    description:
      - The context of the C(nats) command with which the controller connects, or the absolute path of its file. By
        default the value of the variable E(NATS_CONTEXT), then V(CCM).
      - Expressions with C(kvGet(\)) and C(registrations(\)) are resolved on the node, with its context of that name.
    type: str
    version_added: 0.2.0
  registration:
    description:
      - The stream of registrations.
    type: str
    default: REGISTRATION
    version_added: 0.2.0
  _package:
    description:
      - The code that runs on the node.
      - Only the action plugin sets it. A task that gives it is refused.
    type: str
    version_added: 0.2.0
notes:
  - One failed resource fails the task. The other resources are managed all the same, unless O(fail_on_error=true).
  - Mark the task with C(no_log) when resources hold secrets in their content or commands.
seealso:
  - module: ccm.core.file
  - module: ccm.core.exec
"""

EXAMPLES = r"""
- name: Apply a manifest that lies beside the play
  ccm.core.apply:
    path: site.yaml

- name: Apply a manifest together with its templates and files
  ccm.core.apply:
    path: webserver
    data:
      port: 8080
    facts:
      role: web

- name: Apply the manifest of this task
  ccm.core.apply:
    manifest:
      data:
        greeting: Hello
      ccm:
        resources:
          - file:
              - /etc/motd:
                  ensure: present
                  content: "${ Data.greeting } from {{ inventory_hostname }}\n"
                  owner: root
                  group: root
                  mode: "0644"
          - exec:
              - /usr/bin/systemctl reload motd:
                  refreshonly: true
                  subscribe: ["file#/etc/motd"]

- name: Apply a manifest that the node has
  ccm.core.apply:
    path: /etc/ccm/manifest.yaml
    remote_src: true
"""

RETURN = r"""
msg:
  description: How many resources changed or would change, or which failed and why.
  returned: always
  type: str
  sample: 2 of 5 resources changed
resources:
  description: The result of each resource, in the order of the run.
  returned: unless the manifest was refused
  type: list
  elements: dict
  contains:
    resource:
      description: The reference of the resource.
      returned: always
      type: str
      sample: file#/etc/motd
    outcome:
      description:
        - V(changed), V(stable), V(refreshed), V(failed), V(skipped) or V(skipped due to unmet requirement).
        - In check mode V(changed) and V(refreshed) mean that it would be.
      returned: always
      type: str
      sample: changed
    msg:
      description: What was done, what would be done in check mode, or why it failed or was not managed.
      returned: always
      type: str
      sample: Created the file
    cause:
      description:
        - Why it changed, or would change in check mode.
        - V(manifest) when the manifest wants something else than in the last run, V(drift) when something else changed
          the machine, V(never converges) when the last run changed it in the same way and undid that itself, or when it
          is a command that runs in every run, V(refresh) when only another resource changed.
      returned: when it changed and the state between runs is kept
      type: str
      sample: drift
    position:
      description: Where the manifest declares it, as file, line and column.
      returned: when the manifest is a file
      type: str
      sample: site.yaml:4:11
    error_position:
      description: Where the error is, as file, line and column.
      returned: when it failed because of what a file says, for example an expression
      type: str
      sample: site.yaml:6:18
    diff:
      description: What changes, as a list of differences.
      returned: in diff mode
      type: list
      elements: dict
    log:
      description: The lines that were logged while it was managed.
      returned: when there are any
      type: list
      elements: str
    registrations:
      description: The entries of C(register_when_stable) that the controller publishes.
      returned: with O(register), when it has any and is well, and not in check mode
      type: list
      elements: dict
    health_checks:
      description: The results of the health checks, in order. See M(ccm.core.file) for the keys.
      returned: when there are any and they were run
      type: list
      elements: dict
events:
  description:
    - CCM's own record of what became of each resource, in the order of the run. See M(ccm.core.file) for its keys.
    - One with failed health checks has a line for each check and each rule that failed under C(check_failures).
  returned: with O(events), unless the manifest was refused
  type: list
  elements: dict
summary:
  description: The run in numbers, under the names that C(ccm session report) uses.
  returned: unless the manifest was refused
  type: dict
  contains:
    total_resources:
      description: How many resources there were.
      returned: always
      type: int
      sample: 5
    changed_resources:
      description: How many changed or would change.
      returned: always
      type: int
      sample: 2
    failed_resources:
      description: How many failed.
      returned: always
      type: int
      sample: 0
    skipped_resources:
      description: How many were left alone, because of C(control) or of a requirement that was not met.
      returned: always
      type: int
      sample: 0
    stable_resources:
      description: How many were as wanted.
      returned: always
      type: int
      sample: 3
    total_duration:
      description: How long the run took, in nanoseconds.
      returned: always
      type: int
      sample: 12345678
    unique_resources:
      description: How many different resources there were.
      returned: always
      type: int
      sample: 0
    refreshed_count:
      description: How many acted because a resource that they subscribe to had changed.
      returned: always
      type: int
      sample: 0
    requirements_unmet_count:
      description: How many requirements were not met.
      returned: always
      type: int
      sample: 0
    health_checked_count:
      description: How many health checks were run.
      returned: always
      type: int
      sample: 0
    health_check_ok_count:
      description: How many health checks were OK.
      returned: always
      type: int
      sample: 0
    health_check_warning_count:
      description: How many were WARNING.
      returned: always
      type: int
      sample: 0
    health_check_critical_count:
      description: How many were CRITICAL.
      returned: always
      type: int
      sample: 0
    health_check_unknown_count:
      description: How many were UNKNOWN.
      returned: always
      type: int
      sample: 0
    total_errors:
      description: How many errors there were, one for each resource that failed.
      returned: always
      type: int
      sample: 0
    start_time:
      description: When the run began, in UTC.
      returned: always
      type: str
      sample: "2026-01-31T12:00:00.123456789Z"
    end_time:
      description: When it ended, in UTC.
      returned: always
      type: str
      sample: "2026-01-31T12:00:01.123456789Z"
log:
  description:
    - The lines that C(ccm apply) prints of the run, among them what commands with C(logoutput) printed and which health
      checks failed.
  returned: unless the manifest was refused
  type: list
  elements: str
pre_message:
  description: The manifest's C(pre_message).
  returned: when it has one
  type: str
post_message:
  description: The manifest's C(post_message).
  returned: when it has one and nothing failed
  type: str
"""

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.ansible_tasks.apply_options import APPLY_OPTIONS, CHECKSUMS, RESOURCE
from ..module_utils.ansible_tasks.sent_package import PACKAGE_OPTION, call_in_package


def main():
    module = AnsibleModule({**APPLY_OPTIONS, **PACKAGE_OPTION}, supports_check_mode=True)
    passed = module.params["manifest"] or {}
    if CHECKSUMS in passed:
        call_in_package(module, "ansible_tasks.unchanged_sources", "run_checksums")
    elif RESOURCE in passed:
        call_in_package(module, "ansible_tasks.single_resource", "run_single_resource")
    elif module.params["remote_src"]:
        call_in_package(module, "ansible_tasks.node_apply_task", "run_node_apply")
    else:
        call_in_package(module, "ansible_tasks.apply_task", "run_apply")


if __name__ == "__main__":
    main()
