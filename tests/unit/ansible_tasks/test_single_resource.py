# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of one resource that the module apply runs."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks import single_resource
from ccm.ansible_tasks.apply_options import APPLY_OPTIONS, RESOURCE
from ccm.ansible_tasks.archive_task import archive_argument_spec
from ccm.ansible_tasks.argument_spec import HIDDEN, STAGED_SOURCE, argument_spec
from ccm.ansible_tasks.exec_task import run_exec
from ccm.ansible_tasks.single_resource import run_single_resource
from ccm.manifest.transport import to_text
from ccm.resources.archive.type import TYPE as ARCHIVE
from ccm.resources.exec.type import TYPE as EXEC

from .module import Module, ModuleEnded, ran

EXTRA = {HIDDEN: None, STAGED_SOURCE: None}


def passed(type, spec, arguments):
    options = {**Module(spec, arguments).params, **EXTRA}
    return {"manifest": {RESOURCE: to_text({"type": type.name, "options": options})}}


@pytest.mark.starts_processes
def test_the_result_is_that_of_the_own_module():
    arguments = {"name": "sh -c 'echo out; exit 3'", "returns": [3]}
    own = ran(lambda module: run_exec(module, EXEC), argument_spec(EXEC), arguments)
    result = ran(run_single_resource, APPLY_OPTIONS, passed(EXEC, argument_spec(EXEC), arguments))
    assert (result["msg"], result["rc"], result["stdout"]) == (own["msg"], 3, "out\n")
    assert result.keys() == own.keys()
    assert result["event"].keys() == own["event"].keys()


@pytest.mark.starts_processes
def test_a_type_without_a_task_of_its_own_is_managed_like_others(monkeypatch):
    """As a new type, which is in no table."""
    monkeypatch.delitem(single_resource._RUNS, EXEC.name)
    result = ran(run_single_resource, APPLY_OPTIONS, passed(EXEC, argument_spec(EXEC), {"name": "true"}))
    assert (result["changed"], result["msg"], "rc" in result) == (True, "Executed", False)


def test_values_of_secret_options_are_masked():
    arguments = {
        "name": "/tmp/a.tar",
        "url": "http://127.0.0.1:1/a.tar",
        "username": "user",
        "password": "hidden-word",
        "owner": "root",
        "group": "root",
        "download_tries": 1,
    }
    module = Module(APPLY_OPTIONS, passed(ARCHIVE, archive_argument_spec(ARCHIVE), arguments), check=True)
    with pytest.raises(ModuleEnded):
        run_single_resource(module)
    assert "hidden-word" in module.no_log_values
    assert "user" not in module.no_log_values


@pytest.mark.starts_processes
@pytest.mark.parametrize(("path", "failed"), [("/", False), ("/nowhere", True)])
def test_rules_of_goss_are_run(path, failed):
    checks = [{"goss_rules": {"file": {path: {"exists": True}}}}]
    arguments = {"name": "true", "health_checks": checks}
    result = ran(run_single_resource, APPLY_OPTIONS, passed(EXEC, argument_spec(EXEC), arguments))
    assert result["failed"] is failed
    assert result["event"]["health_check"][0]["status"] == (2 if failed else 0)
    assert ("/nowhere" in result["msg"]) is failed
