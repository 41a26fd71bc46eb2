# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Newer versions of ansible-core, with a Debian 13 host as controller and as node: every module runs once.

On the node one version runs with the newest Python, the other with the oldest that they support.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import zipfile

import pytest

from extensions.molecule.hosts.host import ROOTS, build

from .conftest import host_with_command

ROOT = pathlib.Path(__file__).parents[2]
#: Python of Debian 13.
PYTHON = "3.13"
#: The modules with an action plugin of their own; the others have the plugin of resource_info, as service.
MODULES = sorted(path.stem for path in (ROOT / "plugins/action").glob("*.py"))
PLAY = """
- hosts: localhost
  gather_facts: false
  module_defaults:
    group/ccm.core.files:
      owner: root
      group: root
  tasks:
    - ccm.core.file: {path: /srv/f, state: present, content: "one", mode: "0644", validate: grep one %s}
      notify: refreshed
    - ccm.core.exec: /usr/bin/touch /srv/x creates=/srv/x
    - ccm.core.package: {name: [dpkg, ccm-no-such], ensure: present}
      check_mode: true
    - ccm.core.service: {name: systemd-journald, ensure: running}
    - ccm.core.archive: {name: /srv/a.tar.gz, url: http://127.0.0.1:1/a.tar.gz}
      check_mode: true
    - ccm.core.scaffold: {name: /srv/tree, source: tree, engine: go, data: {x: 1}}
    - ccm.core.apply: {path: site, data: {word: two}}
      register: applied
    - ccm.core.facts_info:
      register: facts
    - ccm.core.hiera_info: {path: data.yaml}
      register: data
    - ccm.core.resource_info: {type: file, name: /srv/f}
      register: state
    - ansible.builtin.assert:
        that:
          - applied.resources[0].msg == 'Created the file'
          - facts.facts | ccm.core.gjson('host.info.os') == 'linux'
          - "{'a': 1} | ccm.core.expr('Data.a + 1') == 2"
          - data.data.port == 80
          - lookup('ccm.core.hiera', 'port', file='data.yaml') == 80
          - state.state.owner == 'root'
  handlers:
    - name: refreshed
      ansible.builtin.include_tasks: handler.yml
"""
HANDLER = """
- ccm.core.exec: {name: sh -c 'echo $WORD > /srv/handled', refreshonly: true}
  environment: {WORD: refreshed}
"""
MANIFEST = """
data: {word: one}
ccm:
  resources:
    - file:
        - /srv/m: {ensure: present, content: "{{ Data.word }}", owner: root, group: root, mode: "0644"}
"""


@pytest.fixture(scope="module")
def trixie():
    with host_with_command("trixie") as shared:
        shared.copy_in(ROOT / "plugins", "/root/collections/ansible_collections/ccm/core/plugins")
        shared.copy_in(ROOT / "meta", "/root/collections/ansible_collections/ccm/core/meta")
        shared.copy_in(ROOT / "galaxy.yml", "/root/collections/ansible_collections/ccm/core/galaxy.yml")
        shared.write("/root/play/play.yml", PLAY)
        shared.write("/root/play/handler.yml", HANDLER)
        shared.write("/root/play/files/site/manifest.yaml", MANIFEST)
        shared.write("/root/play/files/data.yaml", "data: {port: 80}\n")
        shared.write("/root/play/templates/tree/inside", "{{ .data.x }}\n")
        yield shared


@pytest.fixture(scope="module")
def python39(trixie):
    """The path on the host of Debian 11's Python, the oldest that these versions support on nodes."""
    old = pathlib.Path("/opt/bullseye")
    build("bullseye")
    for directory in ("usr/lib/python3.9", "usr/lib/x86_64-linux-gnu", "usr/lib/python3/dist-packages/yaml"):
        trixie.copy_in(ROOTS / "bullseye" / directory, old / directory)
    trixie.copy_in(ROOTS / "bullseye/usr/bin/python3.9", old / "usr/bin/python3.9")
    loader = old / "usr/lib/x86_64-linux-gnu/ld-2.31.so"
    path = f"{old}/usr/lib/x86_64-linux-gnu"
    trixie.write(
        "/opt/python3.9", f'#!/bin/sh\nexec {loader} --library-path {path} {old}/usr/bin/python3.9 "$@"\n', 0o755
    )
    assert trixie.run(["/opt/python3.9", "-c", "import ssl, sys; print(sys.version_info[:2])"]).stdout == "(3, 9)\n"
    return "/opt/python3.9"


def unpacked(version, folder):
    """Return a folder with a version of ansible-core and what it needs, for the Python of the host."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", f"--dest={folder}/wheels"]
    chosen = [f"--python-version={PYTHON}", "--only-binary=:all:", f"ansible-core=={version}.*"]
    subprocess.run([*pip, *chosen], check=True)
    for wheel in (folder / "wheels").iterdir():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "packages")
    return folder / "packages"


def test_every_module_is_in_the_play():
    assert [name for name in (*MODULES, "service") if f"ccm.core.{name}:" not in PLAY] == []


@pytest.mark.parametrize(("version", "old"), [("2.20", False), ("2.21", True)], ids=[f"2.20-{PYTHON}", "2.21-3.9"])
def test_every_module_runs_once(trixie, tmp_path, version, old, python39):
    trixie.copy_in(unpacked(version, tmp_path), f"/root/ansible-{version}")
    trixie.run("rm -rf /srv/*")
    environment = {
        "PYTHONPATH": f"/root/ansible-{version}",
        "ANSIBLE_COLLECTIONS_PATH": "/root/collections",
        "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.default",
        "ANSIBLE_PYTHON_INTERPRETER": python39 if old else "/usr/bin/python3",
        "ANSIBLE_NOCOLOR": "1",
    }
    command = ["python3", "-m", "ansible", "playbook", "play.yml"]
    shown = trixie.run([*command, "--version"], env=environment).stdout
    assert f"[core {version}." in shown
    script = "cd /root/play && exec python3 -m ansible playbook -i localhost, -c local play.yml"
    done = trixie.run(script, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "DEPRECATION" not in done.stdout + done.stderr, done.stdout + done.stderr
    files = json.loads(
        trixie.run(
            "python3 -c 'import json, pathlib; "
            'print(json.dumps({path.name: path.read_text() for path in pathlib.Path("/srv").glob("[a-z]*") '
            "if path.is_file()}))'"
        ).stdout
    )
    assert files == {"f": "one", "handled": "refreshed\n", "m": "two", "x": ""}
    assert trixie.read("/srv/tree/inside") == "1\n"
