# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action plugin of modules that need only the check of their arguments: the task says which module it is."""

from __future__ import annotations

import os

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.handler import Handler
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader
from ansible.template import Templar

from plugins.action.resource_info import ActionModule
from tests.tools.module_docs import GENERAL_ACTION, TYPES, runtime

SERVICE = {"name": "web", "enable": "yes"}


@pytest.fixture
def sent(monkeypatch):
    """`sent(task, action, arguments)`: the module that runs, its arguments, and the warnings of the result."""
    calls = []

    def executed(_action, *, module_name, module_args, **_options):
        calls.append((module_name, module_args))
        return {"changed": False}

    monkeypatch.setattr(ActionBase, "_execute_module", executed)

    def run(task, action, arguments, resolved="", defaults=()):
        task.action, task.args, task.module_defaults = action, arguments, list(defaults)
        task._resolved_action = resolved or action
        connection = connection_loader.get("local", PlayContext(), os.devnull)
        loader = DataLoader()
        found = ActionModule(task, connection, PlayContext(), loader, Templar(loader), None)
        result = found.run(task_vars={"inventory_hostname": "node"})
        return (*calls.pop(), result.get("warnings", []))

    return run


def test_a_task_of_a_type_runs_its_module_with_converted_options(sent):
    module, arguments, warnings = sent(Task(), "ccm.core.service", dict(SERVICE))
    assert (module, arguments, warnings) == ("ccm.core.service", {"name": "web", "enable": "yes"}, [])
    assert sent(Handler(), "ccm.core.service", dict(SERVICE))[1]["refresh"] is True


def test_the_module_that_only_reads_runs_as_itself(sent):
    module, arguments, _warnings = sent(Task(), "ccm.core.resource_info", {"type": "file", "path": "/x"})
    assert (module, arguments) == ("ccm.core.resource_info", {"type": "file", "name": "/x"})


def test_defaults_that_a_short_name_does_not_have_are_warned_of(sent):
    """Of the keyword `collections`: Ansible resolves the name to an action of its own, and the module to this one."""
    module, _arguments, warnings = sent(Task(), "service", dict(SERVICE), "ansible.builtin.service", [{"x": {}}])
    assert module == "ccm.core.service"
    assert warnings == ["the short name service has no module_defaults of ccm.core.service: write that name"]
    assert sent(Task(), "service", dict(SERVICE), "ansible.builtin.service")[2] == []
    assert sent(Task(), "ccm.core.service", dict(SERVICE), defaults=[{"x": {}}])[2] == []


def test_types_without_an_action_plugin_have_this_one():
    routes = yaml.safe_load(runtime((*TYPES, "new")))["plugin_routing"]["modules"]
    assert routes["new"] == routes["service"] == {"action_plugin": f"ccm.core.{GENERAL_ACTION}"}
    assert "file" not in routes
