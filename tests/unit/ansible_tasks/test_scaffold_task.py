# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that render a scaffold from files on the node."""

from __future__ import annotations

import os

import pytest
from ccm.ansible_tasks.argument_spec import STAGED_SOURCE
from ccm.ansible_tasks.scaffold_task import run_scaffold, scaffold_argument_spec
from ccm.host import archive_cache
from ccm.resources.scaffold.type import TYPE as SCAFFOLD

from tests.unit.archive_server import running, tarball

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


@pytest.mark.needs("http")
@pytest.mark.parametrize("remote_src", [False, True])
def test_an_address_is_fetched(tmp_path, monkeypatch, remote_src):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(archive_cache, "OF_SYSTEM", str(tmp_path / "cache" / "ccm"))
    arguments = {"name": f"{tmp_path}/t", "ensure": "present", "remote_src": remote_src, "engine": "go"}
    spec = {**scaffold_argument_spec(SCAFFOLD), STAGED_SOURCE: {"type": "str"}}
    with running() as server:
        (tmp_path / "x").write_text("text")
        server.data = tarball({"a": "{{ .data.who }}", "b": f'{{{{ file "{str(tmp_path)[1:]}/x" }}}}'})
        server.credentials = "ann:canary"
        given = {**arguments, "source": server.url(), "data": {"who": "ann"}, "username": "ann", "password": "canary"}
        checked = ran(lambda module: run_scaffold(module, SCAFFOLD), spec, given, check=True)
        assert (checked["changed"], os.path.exists(arguments["name"])) == (True, False)
        results = [ran(lambda module: run_scaffold(module, SCAFFOLD), spec, given) for _run in range(2)]
        server.validators = {}
        large = ran(lambda module: run_scaffold(module, SCAFFOLD), spec, {**given, "download_limit": "9B"})
        assert [result["changed"] for result in results] == [True, False]
        assert server.taken() == [200, 304, 304, 200]
    assert [(tmp_path / "t" / name).read_text() for name in "ab"] == ["ann", "text"]
    assert "canary" not in repr((checked, results, large))
    assert "the file is larger than 9 bytes, the limit of downloads" in large["msg"]
