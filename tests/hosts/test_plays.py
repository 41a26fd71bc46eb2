# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays against the Pythons of three releases: preview, run, run again."""

from __future__ import annotations

import os

TASKS = """
- name: file
  ccm.core.file: {name: /etc/greeting, ensure: present, source: greeting, owner: root, group: root, mode: "0640"}
  diff: true
- name: folder
  ccm.core.file: {name: /srv/plays, ensure: directory, owner: daemon, group: daemon, mode: "0750"}
- name: command
  ccm.core.exec: {name: /usr/bin/touch /srv/plays/made, creates: /srv/plays/made}
  become: true
  become_user: daemon
- name: manifest
  ccm.core.apply:
    manifest:
      data: {who: all}
      ccm:
        resources:
          - file:
              - /srv/plays/manifest:
                  {ensure: present, content: "to ${ Data.who }\\n", owner: root, group: root, mode: "0600"}
"""


def test_preview_run_and_again(ansible, host):
    plays = ansible.on(host)
    plays.write("files/greeting", "hällo\n")
    preview = plays.play(TASKS, "--check")
    assert preview["file"].outcome == "changed"
    assert host.run("ls /etc/greeting /srv/plays", check=False).stdout == ""
    run = plays.play(TASKS)
    assert set(run.outcomes.values()) == {"changed"}, run.output
    assert "hällo" in str(run["file"].result["diff"])
    assert host.read("/etc/greeting") == "hällo\n"
    assert host.run("stat --format='%a %U' /etc/greeting /srv/plays").stdout == "640 root\n750 daemon\n"
    assert host.run("stat --format=%U /srv/plays/made").stdout == "daemon\n"
    assert host.read("/srv/plays/manifest") == "to all\n"
    again = plays.play(TASKS)
    assert set(again.outcomes.values()) == {"ok"}, again.output


def test_files_come_and_go_by_the_connection(ansible, bookworm, tmp_path):
    plays = ansible.on(bookworm)
    content = os.urandom(100_000)
    plays.write("files/big", content)
    tasks = f"""
    - name: put
      ansible.builtin.copy: {{src: big, dest: "/srv/a 'b'", mode: "0600"}}
    - name: fetch
      ansible.builtin.fetch: {{src: "/srv/a 'b'", dest: {tmp_path}/fetched, flat: true}}
    - name: missing
      ansible.builtin.fetch: {{src: /srv/missing, dest: {tmp_path}/missing, flat: true}}
      ignore_errors: true
    """
    run = plays.play(tasks)
    assert (tmp_path / "fetched").read_bytes() == content
    assert run["missing"].outcome == "failed"
