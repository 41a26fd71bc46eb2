# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that render a scaffold from files on the node."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.argument_spec import STAGED_SOURCE
from ccm.ansible_tasks.scaffold_task import run_scaffold, scaffold_argument_spec
from ccm.resources.scaffold.type import TYPE as SCAFFOLD

from .module import ran


def task(tmp_path, post, **options):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a").write_text("x", encoding="utf-8")
    arguments = {"name": f"{tmp_path}/target", "ensure": "present", "source": f"{tmp_path}/source", "post": post}
    spec = {**scaffold_argument_spec(SCAFFOLD), STAGED_SOURCE: {"type": "str"}}
    return ran(lambda module: run_scaffold(module, SCAFFOLD), spec, arguments, **options)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("command", [5, True, ["ls"]])
def test_a_command_that_is_not_text_is_refused_before_rendering(tmp_path, command, check):
    result = task(tmp_path, [{"*.conf": "true"}, {"*.txt": command}], check=check)
    assert result["failed"]
    assert 'post value for key "*.txt" must be a command, quote it' in result["msg"]
    assert not (tmp_path / "target").exists()
