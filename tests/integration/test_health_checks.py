# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks in plays: commands beside any resource, rules of goss in manifests."""

from __future__ import annotations

MANIFEST = """
data: {wanted: 3}
ccm:
  resources:
    - exec:
        - sh -c 'echo one > HERE/made':
            creates: HERE/made
            health_checks:
              - goss_rules:
                  file:
                    HERE/made:
                      exists: true
                      size:
                        gt: ${ Data.wanted }
                      contents: [/^one$/]
                  command:
                    cat HERE/made:
                      exit-status: 0
                      stdout: {match-regexp: "on."}
                  interface: {lo: {exists: true}}
                  matching: {version: {content: 1.2.3, matches: {semver-constraint: ">=1.2.0"}}}
                  user: {root: {exists: true, uid: 0}}
                  mount: {/proc: {exists: true}}
                  process: {no-such-process: {running: false}}
"""


def test_health_checks(ansible, here, python_with_yaml):
    """The rules of a manifest are sent to the node as data."""
    ansible.write("files/site.yaml", MANIFEST.replace("HERE", str(here)))
    tasks = """
    - name: rules
      ccm.core.apply: {path: site.yaml}
    - name: rules that fail
      ccm.core.apply:
        manifest:
          ccm:
            resources:
              - exec:
                  - /bin/true:
                      health_checks:
                        - goss_rules: {file: {/nowhere: {exists: true}}}
      ignore_errors: true
    - name: command
      ccm.core.exec:
        name: /bin/true
        health_checks:
          - {command: "test -e /", name: root}
    - name: command that fails
      ccm.core.exec:
        name: /bin/true
        health_checks:
          - {command: "test -e /nowhere", tries: 2, try_sleep: 1ms}
      ignore_errors: true
    - name: wrong
      ccm.core.exec:
        name: /bin/true
        health_checks:
          - {command: "true", goss_rules: {}}
      ignore_errors: true
    """
    run = ansible.play(tasks, python=python_with_yaml)
    assert run.outcomes == {
        "rules": "changed",
        "rules that fail": "failed",
        "command": "changed",
        "command that fails": "failed",
        "wrong": "failed",
    }
    [check] = run["rules"].result["events"][0]["health_check"]
    assert check["Output"].startswith("Count: 11, Failed: 0,")
    assert 'health check status "CRITICAL"' in run["rules that fail"].msg
    assert run["command"].event["health_check"] == [{"status": 0, "tries": 1, "Output": ""}]
    assert run["command that fails"].msg == 'exec#/bin/true: health check status "WARNING"'
    assert "goss_rules" in run["wrong"].msg
