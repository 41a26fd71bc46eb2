# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks run against this machine or a test host, with the checkout as the collection."""

from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest
import yaml

from tests.patience import LIMIT

ROOT = pathlib.Path(__file__).parents[2]
BIN = pathlib.Path(sys.executable).parent
# The Python of the system, as on nodes; PyYAML may be missing. Every user can run it.
SYSTEM_PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
# Settings in which the tests differ from the defaults of Ansible.
SETTINGS = {"ANSIBLE_PYTHON_INTERPRETER": "{python}", "ANSIBLE_PIPELINING": "true"}
TRACEBACK = re.compile(r"Traceback \(most recent call last\)|MODULE FAILURE|Module result deserialization failed")


class Task:
    """What came of one task: `outcome` is ok, changed, failed or skipped, `result` what the module gave."""

    def __init__(self, recorded):
        self.name = recorded["task"]
        self.outcome = recorded["outcome"]
        self.result = recorded["result"]

    def __repr__(self):
        return f"{self.name}: {self.outcome}: {self.msg}"

    @property
    def msg(self):
        return self.result.get("msg", "")

    @property
    def event(self):
        return self.result["event"]


class Run:
    """One run of ansible-playbook or ansible."""

    def __init__(self, done, record):
        self.returncode = done.returncode
        self.output = done.stdout + done.stderr
        lines = record.read_text("utf-8").splitlines() if record.exists() else []
        self.tasks = [Task(json.loads(line)) for line in lines]

    def __getitem__(self, name):
        found = [task for task in self.tasks if task.name == name]
        if len(found) != 1:
            raise KeyError(
                f"{len(found)} results of {name}; there are {[task.name for task in self.tasks]}\n{self.output}"
            )
        return found[0]

    @property
    def outcomes(self):
        return {task.name: task.outcome for task in self.tasks}


class Ansible:
    """Runs plays in a directory of its own, `folder`, against this machine or a booted host (tests/hosts)."""

    def __init__(self, folder, collections, runs=None, host=None, settings=None):
        self.folder = folder
        self._settings = SETTINGS if settings is None else settings
        self._collections = collections
        self._runs = runs or itertools.count(1)
        self._host = host

    def on(self, host):
        """The same for plays against a booted host."""
        return Ansible(self.folder, self._collections, self._runs, host)

    def with_default_settings(self):
        """The same without the settings that make plays faster or choose the Python of the node."""
        return Ansible(self.folder, self._collections, self._runs, self._host, {})

    def write(self, path, content):
        """A file below the folder; text is dedented."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(textwrap.dedent(content), encoding="utf-8")
        return target

    def play(self, tasks, *options, handlers="", python=sys.executable, vars=None, keywords=""):
        """Run tasks (YAML text) as a play."""
        text = "- hosts: all\n  gather_facts: false\n" + textwrap.indent(textwrap.dedent(keywords), "  ")
        text += "  tasks:\n" + textwrap.indent(textwrap.dedent(tasks), "    ")
        if handlers:
            text += "  handlers:\n" + textwrap.indent(textwrap.dedent(handlers), "    ")
        self.write("play.yml", "---\n" + text)
        given = ["-e", json.dumps(vars)] if vars else []
        return self._run(["ansible-playbook", *given, *options, "play.yml"], python)

    def book(self, path, *options):
        """Run a playbook that was written."""
        return self._run(["ansible-playbook", *options, path], sys.executable)

    def ad_hoc(self, module, arguments, *options):
        """Run one module as `ansible -m` does."""
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return self._run(["ansible", "all", "-m", module, "-a", text, *options], sys.executable)

    def _where(self):
        """Write the inventory; returns the variables of the environment that a node without a host needs."""
        node = {"ansible_connection": "local"}
        if self._host:
            node = {"ansible_connection": "ccm.core.nspawn", "ansible_nspawn_leader": str(self._host.leader_file)}
        self.write(
            "inventory.yml", json.dumps({"all": {"hosts": {self._host.name if self._host else "localhost": node}}})
        )
        if self._host:
            return {}
        return {"ANSIBLE_REMOTE_TEMP": str(self.folder / "node"), "ANSIBLE_ASYNC_DIR": str(self.folder / "async")}

    def _run(self, command, python):
        record = self.folder / f"record-{next(self._runs)}.jsonl"
        python = SYSTEM_PYTHON if self._host else python
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ},
            "LC_ALL": "C.UTF-8",
            "ANSIBLE_COLLECTIONS_PATH": str(self._collections),
            "ANSIBLE_CONFIG": str(self.write("ansible.cfg", "")),
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_DEPRECATION_WARNINGS": "true",
            "ANSIBLE_LOCAL_TEMP": str(self.folder / "controller"),
            **self._where(),
            **{name: value.format(python=python) for name, value in self._settings.items()},
            "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests/integration/callback_plugins"),
            "ANSIBLE_CALLBACKS_ENABLED": "record",
            "ANSIBLE_LOAD_CALLBACK_PLUGINS": "true",
            "CCM_RECORD": str(record),
        }
        done = subprocess.run(
            [str(BIN / command[0]), *command[1:], "-i", "inventory.yml"],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        run = Run(done, record)
        assert not TRACEBACK.search(run.output), run.output
        assert "DEPRECATION WARNING" not in run.output, run.output
        return run


@pytest.fixture(scope="session")
def collections(tmp_path_factory):
    """A directory in which Ansible finds the checkout as the collection ccm.core."""
    place = tmp_path_factory.mktemp("collections")
    (place / "ansible_collections/ccm").mkdir(parents=True)
    (place / "ansible_collections/ccm/core").symlink_to(os.environ.get("CCM_TEST_COLLECTION", ROOT))
    return place


@pytest.fixture(scope="session")
def python_with_yaml(tmp_path_factory):
    """A Python with PyYAML and nothing of ours, whether the system's own has it or not."""
    folder = tmp_path_factory.mktemp("python")
    subprocess.run([SYSTEM_PYTHON, "-m", "venv", "--without-pip", str(folder)], check=True)
    [packages] = folder.glob("lib/python3*/site-packages")
    (packages / "yaml").symlink_to(pathlib.Path(yaml.__file__).parent)
    return f"{folder}/bin/python"


@pytest.fixture
def ansible(tmp_path, collections):
    """Plays in a fresh directory."""
    return Ansible(tmp_path, collections)


@pytest.fixture
def here(tmp_path):
    """A directory to manage files in."""
    place = tmp_path / "managed"
    place.mkdir()
    return place
