# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a host logs of modules that are given a canary, and what its processes show, with Ansible's default settings."""

from __future__ import annotations

import re

CANARY = "canary/4711?x"
CHECKS = f"health_checks: [{{command: 'true --token {CANARY}'}}]"
TASKS = f"""
- name: content
  ccm.core.file: {{name: /srv/x, content: '{CANARY}', owner: root, group: root, mode: "0600", {CHECKS}}}
- name: template
  ccm.core.file: {{name: /srv/y, template: secret.j2, owner: root, group: root, mode: "0600"}}
- name: command
  ccm.core.exec:
    name: 'true --password={CANARY}'
    command: "sh -c 'ps -eww -o args= > /srv/ps'"
    environment: ['PATH=/usr/bin:/bin', 'SECRET_X={CANARY}']
    onlyif: 'true https://h/?token=canary4711'
    unless: 'false --password {CANARY}'
    {CHECKS}
- name: address
  ccm.core.exec: {{name: 'true https://u:{CANARY}@h/'}}
- name: archive
  ignore_errors: true
  ccm.core.archive:
    {{name: /srv/a.tgz, url: 'http://u:{CANARY}@127.0.0.1:9/a.tgz', headers: {{X: '{CANARY}'}}, username: u,
     password: '{CANARY}', owner: root, group: root, download_tries: 1, {CHECKS}}}
- name: scaffold
  ccm.core.scaffold:
    {{name: /srv/app, source: app, data: {{password: '{CANARY}'}}, post: [{{app: 'true --token {CANARY}'}}], {CHECKS}}}
- name: package
  ccm.core.package: {{name: dpkg, {CHECKS}}}
- name: service
  ccm.core.service: {{name: systemd-journald, ensure: running, {CHECKS}}}
- name: manifest
  ccm.core.apply: {{path: site.yaml, data: {{x: '{CANARY}'}}}}
"""


def test_no_secret_is_logged(ansible, bookworm):
    there = ansible.on(bookworm).with_default_settings()
    there.write("templates/secret.j2", CANARY)
    there.write("templates/app/app", "[[ data.password ]]")
    there.write("files/site.yaml", f"ccm: {{resources: [exec: {{name: 'true --password {CANARY}'}}]}}\n")
    run = there.play(TASKS)
    outcomes = run.outcomes
    assert outcomes.pop("archive") == "failed", run.output
    assert set(outcomes.values()) <= {"ok", "changed"}, run.output
    assert {bookworm.read(f"/srv/{name}") for name in ("x", "y", "app/app")} == {CANARY}
    logged = bookworm.run("journalctl --quiet").stdout
    assert set(re.findall(r"ansible-ccm\.core\.([a-z]+)\[[0-9]+\]: Invoked with ", logged)) == {
        *("apply", "archive", "exec", "file", "package", "scaffold", "service")
    }
    assert [line for line in logged.splitlines() if "canary" in line] == []
    processes = bookworm.read("/srv/ps")
    assert "ps -eww" in processes
    assert "canary" not in processes
