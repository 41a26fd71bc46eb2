# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What molecule does not look at in the role manifest: check mode, failures, and what its result is good for."""

from __future__ import annotations

ROLE = """
- name: role
  ansible.builtin.include_role: {name: ccm.core.manifest}
- name: acted on
  ansible.builtin.debug: {msg: "{{ manifest_result.msg }}"}
  when: manifest_result is changed
"""
MANIFEST = """
data: {name: a}
ccm:
  resources:
    - file:
        - /srv/role-{{ Data.name }}:
            {ensure: present, content: "{{ Facts.who }}\\n", owner: root, group: root, mode: "0644"}
    - exec:
        - /bin/false: {creates: /srv/role-a}
"""
VARIABLES = {"manifest_path": "site.yaml", "manifest_facts": {"who": "me"}}


def test_preview_run_and_again(ansible, bookworm):
    plays = ansible.on(bookworm)
    plays.write("files/site.yaml", MANIFEST)
    bookworm.run("touch /srv/role-a")
    preview = plays.play(ROLE, "--check", vars=VARIABLES)
    assert preview["acted on"].msg == "1 of 2 resources would change"
    assert bookworm.read("/srv/role-a") == ""
    assert plays.play(ROLE, vars=VARIABLES)["acted on"].msg == "1 of 2 resources changed"
    assert bookworm.read("/srv/role-a") == "me\n"
    assert plays.play(ROLE, vars=VARIABLES)["acted on"].outcome == "skipped"


def test_a_failing_resource_fails_the_role_with_its_message(ansible, bookworm):
    plays = ansible.on(bookworm)
    bookworm.run("rm -f /srv/role-a")
    plays.write("files/site.yaml", MANIFEST)
    run = plays.play(ROLE, vars={**VARIABLES, "manifest_data": {"name": "b"}})
    assert run.returncode != 0
    task = run["ccm.core.manifest : Apply the manifest"]
    assert task.outcome == "failed"
    assert "/bin/false" in task.msg
    assert bookworm.read("/srv/role-b") == "me\n"


def test_wrong_variables_are_refused(ansible, bookworm):
    run = ansible.on(bookworm).play(ROLE, vars={"manifest_data": "text", "manifest_path": "site.yaml"})
    assert run.returncode != 0
    assert "manifest_data" in run.output
