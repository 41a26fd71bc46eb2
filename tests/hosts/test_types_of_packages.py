# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide for authors of types on booted hosts: its package and its collection, built, installed and used.

The test kit also checks the providers for packages and services here, because they need a host.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

from extensions.molecule.hosts.host import HostError

from .aptrepo import Deb, register

EXAMPLES = pathlib.Path(__file__).parents[2] / "docs/examples"
BIN = pathlib.Path(sys.executable).parent
MANIFEST = """
ccm:
  resources:
    - account:
        - carol: {ensure: present, uid: "4712", groups: [daemon], shell: /bin/sh, managehome: true}
    - file:
        - /home/carol/hello: {ensure: present, content: hello, owner: carol, group: carol, mode: "0600"}
"""
TASK = """
- name: module
  acme.web.account: {name: dave, uid: "4713", shell: /bin/sh, managehome: true}
  diff: true
- name: manifest
  ccm.core.apply:
    types: [acme.web]
    manifest: {ccm: {resources: [{account: {name: erin, ensure: present, comment: Erin}}]}}
"""
CHECK = """
import sys; sys.path[:0] = sys.argv[1:]
from ccm.testing import check_provider
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The directory of modules of the package ccm-account, from its wheel."""
    scratch = tmp_path_factory.mktemp("package")
    shutil.copytree(EXAMPLES / "ccm-account", scratch / "source")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--wheel-dir", scratch, scratch / "source"], check=True)
    with zipfile.ZipFile(next(scratch.glob("*.whl"))) as wheel:
        wheel.extractall(scratch / "modules")
    return scratch / "modules"


@pytest.fixture
def with_collection(collections, tmp_path, monkeypatch):
    """A function that runs a program of Ansible with the collections ccm.core, and acme.web from its tarball."""
    scratch = tmp_path / "collection"
    shutil.copytree(EXAMPLES / "acme-web/ansible_collections/acme/web", scratch / "source")
    environment = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": f"{collections}:{scratch}", "ANSIBLE_NOCOLOR": "1"}

    def run(*command):
        program, *words = map(str, command)
        done = subprocess.run([BIN / program, *words], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("ansible-galaxy", "collection", "build", scratch / "source", "--output-path", scratch)
    tarball = next(scratch.glob("*.tar.gz"))
    run("ansible-galaxy", "collection", "install", tarball, "--no-deps", "-p", scratch)
    return run, f"{collections}:{scratch}"


def place(host):
    return host.run("python3 -c 'import ccm, os; print(os.path.dirname(os.path.dirname(ccm.__file__)))'").stdout.strip()


def test_the_package_of_the_guide(host, package):
    host.copy_in(package, place(host))
    listed = [line.split() for line in host.run("ccm types").stdout.splitlines()]
    assert ["account", "the", "package", "ccm-account", "1.0.0", "useradd"] in listed
    host.write("/root/manifest.yaml", MANIFEST)
    assert "nothing found" in host.run("ccm lint manifest.yaml").stdout
    noop = host.run("ccm apply manifest.yaml --noop --diff --no-report").stdout
    assert "noop=Would have created the user" in noop
    assert "+uid: 4712" in noop
    assert host.run("id carol", check=False).returncode != 0
    run = host.run("ccm apply manifest.yaml").stdout
    assert "account#carol changed" in run
    assert host.run("id -u carol; id -nG carol; cat /home/carol/hello").stdout == "4712\ncarol daemon\nhello"
    again = host.run("ccm apply manifest.yaml").stdout
    assert ("account#carol stable" in again, "Changed Resources: 0" in again) == (True, True), again
    ensured = host.run("ccm ensure account carol --shell /bin/bash --uid 4712").stdout
    assert "account#carol changed" in ensured
    status = json.loads(host.run("ccm status account carol --json").stdout)
    assert (status["uid"], status["shell"], status["groups"]) == ("4712", "/bin/bash", ["daemon"])
    schema = json.loads(host.run("ccm types --schema manifest").stdout)
    assert "managehome" in schema["$defs"]["account_properties"]["properties"]
    assert "--managehome" in host.run("ccm --completion-bash ensure account --").stdout.split()
    assert "account#carol changed" in host.run("ccm ensure account carol absent --managehome").stdout
    assert host.run("id carol; ls /home", check=False).stdout == ""
    host.run(f"rm -r {place(host)}/ccm_account*")


def test_the_collection_of_the_guide(bookworm, ansible, with_collection):
    run, path = with_collection
    plays = ansible.on(bookworm)
    plays._collections = path
    preview = plays.play(TASK, "--check")
    assert set(preview.outcomes.values()) == {"changed"}, preview.output
    assert preview["module"].msg == "Would have created the user"
    assert preview["module"].result["diff"][0]["after"]["uid"] == "4713"
    assert bookworm.run("id dave; id erin", check=False).stdout == ""
    done = plays.play(TASK)
    assert set(done.outcomes.values()) == {"changed"}, done.output
    assert bookworm.run("getent passwd dave erin | cut -d: -f 1,3,5").stdout.splitlines()[0] == "dave:4713:"
    again = plays.play(TASK)
    assert set(again.outcomes.values()) == {"ok"}, again.output
    assert "Creates, changes and removes local users" in run("ansible-doc", "acme.web.account")


def check(host, imports, steps):
    host.write("/root/check.py", CHECK + f"{imports}\ncheck_provider(TYPE, {steps!r})\n")
    host.run(["python3", "/root/check.py", "/root/modules"])


def test_the_provider_of_the_guide_fulfils_the_contract(host, package):
    host.copy_in(package, "/root/modules")
    steps = [
        {"name": "alice", "ensure": "present", "uid": "4711", "comment": "Alice", "managehome": True},
        {"name": "alice", "ensure": "present", "shell": "/bin/sh", "groups": ["daemon"]},
        {"name": "alice", "ensure": "absent", "managehome": True},
    ]
    check(host, "from ccm_account import TYPE", steps)


def test_the_provider_of_services_fulfils_the_contract(host):
    unit = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target graphical.target\n"
    host.write("/lib/systemd/system/kit.service", unit)
    # One of the two links of [Install] is missing.
    host.run("systemctl add-wants multi-user.target kit; systemctl daemon-reload")
    steps = [
        {"name": "kit", "ensure": "running"},
        {"name": "kit", "ensure": "running", "enable": True, "meta": {"refresh": "reload"}},
        {"name": "kit", "ensure": "stopped", "enable": False},
        {"name": "kit", "ensure": "stopped", "enable": True},
        {"name": "kit", "ensure": "stopped", "enable": "mask"},
    ]
    # Only an undo needs the other verb (test_service_states.py).
    with pytest.raises(HostError, match="AssertionError: no step needed the verb unmask: add one that does"):
        check(host, "from ccm.resources.service.type import TYPE", steps)


def test_the_provider_of_packages_fulfils_the_contract(host):
    register(host, [Deb("kit", "1"), Deb("kit", "2"), Deb("kit", "3")])
    steps = [
        {"name": "kit", "ensure": "2"},
        {"name": "kit", "ensure": "1"},
        {"name": "kit", "ensure": "2"},
        {"name": "kit", "ensure": "latest"},
        {"name": "kit", "ensure": "absent"},
        {"name": "kit", "ensure": "present"},
        {"name": "kit", "ensure": "present", "mark": "hold"},
        {"name": "kit", "ensure": "present", "mark": "none"},
        {"name": "kit", "ensure": "purged"},
    ]
    check(host, "from ccm.resources.package.type import TYPE", steps)
