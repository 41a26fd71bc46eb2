# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules in a locale that is not UTF-8 (decisions.md Q92); tests/integration runs them in plays."""

from __future__ import annotations

import importlib.machinery
import json
import os
import subprocess
import sys

import pytest
from ansible.module_utils import basic
from ccm.ansible_tasks.argument_spec import new_module
from ccm.ansible_tasks.sent_package import call_in_package

from tests.locales import OTHER_LOCALES, variables_of
from tests.unit.layout import ROOT

from .module import Module, ModuleEnded

# What Ansible does on a node, with the arguments from standard input.
RUN = """
import runpy, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS, basic._ANSIBLE_PROFILE = sys.stdin.buffer.read(), "legacy"
runpy.run_module(sys.argv[1], run_name="__main__", alter_sys=True)
"""


# The module and the type of another collection, in one file.
MODULE = """
import os

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.ccm.core.plugins.module_utils.ansible_tasks.type_module import run_type
from ansible_collections.ccm.core.plugins.module_utils.api import NOTHING, Decision, Provider, SimpleType, State, Step


class MarkState(State):
    type = "mark"


class MarkProvider(Provider):
    name = "mark"

    def status(self, properties):
        there = os.path.exists(properties.name)
        metadata = {"name": properties.name, "provider": self.name}
        return MarkState(properties.name, "present" if there else "absent", {"metadata": metadata})

    def make(self, properties, state):
        open(properties.name, "w").close()


class MarkType(SimpleType):
    name = "mark"
    contract = 1
    ensure_choices = ("present",)
    verbs = ("make",)
    providers = (MarkProvider,)

    def decide(self, state, properties, refresh):
        return NOTHING if state.ensure == "present" else Decision(Step("make", "Would have made it", "Made it"))


if __name__ == "__main__":
    run_type(AnsibleModule, MarkType())
"""


@pytest.mark.starts_processes
@pytest.mark.parametrize("locale", OTHER_LOCALES)
def test_the_module_of_another_collection_takes_names_as_utf8(tmp_path, locale):
    collections = tmp_path / "ansible_collections"
    (collections / "ccm").mkdir(parents=True)
    (collections / "ccm/core").symlink_to(ROOT)
    modules = collections / "acme/lamp/plugins/modules"
    modules.mkdir(parents=True)
    (modules / "mark.py").write_text(MODULE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), **variables_of(locale, tmp_path)}
    (tmp_path / "here").mkdir()
    arguments = json.dumps({"ANSIBLE_MODULE_ARGS": {"name": f"{tmp_path}/here/ü€"}}, ensure_ascii=False).encode()
    command = [sys.executable, "-c", RUN, "ansible_collections.acme.lamp.plugins.modules.mark"]
    for changed in (True, False):
        done = subprocess.run(command, input=arguments, env=environment, capture_output=True, check=False)
        assert json.loads(done.stdout)["changed"] is changed, (done.stdout, done.stderr)
        assert os.listdir(os.fsencode(tmp_path / "here")) == ["ü€".encode()]


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (importlib.machinery.ModuleSpec("m", None), "/missing/python: No such file or directory"),
        (None, "the module was not started by Ansible"),
    ],
)
def test_a_module_that_cannot_be_started_again_fails_the_task(monkeypatch, spec, reason):
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "iso8859-1")
    monkeypatch.setattr(sys, "executable", "/missing/python")
    monkeypatch.setattr(basic, "_ANSIBLE_ARGS", b"{}")
    monkeypatch.setattr(basic, "_ANSIBLE_PROFILE", "legacy")
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", spec)
    module = Module({}, {})
    for run in (
        lambda: new_module(lambda spec, supports_check_mode: module, {}),
        lambda: call_in_package(module, "ansible_tasks.apply_task", "run_apply"),
    ):
        with pytest.raises(ModuleEnded):
            run()
        assert module.result.pop("msg") == (
            "names of files are not UTF-8 in this locale, and Python cannot be started again to change that: "
            f"{reason}; set LC_ALL: C.UTF-8 in the environment of the task"
        )
