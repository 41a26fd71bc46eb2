# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that render a scaffold from files on the node."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.argument_spec import STAGED_SOURCE
from ccm.ansible_tasks.scaffold_task import run_scaffold, scaffold_argument_spec
from ccm.resources.scaffold.type import TYPE as SCAFFOLD

from .module import ran


def task(tmp_path, post, validate=None, **options):
    (tmp_path / "source").mkdir()
    (tmp_path / "source/a").write_text("x", encoding="utf-8")
    arguments = {
        "name": f"{tmp_path}/target",
        "ensure": "present",
        "source": f"{tmp_path}/source",
        "post": post,
        "validate": validate,
    }
    spec = {**scaffold_argument_spec(SCAFFOLD), STAGED_SOURCE: {"type": "str"}}
    return ran(lambda module: run_scaffold(module, SCAFFOLD), spec, arguments, **options)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("command", [5, True, ["ls"]])
def test_a_command_that_is_not_text_is_refused_before_rendering(tmp_path, command, check):
    result = task(tmp_path, [{"*.conf": "true"}, {"*.txt": command}], check=check)
    assert result["failed"]
    assert 'post value for key "*.txt" must be a command, quote it' in result["msg"]
    assert not (tmp_path / "target").exists()


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("grep -q x %s/a", ""),
        ("sh -c 'echo bad >&2; exit 2' %s", "validate refused the new content with exit code 2: bad"),
        ("true", "validate must contain %s"),
    ],
)
def test_a_tree_is_checked_before_it_is_put_in_place(tmp_path, command, message):
    result = task(tmp_path, [], command)
    assert (message in result["msg"], bool(result["failed"])) == (True, bool(message))
    assert (tmp_path / "target").exists() != bool(message)


def test_a_check_of_a_tree_that_is_removed_is_refused(tmp_path):
    (tmp_path / "source").mkdir()
    arguments = {"name": f"{tmp_path}/t", "ensure": "absent", "source": f"{tmp_path}/source", "validate": "true %s"}
    spec = {**scaffold_argument_spec(SCAFFOLD), STAGED_SOURCE: {"type": "str"}}
    result = ran(lambda module: run_scaffold(module, SCAFFOLD), spec, arguments)
    assert "validate needs ensure: present, not absent" in result["msg"]
