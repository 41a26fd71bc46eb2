# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.exec in plays: guards, handlers, output, mistakes."""

from __future__ import annotations

import itertools
import os

import yaml

OWN = f'owner: "{os.geteuid()}", group: "{os.getegid()}"'


def test_check_mode_says_what_the_run_then_does(ansible, here):
    """Each guard with each state of each other, refreshed or not: preview and run."""
    there = here / "there"
    there.touch()
    tasks = []
    guards = (None, "true", "false")
    for number, (first, second) in enumerate(itertools.product(range(3), repeat=2)):
        creates = (None, there, here / "missing")[first]
        onlyif, unless = guards[second], guards[(first + second) % 3]
        refresh = number % 4 == 3
        options = {"name": f"/bin/sh -c 'echo {number} >> {here}/log'", "refresh": refresh}
        options.update({"creates": str(creates)} if creates else {})
        options.update({name: f"/bin/{value}" for name, value in (("onlyif", onlyif), ("unless", unless)) if value})
        tasks.append((number, creates, onlyif, unless, refresh, options))
    only = [{"name": "only on refresh", "ccm.core.exec": {"name": f"/bin/touch {here}/never", "refreshonly": True}}]
    text = yaml.safe_dump(
        [{"name": str(number), "ccm.core.exec": options} for number, *_guards, options in tasks] + only
    )
    preview = ansible.play(text, "--check")
    assert not (here / "log").exists()
    run = ansible.play(text)
    ran = (here / "log").read_text("utf-8").split()
    for number, creates, onlyif, unless, refresh, _options in tasks:
        wanted = refresh or not (creates == there or onlyif == "false" or unless == "true")
        said, task = preview[str(number)], run[str(number)]
        assert said.outcome == task.outcome == ("changed" if wanted else "ok")
        assert (str(number) in ran) == wanted
        message = (
            "Would have executed via subscribe" if refresh else "Would have executed" if wanted else "Nothing to do"
        )
        assert said.msg == message
        assert task.msg == {"Would have executed via subscribe": "Executed via subscribe"}.get(
            message, message.replace("Would have executed", "Executed")
        )
        assert task.event["refreshed"] == said.event["refreshed"] == refresh
    assert run.outcomes["only on refresh"] == preview.outcomes["only on refresh"] == "ok"
    assert not (here / "never").exists()


def test_a_handler_runs_whatever_the_guards_say(ansible, here):
    """notify of a changed file runs the command once; an unchanged file does not."""
    tasks = f"""
    - name: first
      ccm.core.file: {{name: {here}/a, ensure: present, content: x, {OWN}, mode: "0600"}}
      notify: rebuild
    - name: second
      ccm.core.file: {{name: {here}/b, ensure: present, content: x, {OWN}, mode: "0600"}}
      notify: rebuild
    """
    handlers = f"""
    - name: rebuild
      ccm.core.exec:
        name: rebuild
        command: /bin/sh -c 'echo built >> {here}/log'
        creates: {here}
        refreshonly: true
        refresh: true
    """
    preview = ansible.play(tasks, "--check", handlers=handlers)
    assert preview["rebuild"].msg == "Would have executed via subscribe"
    run = ansible.play(tasks, handlers=handlers)
    assert run["rebuild"].outcome == "changed"
    assert run["rebuild"].event["refreshed"] is True
    assert (here / "log").read_text("utf-8") == "built\n"
    again = ansible.play(tasks, handlers=handlers)
    assert again.outcomes == {"first": "ok", "second": "ok"}


def test_output_environment_and_failures(ansible, here):
    """What commands see, what they say, and how they fail: in one message each."""
    cases = {
        "environment": ("command: /usr/bin/env, environment: [A=1], logoutput: true", "changed", ""),
        "directory": (f"command: pwd, cwd: {here}, logoutput: true", "changed", ""),
        "shell": ("command: 'echo a | tr a b', provider: shell, logoutput: true", "changed", ""),
        "allowed": ("command: \"/bin/sh -c 'exit 3'\", returns: [0, 3]", "changed", ""),
        "exit": (
            "command: \"/bin/sh -c 'echo why >&2; exit 3'\"",
            "failed",
            "failed to reach desired state: exit code 3: exit code 3 not in allowed returns [0]: why",
        ),
        "missing": ("command: no-such-command", "failed", "no-such-command"),
        "no directory": ("command: pwd, cwd: /no/such", "failed", "/no/such"),
        "timeout": ("command: sleep 20, timeout: 200ms", "failed", "exec#timeout: "),
        "killed": ("command: \"/bin/sh -c 'kill -9 $$'\"", "failed", "signal: killed"),
        "bad timeout": ("timeout: soon", "failed", 'invalid duration (timeout: "soon"); write a duration like 10s'),
        "number": ("timeout: 10", "failed", "duration"),
        "variable": ("environment: [A]", "failed", "invalid environment variable \"A\": missing '='"),
        "fraction": ("environment: [1.5]", "failed", "environment must be text, but YAML reads the number 1.5"),
        "path": ("path: bin", "failed", 'invalid path: "bin" is not an absolute path'),
        "guard": ("onlyif: no-such-guard", "failed", "no-such-guard"),
        "quote": ('command: "echo \'open"', "failed", "Unterminated single-quoted string"),
        "unknown": ("restart: true", "failed", "Unsupported parameters for (ccm.core.exec)"),
        "not of plays": ("subscribe: [file#/x]", "failed", "subscribe is for manifests: give the other task notify"),
        "no text": ("command: true", "failed", "command must be text, but YAML reads the boolean true"),
    }
    tasks = "".join(
        f"- name: {name}\n  ignore_errors: true\n  environment: {{LEAK: leaked, A: 0}}\n"
        f"  ccm.core.exec: {{name: {name.replace(' ', '-')}, {options}}}\n"
        for name, (options, _outcome, _expected) in cases.items()
    )
    run = ansible.play(tasks)
    for name, (_options, outcome, expected) in cases.items():
        assert run[name].outcome == outcome, run[name]
        assert expected in run[name].msg, run[name]
    assert "A=1" in run["environment"].result["log"]
    assert "LEAK=leaked" in run["environment"].result["log"]
    assert run["directory"].result["log"] == [str(here)]
    assert run["shell"].result["log"] == ["b"]
    assert run["allowed"].event["status"]["exitcode"] == 3


def test_the_environment_of_plays_blocks_and_tasks(ansible, here):
    """The nearest wins, the option of the module above all; other variables of the node do not reach the command."""
    (here / "show").write_text("echo $A $B $C $D $E ${HOME-none} ${#DB_PASSWORD}", encoding="utf-8")
    shown = f"command: /bin/sh {here}/show"
    tasks = f"""
    - environment: {{B: block, C: block, D: block, E: block}}
      block:
        - name: nearest
          ccm.core.exec: {{name: nearest, {shown}, environment: [D=option, E=option]}}
          environment: {{C: task, D: task, E: "{{{{ value }}}}", DB_PASSWORD: "{{{{ password }}}}"}}
        - name: checked
          ccm.core.exec:
            {{name: checked, {shown}, health_checks: [{{goss_rules: {{file: {{/: {{exists: true}}}}}}}}]}}
          environment: {{DB_PASSWORD: "{{{{ password }}}}"}}
        - name: failing
          ccm.core.exec: {{name: "sh -c 'exit 3'"}}
          environment: {{DB_PASSWORD: "{{{{ password }}}}"}}
          ignore_errors: true
    """
    given = {"value": "v", "password": "canary-0815"}
    run = ansible.play(tasks, vars=given, keywords="environment: {A: play, B: play, E: 1, N: 2}\n")
    assert run["nearest"].result["stdout"] == "play block task option option none 11\n"
    assert run["checked"].result["stdout"] == "play block block block block none 11\n"
    assert run["nearest"].event["properties"]["environment"] == ["D=option", "E=option"]
    assert "environment" not in run["checked"].event["properties"]
    for task in run.tasks:
        assert "canary" not in str(task.result), task
    assert "canary" not in run.output


def test_ad_hoc(ansible, here):
    """Lists and booleans as text."""
    run = ansible.ad_hoc(
        "ccm.core.exec", f"name='/bin/sh -c \"exit 4\"' returns=0,4 creates={here}/x refreshonly=false"
    )
    assert [task.outcome for task in run.tasks] == ["changed"]
    assert run.tasks[0].event["properties"]["returns"] == [0, 4]
    run = ansible.ad_hoc("ccm.core.exec", f"name=/bin/false creates={here} refresh_only=yes")
    assert [task.outcome for task in run.tasks] == ["ok"]
    run = ansible.ad_hoc("ccm.core.exec", "name=/bin/false")
    assert (run.returncode, [task.outcome for task in run.tasks]) == (2, ["failed"])


def test_the_command_in_free_form(ansible, here):
    tasks = f"""
    - name: free
      ccm.core.exec: /usr/bin/touch {here}/made creates={here}/made
    - name: again
      ccm.core.exec: /usr/bin/touch {here}/made
      args: {{creates: {here}/made}}
    - name: unknown
      ccm.core.exec: /usr/bin/env A=1
      ignore_errors: true
    """
    run = ansible.play(tasks)
    assert (run["free"].outcome, run["again"].outcome, run["unknown"].outcome) == ("changed", "ok", "failed")
    assert run["free"].event["name"] == f"/usr/bin/touch {here}/made"
    assert "A= in the free form of a command is taken as an option: " in run["unknown"].msg
    done = ansible.ad_hoc("ccm.core.exec", f"/usr/bin/touch {here}/more creates={here}/more")
    assert (done.returncode, (here / "more").exists()) == (0, True)
