# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.apply in plays: manifests of the controller, trees, inline manifests and manifests of the node."""

from __future__ import annotations

import grp
import os
import pwd
import re
import subprocess

import pytest

from tests.unit.layout import PYTHON38_ENV

USER = pwd.getpwuid(os.geteuid()).pw_name
GROUP = grp.getgrgid(os.getegid()).gr_name
OWN = f"owner: {USER}, group: {GROUP}"


def manifest(here, mode="0640"):
    return f"""
    # a manifest
    data:
      # @require
      greeting: hello
      port: 80
    hierarchy:
      order: ["role:{{{{ lookup('facts.role') }}}}"]
    overrides:
      "role:web":
        port: 8080
    ccm:
      pre_message: "to {{{{ Facts.role ?? 'none' }}}}"
      post_message: done
      resources:
        - file:
            - {here}/conf:
                ensure: present
                {OWN.replace(", ", chr(10) + "                ")}
                mode: {mode}
                content: "{{{{ Data.greeting }}}} ${{ Data.port }}\\n"
        - exec:
            - rebuild:
                command: /bin/sh -c 'echo built >> {here}/log'
                refreshonly: true
                subscribe: ["file#{here}/conf"]
    """


def test_a_manifest_of_the_controller(ansible, here):
    """Preview, run, run again; data and facts come in; the diff shows what files will hold."""
    ansible.write("files/site.yaml", manifest(here))
    tasks = """
    - name: plain
      ccm.core.apply: {path: site.yaml}
    """
    preview = ansible.play(tasks, "--check", "--diff")["plain"]
    assert list(here.iterdir()) == []
    assert preview.outcome == "changed", preview
    assert preview.msg == "2 of 2 resources would change"
    assert [each["msg"] for each in preview.result["resources"]] == [
        "Would have created the file",
        "Would have executed via subscribe",
    ]
    assert preview.result["diff"][0]["after"] == "hello 80\n"
    run = ansible.play(tasks)["plain"]
    assert (run.outcome, run.msg) == ("changed", "2 of 2 resources changed")
    assert run.result["pre_message"] == "to none"
    assert run.result["post_message"] == "done"
    assert run.result["summary"]["changed_resources"] == 2
    assert (here / "conf").read_text("utf-8") == "hello 80\n"
    assert oct((here / "conf").stat().st_mode)[-4:] == "0640"
    ansible.write("files/over.yaml", "data: {greeting: over, port: 2}\n")
    again = ansible.play(
        """
        - name: again
          ccm.core.apply: {path: site.yaml}
        - name: facts and data
          ccm.core.apply: {path: site.yaml, facts: {role: web}, data: {greeting: "{{ word }}"}}
        - name: same data as text
          ccm.core.apply: {path: site.yaml, facts: {role: web}, data: {greeting: good day}}
        - name: hiera
          ccm.core.apply: {path: site.yaml, hiera: over.yaml, data: {port: 1}}
        """,
        "--diff",
        vars={"word": "good day"},
    )
    assert (again["again"].outcome, again["again"].msg) == ("ok", "0 of 2 resources changed")
    assert again["facts and data"].outcome == "changed"
    assert again["facts and data"].result["pre_message"] == "to web"
    assert again["facts and data"].result["diff"][0]["before"] == "hello 80\n"
    assert again["facts and data"].result["diff"][0]["after"] == "good day 8080\n"
    assert again["same data as text"].outcome == "ok"
    assert again["hiera"].outcome == "changed"
    assert (here / "conf").read_text("utf-8") == "over 1\n"
    assert (here / "log").read_text("utf-8") == "built\n" * 3


def test_a_directory_with_a_manifest(ansible, here, python_with_yaml):
    """It is sent to the node with its files, small or large, and is removed there after the task."""
    text = f"""
    ccm:
      resources:
        - file:
            - defaults: {{ensure: present, {OWN}, mode: "0644"}}
            - {here}/copied: {{source: parts/source.txt}}
            - {here}/read: {{content: "{{{{ readFile('parts/source.txt') }}}}"}}
            - {here}/where: {{content: "{{{{ Environ.PLACE }}}}"}}
    """
    for name, extra in (("small", b"x"), ("large", os.urandom(1_300_000))):
        ansible.write(f"files/{name}/manifest.yaml", text)
        ansible.write(f"files/{name}/parts/source.txt", f"{name} part\n")
        ansible.write(f"files/{name}/.env", f"PLACE={name}\n")
        ansible.write(f"files/{name}/.git/config", "not sent")
        ansible.write(f"files/{name}/blob", extra)
        (ansible.folder / f"files/{name}/link.txt").symlink_to("parts/source.txt")
        (ansible.folder / f"files/{name}/round").symlink_to(".")
    ansible.write("files/hollow/other.yaml", "ccm: {}\n")
    tmp = ansible.folder / "tmp"
    tmp.mkdir()
    tasks = """
    - name: small
      ccm.core.apply: {path: small}
    - name: small again
      ccm.core.apply: {path: small}
    - name: large
      ccm.core.apply: {path: large, events: true}
    - name: no manifest
      ignore_errors: true
      ccm.core.apply: {path: hollow}
    """
    run = ansible.play(tasks, keywords=f"environment: {{TMPDIR: {tmp}}}\n", python=python_with_yaml)
    assert run.outcomes == {"small": "changed", "small again": "ok", "large": "changed", "no manifest": "failed"}
    assert "without a manifest.yaml" in run["no manifest"].msg
    assert (here / "copied").read_text("utf-8") == (here / "read").read_text("utf-8") == "large part\n"
    assert (here / "where").read_text("utf-8") == "large"
    assert run["large"].result["events"][0]["properties"]["source"] == "parts/source.txt"
    assert list(tmp.iterdir()) == []


def test_inline(ansible, here):
    """Ansible resolves its templates first; a mode that YAML read as a number becomes octal text again."""
    tasks = f"""
    - name: inline
      ccm.core.apply:
        data: {{port: 81}}
        manifest:
          data: {{port: 80, share: 0.5}}
          ccm:
            resources:
              - file:
                  - defaults: {{ensure: present, {OWN}, mode: 0640}}
                  - {here}/a: {{content: "{{{{ word }}}} ${{Data.port}} ${{Data.share}}"}}
              - file: {{name: {here}/b, ensure: present, {OWN}, mode: "0640", content: "b"}}
    - name: decimal mode
      ignore_errors: true
      ccm.core.apply:
        manifest: {{ccm: {{resources: [{{file: [{{{here}/c: {{ensure: present, {OWN}, mode: 640}}}}]}}]}}}}
    - name: fraction
      ignore_errors: true
      ccm.core.apply:
        manifest:
          ccm: {{resources: [{{file: {{name: {here}/c, ensure: present, {OWN}, mode: "0640", content: 1.10}}}}]}}
    - name: misspelt
      ignore_errors: true
      ccm.core.apply:
        manifest: {{ccm: {{resources: [{{file: [{{{here}/c: {{ensure: present, {OWN}, mod: "0640"}}}}]}}]}}}}
    - name: empty
      ignore_errors: true
      ccm.core.apply: {{manifest: {{}}}}
    - name: both
      ignore_errors: true
      ccm.core.apply: {{manifest: {{}}, path: x}}
    - name: neither
      ignore_errors: true
      ccm.core.apply: {{data: {{}}}}
    - name: not a mapping
      ignore_errors: true
      ccm.core.apply: {{manifest: "text"}}
    """
    run = ansible.play(tasks, vars={"word": "hello"})
    assert run["inline"].outcome == "changed", run["inline"]
    assert (here / "a").read_text("utf-8") == "hello 81 0.5"
    assert oct((here / "a").stat().st_mode)[-4:] == "0640"
    message = 'mode must be text from "0000" to "7777", but YAML reads the number 640: quote it'
    assert f"file#{here}/c: {message}" in run["decimal mode"].msg
    assert f"file#{here}/c: content must be text" in run["fraction"].msg
    assert 'unknown property "mod" in file, did you mean "mode"?' in run["misspelt"].msg
    assert "mutually exclusive: path|manifest" in run["both"].msg
    assert "one of the following is required: path, manifest" in run["neither"].msg
    failing = ("decimal mode", "fraction", "misspelt", "empty", "both", "neither", "not a mapping")
    assert [run.outcomes[name] for name in failing] == ["failed"] * len(failing)
    assert not (here / "c").exists()


def test_a_manifest_of_the_node(ansible, here):
    """The node reads the YAML; without PyYAML one error names the file and the package to install."""
    text = f"ccm: {{resources: [{{file: {{name: {here}/x, ensure: present, {OWN}, mode: '0600', content: x}}}}]}}\n"
    path = ansible.write("node/manifest.yaml", text)
    ansible.write("files/manifest.yaml", text)
    ansible.write("blind/yaml/__init__.py", "raise ImportError('hidden')\n")
    blind = f"environment: {{PYTHONPATH: {ansible.folder}/blind}}"
    tasks = f"""
    - name: file
      ccm.core.apply: {{path: {path}, remote_src: true}}
    - name: directory
      ccm.core.apply: {{path: {path.parent}, remote_src: true}}
    - name: missing
      ignore_errors: true
      ccm.core.apply: {{path: /no/such/manifest.yaml, remote_src: true}}
    - name: without PyYAML
      ignore_errors: true
      {blind}
      ccm.core.apply: {{path: {path}, remote_src: true}}
    - name: from the controller without PyYAML
      {blind}
      ccm.core.apply: {{path: manifest.yaml}}
    """
    run = ansible.play(tasks)
    assert run.outcomes == {
        "file": "changed",
        "directory": "ok",
        "missing": "failed",
        "without PyYAML": "failed",
        "from the controller without PyYAML": "ok",
    }
    assert "open /no/such/manifest.yaml: no such file or directory" in run["missing"].msg
    assert str(path) in run["without PyYAML"].msg
    assert "python3-yaml" in run["without PyYAML"].msg


def test_failures_and_mistakes(ansible, here):
    """A failed resource fails the task after the others have run; the message of a mistake has its position."""
    failing = "".join(f"- exec: {{name: /bin/false {number}}}\n        " for number in range(7))
    ansible.write(
        "files/failing.yaml",
        f"""
        ccm:
          post_message: never
          resources:
        {failing}
            - file: {{name: {here}/after, ensure: present, {OWN}, mode: "0644"}}
        """.replace("\n        - exec", "\n            - exec"),
    )
    mistakes = {
        "tab": ("ccm:\n\tresources: []\n", "tab.yaml:2:1"),
        "key": ("ccm:\n  resorces: []\n", 'key.yaml:2:3: unknown key "resorces" in ccm, did you mean "resources"?'),
        "type": ("ccm:\n  resources:\n    - fil:\n        name: /x\n", "type.yaml:3:7"),
        "property": (
            "ccm:\n  resources:\n    - file:\n        - /x:\n            ensure: present\n            contnt: x\n",
            'property.yaml:6:13: file#/x: invalid manifest resource 1: unknown property "contnt" in file',
        ),
        "mode": (
            f"ccm:\n  resources:\n    - file:\n        - /x: {{ensure: present, {OWN}, mode: 14755}}\n",
            'mode "14755" exceeds maximum value 7777',
        ),
        "expression": (
            f"ccm:\n  resources:\n    - file:\n        - /{{{{ 1 + }}}}: {{ensure: present, {OWN}, mode: '0600'}}\n",
            "expr compile error",
        ),
        "required": ("data:\n  # @require\n  user: ''\nccm:\n  resources:\n    - exec: {name: /bin/true}\n", "user"),
        "duplicate": ("ccm:\n  resources: []\nccm:\n  resources: []\n", "duplicate.yaml:3:1"),
    }
    tasks = "- name: failing\n  ignore_errors: true\n  ccm.core.apply: {path: failing.yaml}\n"
    for name, (text, _expected) in mistakes.items():
        (ansible.folder / f"files/{name}.yaml").write_text(text, encoding="utf-8")
        tasks += f"- name: {name}\n  ignore_errors: true\n  ccm.core.apply: {{path: {name}.yaml}}\n"
    run = ansible.play(tasks)
    failed = run["failing"]
    assert failed.outcome == "failed"
    assert failed.msg.startswith("7 of 8 resources failed: failing.yaml:")
    assert failed.msg.count("exec#/bin/false ") == 5
    assert failed.msg.endswith("; and 2 more, see resources")
    assert "exit code 1 not in allowed returns [0]" in failed.msg
    assert len(failed.result["resources"]) == 8
    assert "events" not in failed.result
    assert "post_message" not in failed.result
    assert (here / "after").exists()
    for name, (_text, expected) in mistakes.items():
        assert run[name].outcome == "failed"
        assert expected in run[name].msg, run[name]


def test_secrets_stay_secret(ansible, here):
    """Neither the manifest nor its data are shown at -vvv, and a secret of a property nowhere."""
    ansible.write(
        "files/secret.yaml",
        f"""
        data:
          hidden: deep-in-the-data
        ccm:
          resources:
            - file: {{name: {here}/x, ensure: present, {OWN}, mode: "0600", content: plain}}
            - archive:
                name: /no/such/place/a.tgz
                ensure: present
                url: http://user:url-secret@127.0.0.1:9/a.tgz
                username: user
                password: "{{{{ Data.vaulted }}}}"
                {OWN.replace(", ", chr(10) + "                ")}
        """,
    )
    run = ansible.play(
        """
        - name: secret
          ignore_errors: true
          ccm.core.apply: {path: secret.yaml, data: {vaulted: '{{ word }}'}, events: true}
        """,
        "-vvv",
        vars={"word": "from-the-vault"},
    )
    shown = run.output.split("TASK [secret]")[1]
    for secret in ("url-secret", "from-the-vault", "deep-in-the-data"):
        assert secret not in shown
    assert "events" in run["secret"].result, run["secret"]
    assert run["secret"].result["events"][0]["changed"] is True


@pytest.mark.needs("python3.8")
def test_the_oldest_python_of_nodes(ansible, here):
    """Everything that is sent runs on Python 3.8."""
    found = subprocess.run(
        ["python3.8", "-c", "import sys; print(sys.executable)"],
        env=PYTHON38_ENV,
        capture_output=True,
        text=True,
        check=True,
    )
    ansible.write("files/site.yaml", manifest(here))
    tasks = f"""
    - name: apply
      ccm.core.apply: {{path: site.yaml}}
    - name: file
      ccm.core.file: {{name: {here}/x, ensure: present, {OWN}, mode: "0600", content: x}}
    - name: exec
      ccm.core.exec: {{name: /bin/true, onlyif: /bin/true}}
    """
    run = ansible.play(tasks, "--diff", python=found.stdout.strip())
    assert run.outcomes == {"apply": "changed", "file": "changed", "exec": "changed"}


def round_trips(run):
    """How often the controller turned to the node: commands and transfers."""
    return len(re.findall(r"^<localhost> (?:EXEC|PUT) ", run.output, re.MULTILINE))


def test_a_large_source_that_the_node_has_is_not_sent(ansible, here):
    """It is asked for once, and the result is as if everything had been sent."""
    blob = os.urandom(1_500_000)
    ansible.write("files/site/blob", blob)
    ansible.write("files/site/small.txt", "small\n")
    text = f"""
    ccm:
      resources:
        - file:
            - defaults: {{ensure: present, {OWN}, mode: "0644"}}
            - {here}/blob: {{source: blob}}
            - {here}/small: {{source: small.txt}}
    """
    ansible.write("files/site/manifest.yaml", text)
    tasks = """
    - name: apply
      ccm.core.apply: {path: site}
    """
    first, second = ansible.play(tasks, "-vvv"), ansible.play(tasks, "-vvv")
    assert [run["apply"].msg for run in (first, second)] == ["2 of 2 resources changed", "0 of 2 resources changed"]
    assert "tree.tar.gz" in first.output
    assert "tree.tar.gz" not in second.output
    question = 1
    assert round_trips(second) <= round_trips(first) + question
    (here / "blob").write_bytes(b"other")
    third = ansible.play(tasks, "-vvv")
    assert third["apply"].msg == "1 of 2 resources changed"
    assert "tree.tar.gz" in third.output
    assert (here / "blob").read_bytes() == blob


def test_the_first_failure_ends_the_run_on_request(ansible, here):
    tasks = """
    - name: apply
      ignore_errors: true
      ccm.core.apply:
        fail_on_error: true
        manifest: {ccm: {resources: [{exec: {name: "false"}}, {exec: {name: "true"}}]}}
    """
    result = ansible.play(tasks)["apply"].result
    assert [found["outcome"] for found in result["resources"]] == ["failed"]
