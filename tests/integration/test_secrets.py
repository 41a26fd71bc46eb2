# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A canary in every option that can hold a secret: what plays show at -vvvv, and what of results must be there."""

from __future__ import annotations

import os
import re

CANARY = "canary/4711?x"
PARAMETER = "canary4711"
#: Not the canary itself: Ansible shows lines of plays.
GIVEN = "{{ given }}"
OWN = f'owner: "{os.geteuid()}", group: "{os.getegid()}"'


def test_no_option_is_shown_that_holds_a_secret(ansible, here):
    (here / "templates").mkdir()
    (here / "templates/a").write_text("[[ data.password ]]")
    ansible.write("templates/secret.j2", CANARY)
    ansible.write("files/secret", CANARY)
    ansible.write(
        "files/site.yaml",
        f"""
        data: {{hidden: "{CANARY}"}}
        ccm:
          resources:
            - exec: {{name: 'true --password {CANARY}', environment: ['SECRET_X={CANARY}']}}
    """,
    )
    checks = f"health_checks: [{{command: 'true --token {GIVEN}'}}]"
    address = f"http://u:{GIVEN}@127.0.0.1:9/a.tgz?token={{{{ parameter }}}}"
    run = ansible.play(
        f"""
        - name: begin
          ccm.core.exec: {{name: 'true'}}
        - name: command
          ccm.core.exec:
            name: 'true --password={GIVEN}'
            command: "sh -c 'test $(echo $SECRET_X $1 | wc -c) = 41' x https://u:{GIVEN}@h/"
            environment: ['SECRET_X={GIVEN}']
            onlyif: 'true https://h/?token={{{{ parameter }}}}'
            unless: 'false --password {GIVEN}'
            {checks}
        - name: failing
          ignore_errors: true
          ccm.core.exec: {{name: 'https://u:{GIVEN}@127.0.0.1/'}}
        - name: content
          ccm.core.file:
            {{name: {here}/content, content: '{GIVEN}', {OWN}, mode: "0600"}}
          diff: false
        - name: template
          ccm.core.file: {{name: {here}/template, template: secret.j2, {OWN}, mode: "0600"}}
          diff: false
        - name: source
          ccm.core.file: {{name: {here}/source, source: secret, {OWN}, mode: "0600"}}
          diff: false
        - name: scaffold
          ccm.core.scaffold:
            name: {here}/scaffold
            source: {here}/templates
            remote_src: true
            data: {{password: '{GIVEN}'}}
            post: [{{a: 'true --token {GIVEN}'}}]
        - name: archive
          ignore_errors: true
          ccm.core.archive:
            {{name: {here}/a.tgz, url: '{address}', headers: {{X: '{GIVEN}'}}, username: u, password: '{GIVEN}',
             {OWN}, download_tries: 1}}
        - name: manifest
          ccm.core.apply: {{path: site.yaml, data: {{x: '{GIVEN}'}}, facts: {{x: '{GIVEN}'}}}}
        - name: inline
          ccm.core.apply: {{manifest: {{ccm: {{resources: [{{exec: {{name: 'true --password {GIVEN}'}}}}]}}}}}}
        """,
        "-vvvv",
        vars={"given": CANARY, "parameter": PARAMETER},
    )
    outcomes = run.outcomes
    assert (outcomes.pop("failing"), outcomes.pop("archive")) == ("failed", "failed")
    assert set(outcomes.values()) == {"changed"}, run.output
    for name in ("content", "template", "source"):
        assert (here / name).read_text() == CANARY
    assert (here / "scaffold/a").read_text() == CANARY
    shown = run.output.split("TASK [begin]")[1]
    for task in ("content", "template", "source"):
        # Events show what a file holds, as differences do: they are results.
        assert run[task].result["invocation"]["module_args"]["content"] is None
    assert run["content"].event["properties"]["content"] == CANARY
    lines = [line.strip() for line in shown.splitlines() if "canary" in line]
    assert lines == [f'"content": "{CANARY}",'] * len(lines)


def test_results_are_not_damaged(ansible, here):
    """A secret value that is also a normal value stays visible there."""
    run = ansible.play(
        f"""
        - name: file
          ccm.core.file:
            name: {here}/x
            content: "{os.geteuid()}"
            {OWN.replace(", ", chr(10) + "            ")}
            mode: "0600"
        - name: archive
          ignore_errors: true
          ccm.core.archive:
            name: {here}/a.tgz
            url: http://127.0.0.1:9/a.tgz
            password: "{os.geteuid()}"
            {OWN.replace(", ", chr(10) + "            ")}
            download_tries: 1
        - name: command
          ccm.core.exec: {{name: echo root --password root}}
        """,
        "--diff",
    )
    assert run["file"].event["properties"]["owner"] == str(os.geteuid())
    assert run["file"].result["diff"][0]["after"] == str(os.geteuid())
    assert run["archive"].event["properties"]["owner"] == str(os.geteuid())
    assert run["command"].result["stdout"] == "root --password root\n"
    assert run["command"].event["name"] == "echo root --password REDACTED"


def test_the_private_option_is_refused(ansible, here):
    run = ansible.play(f"- name: x\n  ignore_errors: true\n  ccm.core.exec: {{name: touch {here}/x, _hidden: e30=}}\n")
    assert "Unsupported parameters" in run["x"].msg
    assert not (here / "x").exists()


def test_options_that_are_no_properties_and_rules_hide_secrets(ansible, here):
    """What -vvv shows as invocation of tasks with rules of goss, validate, facts and addresses."""
    rule = "{'status': 200, 'username': 'u', 'password': secret ~ '2'}"
    rules = "\"{{ {'http': {'http://127.0.0.1:1/?token=' ~ secret ~ '1': " + rule + '}} }}"'
    tasks = f"""
    - name: rules
      ccm.core.file:
        name: {here}/f
        content: shown-3
        owner: "{os.geteuid()}"
        group: "{os.getegid()}"
        mode: "0644"
        validate: "true --password=SECRET4 %s"
        health_checks: [{{goss_rules: {rules}}}]
      ignore_errors: true
    - name: validate
      ccm.core.file:
        name: {here}/g
        owner: "{os.geteuid()}"
        group: "{os.getegid()}"
        mode: "0644"
        content: shown-3
        validate: "sh -c 'echo password=SECRET5; exit 1' --token SECRET6 %s"
      ignore_errors: true
    - name: facts
      ccm.core.facts_info: {{facts: {{unseen: {{password: 'SECRET7'}}}}}}
      register: found
      no_log: true
    - name: data
      ccm.core.hiera_info: {{path: "http://u:SECRET8@127.0.0.1:1/x?token=SECRET9", remote_src: true}}
      ignore_errors: true
    - name: address
      ccm.core.hiera_info: {{path: "http://u:SECRET8@127.0.0.1:1/x", facts: {{password: 'SECRET7'}}}}
      ignore_errors: true
    - name: file of data
      ccm.core.hiera_info: {{path: common.yaml, facts: {{password: 'SECRET7'}}}}
    - name: apply
      ccm.core.apply: {{path: "http://u:SECRET8@127.0.0.1:1/x"}}
      ignore_errors: true
    """
    ansible.write("files/common.yaml", "data: {port: 80}\n")
    # Ansible shows the lines of a play where a task fails, so that the secrets are in variables.
    tasks = re.sub(r"SECRET(\d)", r"{{ secret }}\1", tasks)
    run = ansible.play(tasks, "-vvv", vars={"secret": "hidden-"})
    assert "hidden-" not in run.output
    assert run["rules"].outcome == run["validate"].outcome == "failed"
    assert (here / "f").read_text() == "shown-3"
    assert not (here / "g").exists()
    assert "an address needs remote_src: true" in run["address"].msg
    assert "an address needs remote_src: true" in run["apply"].msg
    assert run["file of data"].result["data"] == {"port": 80}


def test_with_no_log_a_failure_shows_no_value(ansible, here):
    tasks = f"""
    - name: command
      ccm.core.exec: {{name: "sh -c 'echo {GIVEN} >&2; exit 1'"}}
      register: failed
    - name: kept
      ansible.builtin.assert: {{that: given in failed.reason, quiet: true}}
      no_log: false
    - name: refusal
      ccm.core.exec: {{argv: [x, '{GIVEN}']}}
    - name: validate
      ccm.core.file: {{name: {here}/x, content: '{GIVEN}', {OWN}, mode: "0600", validate: "sh -c 'cat %s; exit 1'"}}
    - name: health check
      ccm.core.exec: {{name: 'true', health_checks: [{{command: "sh -c 'echo {GIVEN}; exit 2'"}}]}}
    - name: manifest
      ccm.core.apply:
        manifest: {{ccm: {{resources: [{{exec: {{name: "sh -c 'echo ${{ Data.x }} >&2; exit 1'"}}}}]}}}}
        data: {{x: '{GIVEN}'}}
    """
    run = ansible.play(tasks, vars={"given": CANARY}, keywords="no_log: true\nignore_errors: true\n")
    assert run.outcomes.pop("kept") == "ok"
    assert sorted(set(run.outcomes.values())) == ["failed", "ok"]
    assert "the reason is hidden because of no_log" in run.output
    assert CANARY not in run.output
