# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results that a node forged, and warnings that are shown once."""

from __future__ import annotations

import os

import pytest
from ansible import constants
from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.playbook.block import Block
from ansible.playbook.play import Play
from ansible.playbook.play_context import PlayContext
from ansible.playbook.task import Task
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader
from ansible.template import Templar
from ccm.ansible_tasks.apply_options import CHECKSUMS, IMPORTS
from ccm.ansible_tasks.fact_warnings import FACT_WARNINGS
from ccm.ansible_tasks.sent_package import OTHER_PYTHON

from plugins.action import apply, exec, file, resource_info
from plugins.plugin_utils import package
from plugins.plugin_utils.transfer import LARGEST_INSIDE

#: What a key may hold in place of the value that it should have.
FORGED = [None, True, 5, 1.5, "text", [], [5], [["a"]], ["text"], {}, {"python": 5}, {"a": {"b": []}}]
IMPORTED = [
    {"python": package.PYTHON},
    {"python": [package.PYTHON]},
    *({"python": package.PYTHON, "modules": value} for value in [*FORGED, ["../../x.py", "api.py", 5, None]]),
]
APPLY = (apply, {"manifest": {"ccm": {"resources": [{"exec": {"name": "/bin/true"}}]}}})
EXEC = (exec, {"name": "/bin/true"})


@pytest.fixture
def node(tmp_path, monkeypatch):
    """`node(task, answer, ...)`: run a task, (plugin, arguments), once for each answer; return the last result."""
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    monkeypatch.setattr(package, "packed_package", lambda compiled=(): "code")
    loader = DataLoader()
    loader.set_basedir(str(tmp_path))

    def run(task, *answers, host="web", play=None, discovered=None, no_log=False):
        plugin, arguments = task
        result = {}
        for answer in answers:
            if answer is not None:
                monkeypatch.setattr(
                    ActionBase, "_execute_module", lambda *_given, _answer=answer, **_named: dict(_answer)
                )
            made = Task(block=Block(play=play or Play()))
            made.no_log = no_log
            made.action, made.args = "ccm.core." + plugin.__name__.rpartition(".")[2], arguments
            connection = connection_loader.get("local", PlayContext(), os.devnull)
            action = plugin.ActionModule(made, connection, PlayContext(), loader, Templar(loader), None)
            action._discovered_interpreter_key, action._load_name = discovered, made.action
            result = action.run(task_vars={"inventory_hostname": host})
        return result

    return run


@pytest.mark.parametrize("imports", [*FORGED, *IMPORTED])
def test_forged_imports_change_nothing(node, imports):
    answer = {"changed": False, IMPORTS: imports}
    assert node(APPLY, answer, answer, answer) == {"changed": False}


@pytest.mark.parametrize("value", FORGED)
@pytest.mark.parametrize("key", [OTHER_PYTHON, "module_stderr", "_ansible_parsed", "warnings", "diff", FACT_WARNINGS])
def test_forged_keys_make_no_odd_message(node, key, value):
    for task in (APPLY, EXEC):
        result = node(task, {"changed": False, "_ansible_parsed": False, key: value})
        assert result["changed"] is False


@pytest.mark.parametrize("checksums", FORGED)
def test_forged_checksums_are_none(node, tmp_path, monkeypatch, checksums):
    (tmp_path / "files/site").mkdir(parents=True)
    (tmp_path / "files/site/large").write_bytes(os.urandom(LARGEST_INSIDE + 1))
    manifest = "ccm: {resources: [{file: {name: /srv/x, source: large}}]}\n"
    (tmp_path / "files/site/manifest.yaml").write_text(manifest, encoding="utf-8")
    monkeypatch.setattr(apply, "staged_content", lambda _action, _content, _name: "/t/tree")
    assert node((apply, {"path": "site"}), {"changed": False, CHECKSUMS: checksums})["changed"] is False


@pytest.mark.parametrize(
    "stat", [*FORGED, {"exists": "yes", "checksum": 5}, {"exists": True}, {"exists": True, "checksum": []}]
)
def test_a_forged_state_of_a_large_file_is_none(node, tmp_path, monkeypatch, stat):
    (tmp_path / "files").mkdir()
    (tmp_path / "files/large").write_bytes(os.urandom(LARGEST_INSIDE + 1))
    sent = []
    monkeypatch.setattr(file, "staged", lambda _action, path, _name: sent.append(path) or "/t/source")
    arguments = {"name": "/x", "owner": "root", "group": "root", "mode": "0644", "source": "large"}
    node((file, arguments), {"changed": False, "stat": stat})
    assert sent == [str(tmp_path / "files/large")]


@pytest.mark.parametrize("value", FORGED)
def test_a_result_changes_neither_facts_nor_statistics(node, value):
    """Ansible does what these keys say in the result of any module."""
    assert node(EXEC, {"changed": True, "ansible_facts": value, "ansible_stats": value}) == {"changed": True}


@pytest.mark.parametrize("value", [*FORGED, {"before": 5, "after": ""}, {"before": "a"}, {"prepared": 5}])
def test_what_ansible_cannot_show_is_left_out(node, value):
    shown = {"before": "a", "after": "b", "before_header": "x", "after_header": "x"}
    binary = {"before_header": "x", "after_header": "x", "dst_binary": 1}
    mode = {"before": {"mode": "0600"}, "after": {"mode": "0644"}}
    assert node(EXEC, {"changed": True, "diff": [mode]})["diff"] == [mode]
    for diff in (value, [shown, value, binary]):
        found = node(EXEC, {"changed": True, "diff": diff, "deprecations": value})
        assert [entry for entry in found["diff"] if entry in (shown, binary)] == (
            diff[::2] if diff is not value else []
        )
        kept = [entry for entry in found["diff"] if entry not in (shown, binary)]
        assert all(isinstance(entry, dict) and not {"before", "prepared"} & set(entry) for entry in kept)
        assert all(isinstance(entry, dict) for entry in found["deprecations"])


def test_a_result_that_ansible_itself_cannot_read_is_one_message(node, monkeypatch):
    def forged(*_given, **_named):
        return {"stdout": 5}["stdout"].splitlines()

    monkeypatch.setattr(ActionBase, "_execute_module", forged)
    for task in (APPLY, EXEC):
        with pytest.raises(AnsibleError, match=r"^the node returned a result that Ansible cannot read"):
            node(task, None)


def test_the_python_that_ansible_found_is_kept(node):
    name = "discovered_interpreter_python"
    answer = {"changed": False, "ansible_facts": {name: "/usr/bin/python3", "ansible_user": "evil"}}
    assert node(EXEC, answer, discovered=name) == {"changed": False, "ansible_facts": {name: "/usr/bin/python3"}}


def test_a_warning_about_facts_is_given_once_for_a_host_and_a_play(node):
    answer = {"changed": False, FACT_WARNINGS: ["PyYAML is missing"], "warnings": ["another one"]}
    first, second = Play(), Play()

    def given(task, host, play):
        result = node(task, answer, host=host, play=play)
        assert FACT_WARNINGS not in result
        return result["warnings"]

    info = (resource_info, {"type": "file", "name": "/x"})
    assert given(APPLY, "web", first) == ["another one", "web: PyYAML is missing"]
    assert given(APPLY, "web", first) == given(info, "web", first) == ["another one"]
    assert given(info, "db", first) == ["another one", "db: PyYAML is missing"]
    assert given(APPLY, "web", second) == ["another one", "web: PyYAML is missing"]


def test_wrong_arguments_of_resource_info_are_refused_on_the_controller(node):
    with pytest.raises(AnsibleError, match="missing required arguments: name"):
        node((resource_info, {"type": "file"}), {})


def test_with_no_log_a_failure_says_no_value_of_the_task(node):
    """Ansible shows the message, the exception and the warnings of a result that it hides."""
    answer = {"failed": True, "msg": "exec#hunter2: x", "exception": "hunter2", "warnings": ["output=hunter2"], "rc": 1}
    result = node(EXEC, answer, no_log=True)
    assert result == {
        "failed": True,
        "msg": "the reason is hidden because of no_log: register the result, whose key reason has it",
        "reason": "exec#hunter2: x",
        "warnings": ["the warnings of a task are hidden: register the result, whose key hidden_warnings has them"],
        "hidden_warnings": ["output=hunter2"],
        "rc": 1,
    }
    assert node(EXEC, answer) == answer
    assert node(EXEC, {"changed": True, "msg": "Executed"}, no_log=True) == {"changed": True, "msg": "Executed"}


@pytest.mark.parametrize("options", [{"argv": ["x", "hunter2"]}, {"name": ["x", "hunter2"]}, {"name": "x\0hunter2"}])
def test_with_no_log_a_refusal_says_no_value_of_the_task(node, options):
    result = node((exec, options), {}, no_log=True)
    assert (result["failed"], "hunter2" in result["msg"], "hunter2" in result["reason"]) == (True, False, True)
    with pytest.raises(AnsibleError, match="hunter2"):
        node((exec, options), {})


def test_with_no_log_a_node_that_is_not_reached_is_unreachable(node, monkeypatch):
    def lost(*_given, **_named):
        raise AnsibleConnectionFailure("lost")

    monkeypatch.setattr(ActionBase, "_execute_module", lost)
    with pytest.raises(AnsibleConnectionFailure, match="lost"):
        node(EXEC, None, no_log=True)


@pytest.mark.parametrize(
    ("creates", "warning"),
    [
        ("tmp/x", "creates is not an absolute path, and it is taken as it is"),
        ("~/x", "creates is not an absolute path, and it is taken as it is"),
        ("/srv/*.x", "creates is taken as it is: * ? and [ are characters of a name in it"),
        ("/srv/x", ""),
        ("", ""),
    ],
)
def test_a_path_that_is_taken_as_it_is(node, creates, warning):
    result = node((exec, {"name": "x", "creates": creates}), {"changed": False, "warnings": ["a"]})
    assert [text for text in result["warnings"] if text != "a"] == [
        text for text in result["warnings"] if warning and text.startswith(warning)
    ]
    assert len(result["warnings"]) == (2 if warning else 1)
