# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Health checks in plays: commands beside any resource, rules of goss in manifests."""

from __future__ import annotations

import os

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
    [check] = run["rules"].result["resources"][0]["health_checks"]
    assert check["Output"].startswith("Count: 11, Failed: 0,")
    assert 'health check status "CRITICAL"' in run["rules that fail"].msg
    assert run["command"].event["health_check"] == [{"status": 0, "tries": 1, "Output": ""}]
    message = 'exec#/bin/true: health check status "WARNING"; health check nowhere: exit status 1'
    assert run["command that fails"].msg == message
    assert "goss_rules" in run["wrong"].msg


def test_rules_of_goss_in_tasks_of_one_resource(ansible, here):
    """The result is the same as without rules: the result of the resource's own module."""
    ansible.write("files/made", "one\n")
    ansible.write("templates/tree/inside", "two\n")
    rules = "{goss_rules: {file: {%s: {exists: true, contents: [%s]}}}}"
    tasks = f"""
    - name: file
      ccm.core.file:
        path: {here}/made
        source: made
        owner: "{os.geteuid()}"
        group: "{os.getegid()}"
        mode: 0644
        health_checks: [{rules % (f"{here}/made", "one")}]
    - name: exec
      ccm.core.exec:
        name: sh -c 'echo out'
        health_checks:
          - {rules % (f"{here}/made", "nothing")}
      ignore_errors: true
    - name: scaffold
      ccm.core.scaffold:
        name: {here}/tree
        source: tree
        health_checks: [{rules % (f"{here}/tree/inside", "two")}]
    - name: both
      ccm.core.exec:
        name: /bin/true
        health_checks: [{{command: "true", goss_rules: {{file: {{/: {{exists: true}}}}}}}}]
      ignore_errors: true
    - name: neither
      ccm.core.exec:
        name: /bin/true
        health_checks: [{{name: empty}}]
      ignore_errors: true
    """
    run = ansible.play(tasks)
    assert run.outcomes == {
        "file": "changed",
        "exec": "failed",
        "scaffold": "changed",
        "both": "failed",
        "neither": "failed",
    }
    assert run["file"].msg == "Created the file"
    assert run["file"].event["properties"]["source"] == "made"
    assert run["file"].event["health_check"][0]["Output"].startswith("Count: 2, Failed: 0,")
    assert run["exec"].result["stdout"] == "out\n"
    assert 'health check status "CRITICAL"' in run["exec"].msg
    assert "nothing" in run["exec"].msg
    assert "'command' or 'goss_rules' are mutually exclusive" in run["both"].msg
    assert "has neither command nor goss_rules" in run["neither"].msg
    preview = ansible.play(tasks, "--check", "--diff")
    assert preview["file"].outcome == "ok"
    assert preview["file"].event["health_check"][0]["status"] == 0
    assert preview["file"].result["diff"] == []
    assert preview["exec"].result["log"][-1].startswith("health checks not run")


def test_secret_options_of_a_task_with_rules_are_masked(ansible, here):
    tasks = f"""
    - name: download
      ccm.core.archive:
        name: {here}/a.tar.gz
        url: http://127.0.0.1:1/a.tar.gz
        password: hidden-word
        username: user
        owner: "{os.geteuid()}"
        group: "{os.getegid()}"
        download_tries: 1
        health_checks: [{{goss_rules: {{file: {{/: {{exists: true}}}}}}}}]
      ignore_errors: true
    """
    run = ansible.play(tasks, "-vvv")
    assert run["download"].outcome == "failed"
    assert "archive#" in run["download"].msg
    assert "hidden-word" not in run.output
    assert "hidden-word" not in str(run["download"].result)
