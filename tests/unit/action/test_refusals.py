# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the action plugins refuse on the controller, before anything is sent to a node."""

from __future__ import annotations

import importlib
import os
import types

import pytest
import yaml
from ansible import release
from ansible import template as ansible_template
from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.loader import connection_loader
from ansible.template import Templar

from plugins.action import apply, archive, exec, file, package, scaffold
from plugins.plugin_utils import required_ansible
from tests.unit.layout import ROOT

#: A module that meta/runtime.yml routes to the plugin of another one.
service = types.SimpleNamespace(__name__="plugins.action.service", ActionModule=exec.ActionModule)
FILE = {"name": "/x", "ensure": "present", "owner": "root", "group": "root", "mode": "0644"}
SCAFFOLD = {"name": "/x", "ensure": "present"}
#: The memory of this process, where nothing is at the beginning: reading there fails, for root as well.
UNREADABLE = "/proc/self/mem"


@pytest.fixture
def refused(tmp_path):
    """`refused(plugin, arguments)`: run a task of a play in `tmp_path` that is refused, and return what was said."""
    loader = DataLoader()
    loader.set_basedir(str(tmp_path))

    def run(plugin, arguments, error=AnsibleActionFail):
        task = Task()
        task.action = "ccm.core." + plugin.__name__.rpartition(".")[2]
        task.args = arguments
        context = PlayContext()
        with pytest.raises(error) as caught:
            plugin.ActionModule(
                task=task,
                connection=connection_loader.get("local", context, os.devnull),
                play_context=context,
                loader=loader,
                templar=Templar(loader),
                shared_loader_obj=None,
            ).run(task_vars={})
        return str(caught.value)

    return run


def deep(path):
    """Directories in each other, until no system call can be handed the name of the last."""
    path.mkdir()
    fd = os.open(path, os.O_RDONLY)
    for _level in range(25):
        os.mkdir("d" * 200, dir_fd=fd)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    os.close(fd)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": "x", "remote_src": True}, "source must be an absolute path with remote_src: true, not x"),
        ({"source": os.devnull}, f"source is not a file: {os.devnull}"),
        ({"source": UNREADABLE}, f"cannot read source {UNREADABLE}: Input/output error"),
        ({"template": UNREADABLE}, f"cannot read template {UNREADABLE}: Input/output error"),
    ],
)
def test_files(refused, given, said):
    assert refused(file, {**FILE, **given}) == said


@pytest.mark.parametrize(
    ("plugin", "given", "said"),
    [
        (
            file,
            {**FILE, "name": "/tmp/a\0b"},
            r"file#/tmp/a\x00b: name holds a NUL, which no name can hold: remove it (/tmp/a\x00b)",
        ),
        (
            file,
            {**FILE, "owner": "ro\0ot"},
            r"file#/x: owner holds a NUL, which no owner can hold: remove it (ro\x00ot)",
        ),
        (
            exec,
            {"name": "x", "command": "printf a\0b"},
            r"exec#x: command holds a NUL, which no command can hold: remove it (printf a\x00b)",
        ),
        (
            exec,
            {"name": "x", "command": "TOKEN=canary printf a\0b"},
            r"exec#x: command holds a NUL, which no command can hold: remove it (TOKEN=REDACTED printf a\x00b)",
        ),
    ],
)
def test_a_nul_is_refused_before_ansible_logs_it(refused, plugin, given, said):
    assert refused(plugin, given) == said


def test_a_template_is_a_file(refused, tmp_path):
    (tmp_path / "templates").mkdir()
    os.mkfifo(tmp_path / "templates/x.j2")
    assert refused(file, {**FILE, "template": "x.j2"}) == f"template is not a file: {tmp_path}/templates/x.j2"


def test_a_template_is_text(refused, tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/x.j2").write_bytes(b"\xff")
    said = refused(file, {**FILE, "template": "x.j2"})
    assert said == f"cannot read template {tmp_path}/templates/x.j2: it is not UTF-8"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": "x", "remote_src": True}, "source must be an absolute path with remote_src: true, not x"),
        ({"source": os.devnull}, f"source is not a directory: {os.devnull}"),
    ],
)
def test_scaffolds(refused, given, said):
    assert refused(scaffold, {**SCAFFOLD, **given}) == said


def test_a_scaffold_of_names_that_are_too_long(refused, tmp_path):
    deep(tmp_path / "app")
    said = refused(scaffold, {**SCAFFOLD, "source": "app"})
    assert said.startswith(f"cannot read {tmp_path}/app/ddd")
    assert said.endswith("ddd: File name too long")


UNQUOTED = {"ccm": {"resources": [{"file": {"name": "/x", "mode": 644}}]}}
OF_THE_PLAY = "remote_src is for path: a manifest in the play is never on the node"
MODE = 'manifest: file#/x: mode is the number 644, in octal 01204, above 0777: quote it, like mode: "0644"'


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"manifest": {"ccm": {}}, "remote_src": True}, OF_THE_PLAY),
        ({"manifest": UNQUOTED}, MODE),
        ({"path": UNREADABLE}, f"cannot read {UNREADABLE}: Input/output error"),
        ({"path": "/proc/self"}, "/proc/self is a directory without a manifest.yaml"),
    ],
)
def test_manifests(refused, given, said):
    assert refused(apply, given) == said


def test_a_tree_of_names_that_are_too_long(refused, tmp_path):
    deep(tmp_path / "site")
    (tmp_path / "site/manifest.yaml").write_text("ccm: {resources: []}\n", encoding="utf-8")
    said = refused(apply, {"path": "site"})
    assert said.startswith(f"cannot read {tmp_path}/site/ddd")
    assert said.endswith("ddd: File name too long")


@pytest.mark.parametrize("version", ["2.18.19", "2.9.27", "2.18.0rc1"])
@pytest.mark.parametrize("plugin", [apply, archive, exec, file, package, scaffold, service])
def test_an_older_ansible_is_told_which_is_needed(refused, monkeypatch, plugin, version):
    monkeypatch.setattr(release, "__version__", version)
    said = refused(plugin, {}, AnsibleError)
    assert said == f"ccm.core needs ansible-core 2.19 or newer, and this is {version}"


def test_the_plugins_load_in_an_older_ansible(monkeypatch):
    """Only what is loaded can say which version is needed."""
    with monkeypatch.context() as older:
        older.delattr(ansible_template, "trust_as_template")
        importlib.reload(file)


def test_the_version_that_is_needed_is_the_one_declared():
    runtime = yaml.safe_load((ROOT / "meta/runtime.yml").read_text("utf-8"))
    assert runtime["requires_ansible"] == ">=" + ".".join(map(str, required_ansible.OLDEST)) + ".0"


def test_a_newer_ansible_is_good_enough(refused, monkeypatch):
    for version in ("2.19.0", "2.20.0.dev0", "3.0"):
        monkeypatch.setattr(release, "__version__", version)
        assert "content is text" in refused(file, {**FILE, "content": True})
