# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings of tasks whose command needs a shell that does not run it."""

from __future__ import annotations

import pytest
from ansible.plugins.action import ActionBase

from plugins.action import apply, exec
from plugins.module_utils.ansible_tasks.apply_options import PACKED
from plugins.module_utils.manifest.transport import from_text, unpack

GETS_IT = "and provider is not shell: the program gets it as an argument; set provider: shell, or put it in single"


@pytest.fixture
def warnings(run_task, monkeypatch):
    """`run_task`, for a node that says yes."""
    monkeypatch.setattr(ActionBase, "_execute_module", lambda _action, **_options: {"changed": True})
    monkeypatch.setattr(apply.ActionModule, "run_module", lambda *_arguments, **_options: {"changed": True})
    return run_task


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("given", "warned"),
    [
        ({"_raw_params": "echo hello > /tmp/x"}, f"exec#echo hello > /tmp/x: name has > {GETS_IT}"),
        ({"name": "n", "command": "a | b"}, f"exec#n: command has | {GETS_IT}"),
        ({"name": "true", "onlyif": "ls /x*"}, f"exec#true: onlyif has * {GETS_IT}"),
        ({"name": "true", "unless": "test -n $HOME"}, f"exec#true: unless has $HOME {GETS_IT}"),
        ({"name": "login --password=a$canary"}, f"exec#login --password=REDACTED: name has $ {GETS_IT}"),
        ({"name": "echo hello > /tmp/x", "provider": "shell"}, ""),
        ({"name": "echo 'a > b'"}, ""),
        ({"name": "a > b", "command": "true"}, ""),
    ],
)
def test_a_task_warns_of_what_only_a_shell_understands(warnings, given, warned, check_mode):
    found = warnings(exec, given, check_mode=check_mode).get("warnings", [])
    assert len(found) == bool(warned)
    assert not warned or found[0].startswith(warned)


def test_the_warning_is_hidden_with_no_log(warnings):
    result = warnings(exec, {"name": "echo hello > /tmp/x"}, no_log=True)
    assert [text.partition(":")[0] for text in result["warnings"]] == ["the warnings of a task are hidden"]
    assert GETS_IT in result["hidden_warnings"][0]


def test_a_manifest_warns_with_the_place(warnings, tmp_path):
    (tmp_path / "site").mkdir()
    manifest = "ccm:\n  resources:\n    - exec:\n        - echo a > /tmp/x: {}\n    - apply: [child.yaml: {}]\n"
    (tmp_path / "site/manifest.yaml").write_text(manifest)
    (tmp_path / "site/child.yaml").write_text("ccm:\n  resources:\n    - exec: {name: n, command: a && b}\n")
    (tmp_path / "site/other.yaml").write_text("ccm:\n  resources:\n    - exec: {name: a && b}\n")
    first, second = warnings(apply, {"path": "site"})["warnings"]
    assert first.startswith(f"site/manifest.yaml:4:11: exec#echo a > /tmp/x: name has > {GETS_IT}")
    assert second.startswith(f"child.yaml:3:32: exec#n: command has && {GETS_IT}")


def test_a_manifest_with_bytes_is_sent(warnings, monkeypatch, tmp_path):
    """The manifest is read for the warnings before it is sent, and is sent as it was."""
    (tmp_path / "m.yaml").write_text(
        "ccm:\n  resources:\n    - file: {name: /tmp/x, content: !!binary aGVsbG8=}\n    - exec: {name: a > b}\n"
    )
    sent = []
    monkeypatch.setattr(
        apply.ActionModule, "run_module", lambda _action, _module, passed, *_rest, **_options: sent.append(passed) or {}
    )
    assert len(warnings(apply, {"path": "m.yaml"})["warnings"]) == 1
    (text,) = [passed["manifest"][PACKED] for passed in sent]
    file, _command = unpack(from_text(text)["document"]).value["ccm"]["resources"]
    assert file["file"]["content"] == b"hello"


@pytest.mark.parametrize(
    ("entry", "warned"),
    [
        ({"exec": [{"defaults": {"provider": "shell"}}, {"a > b": {}}]}, False),
        ({"exec": [{"a ${ Data.x > 1 }": {}}]}, False),
        ({"exec": [{"a | b": {}}]}, True),
        ({"lamp": [{"a | b": {}}]}, False),
        ({"file": [{"/tmp/a": {"content": "a | b"}}]}, False),
        ({}, False),
    ],
)
def test_a_manifest_of_the_play(warnings, entry, warned):
    found = warnings(apply, {"manifest": {"ccm": {"resources": [entry]}}}).get("warnings", [])
    assert [text.partition(" has")[0] for text in found] == (["manifest: exec#a | b: name"] if warned else [])


def test_a_manifest_without_resources(warnings):
    assert "warnings" not in warnings(apply, {"manifest": {"ccm": None}})
    assert "warnings" not in warnings(apply, {"path": "/srv/site.yaml", "remote_src": True})
