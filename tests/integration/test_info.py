# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that only read, in plays: with and without check mode they return the same."""

from __future__ import annotations

import os
import subprocess

import pytest

from .conftest import SYSTEM_PYTHON

DATA = """\
hierarchy:
  merge: deep
  order: ["os:{{ lookup('facts.host.info.os') }}", "role:{{ lookup('facts.role') }}"]
data: {port: 80, system: unknown}
overrides:
  os:linux: {system: linux}
  role:web: {port: 8080}
"""


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_what_they_return(ansible, here, options):
    ansible.write("files/common.yaml", DATA)
    (here / "made").write_text("one")
    tasks = f"""
    - name: facts
      ccm.core.facts_info: {{facts: {{role: web}}}}
      register: found
    - name: one fact
      ansible.builtin.debug: {{msg: "{{{{ found.facts | ccm.core.gjson('host.info.os') }}}}"}}
    - name: data
      ccm.core.hiera_info: {{path: common.yaml, facts: {{role: web}}}}
    - name: file
      ccm.core.resource_info: {{type: file, name: {here}/made}}
    - name: command
      ccm.core.resource_info: {{type: exec, name: "true"}}
      ignore_errors: true
    - name: no file
      ccm.core.hiera_info: {{path: none.yaml}}
      ignore_errors: true
    - name: wrong file
      ccm.core.hiera_info: {{path: ../play.yml}}
      ignore_errors: true
    - name: passed by a task
      ccm.core.hiera_info: {{path: common.yaml, _document: x}}
      ignore_errors: true
    """
    run = ansible.play(tasks, *options)
    assert run["facts"].result["facts"]["host"]["info"]["hostname"] == os.uname().nodename
    assert run["one fact"].msg == "linux"
    assert run["data"].result["data"] == {"port": 8080, "system": "linux"}
    assert (run["file"].result["ensure"], run["file"].result["state"]["size"]) == ("present", 3)
    assert 'type "exec" has no state' in run["command"].msg
    assert "none.yaml" in run["no file"].msg
    assert "the document must be a map" in run["wrong file"].msg
    assert "Unsupported parameters" in run["passed by a task"].msg
    assert {task.outcome for task in run.tasks} == {"ok", "failed"}


def test_files_that_cannot_be_data(ansible):
    ansible.write("files/vault.yaml", "$ANSIBLE_VAULT;1.1;AES256\n6133\n")
    tasks = """
    - name: vault
      ccm.core.hiera_info: {path: vault.yaml}
      ignore_errors: true
    - name: manifest
      ccm.core.apply: {path: vault.yaml}
      ignore_errors: true
    - name: relative
      ccm.core.hiera_info: {path: common.yaml, remote_src: true}
      ignore_errors: true
    - name: number
      ccm.core.apply: {manifest: {ccm: {resources: [{apply: 5}]}}}
      ignore_errors: true
    """
    run = ansible.play(tasks)
    assert "A vault password or secret must be specified to decrypt" in run["vault"].msg
    assert "A vault password or secret must be specified to decrypt" in run["manifest"].msg
    assert "path must be an absolute path or an address with remote_src: true" in run["relative"].msg
    assert "not iterable" not in run["number"].msg
    assert {task.outcome for task in run.tasks} == {"failed"}


def test_missing_pyyaml_is_one_warning_for_each_host_and_play(ansible, tmp_path):
    """The node has facts in YAML, and a Python without PyYAML."""
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(tmp_path / "python")], check=True)
    ansible.write("config/choria/ccm/facts.yaml", "role: web\n")
    ansible.write("files/data.yaml", "data: {port: 80}\n")
    tasks = """
    - {name: facts, ccm.core.facts_info: {}}
    - {name: data, ccm.core.hiera_info: {path: data.yaml}}
    - {name: state, ccm.core.resource_info: {type: file, name: /etc/hostname}}
    - name: manifest
      ccm.core.apply: {manifest: {ccm: {resources: [{exec: {name: /bin/true, creates: "${ Facts.x ?? '/' }"}}]}}}
    """
    keywords = f"environment: {{XDG_CONFIG_HOME: {tmp_path}/config}}\n"
    run = ansible.play(tasks, python=f"{tmp_path}/python/bin/python", keywords=keywords)
    warnings = [text for task in run.tasks for text in task.result.get("warnings", ())]
    assert len(warnings) == 1
    assert warnings[0].startswith("localhost: Failed to unmarshal facts file file=")
    assert "install the package python3-yaml" in warnings[0]
    assert run.output.count("python3-yaml") == 1
    assert set(run.outcomes.values()) == {"ok"}
