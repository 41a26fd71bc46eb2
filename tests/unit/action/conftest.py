# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of a play whose action plugins run in this process."""

from __future__ import annotations

import os

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.loader import connection_loader
from ansible.template import Templar


@pytest.fixture
def run_task(tmp_path):
    """`run_task(plugin, arguments, **keywords)`: run a task of a play in `tmp_path`, and return its result."""
    loader = DataLoader()
    loader.set_basedir(str(tmp_path))

    def run(plugin, arguments, **keywords):
        task = Task()
        task.action = task._resolved_action = "ccm.core." + plugin.__name__.rpartition(".")[2]
        task.args = arguments
        for name, value in keywords.items():
            setattr(task, name, value)
        context = PlayContext()
        return plugin.ActionModule(
            task=task,
            connection=connection_loader.get("local", context, os.devnull),
            play_context=context,
            loader=loader,
            templar=Templar(loader),
            shared_loader_obj=None,
        ).run(task_vars={"inventory_hostname": "node"})

    return run
