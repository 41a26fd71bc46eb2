# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The code that tasks of the module apply bring with them."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import traceback
import zlib
from types import SimpleNamespace

import pytest
from ansible import constants
from ccm.ansible_tasks.apply_options import IMPORTS, PACKED
from ccm.ansible_tasks.sent_package import (
    OTHER_PYTHON,
    PACKED_PACKAGE,
    SentPackage,
    call_in_package,
    imported_modules,
)

from plugins.plugin_utils import package
from tests.unit.layout import PACKAGE, PLUGINS, parts_of, shipped


def packed(files):
    return package._packed({path: text.encode("utf-8") for path, text in files.items()}, "")


@pytest.fixture
def forgotten():
    yield
    for name in [name for name in sys.modules if name.startswith("ccm.sent_for_test")]:
        del sys.modules[name]


FILES = {
    "sent_for_test/__init__.py": "",
    "sent_for_test/one.py": "from .inner.two import WORD\n\n\ndef put(found):\n    found.append(WORD)\n",
    "sent_for_test/inner/__init__.py": "",
    "sent_for_test/inner/two.py": "WORD = 'größer'\n\n\ndef wrong():\n    raise ValueError\n",
}


@pytest.mark.usefixtures("forgotten")
def test_sent_modules_are_found_only_while_the_task_runs():
    found = []
    with SentPackage(packed(FILES)) as sent:
        sent.call("sent_for_test.one", "put", found)
        assert sent.is_package("ccm.sent_for_test.inner")
        with pytest.raises(ModuleNotFoundError):
            sent.call("sent_for_test.three", "put")
    assert found == ["größer"]
    assert sent not in sys.meta_path
    for name in [name for name in sys.modules if name.startswith("ccm.sent_for_test")]:
        del sys.modules[name]
    with pytest.raises(ModuleNotFoundError):
        __import__("ccm.sent_for_test.one")


@pytest.mark.usefixtures("forgotten")
def test_a_line_is_decoded_only_when_its_modules_are_needed():
    found = []
    with SentPackage(packed(FILES) + "\nno base64") as sent:
        sent.call("sent_for_test.one", "put", found)
        with pytest.raises(zlib.error):
            sent.call("sent_for_test.three", "put", found)
    assert found == ["größer"]


@pytest.mark.usefixtures("forgotten")
def test_a_traceback_has_the_lines_of_sent_modules():
    with SentPackage(packed(FILES)) as sent, pytest.raises(ValueError, match=r"^$") as caught:
        sent.call("sent_for_test.inner.two", "wrong")
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.line) == ("sent_for_test/inner/two.py", 5, "raise ValueError")


@pytest.mark.usefixtures("forgotten")
def test_a_function_is_called_with_the_module():
    class Module(list):
        def __init__(self):
            self.params = {PACKED_PACKAGE: packed(FILES)}

    module = Module()
    call_in_package(module, "sent_for_test.one", "put")
    assert module == ["größer"]


@pytest.fixture
def local_tmp(tmp_path, monkeypatch):
    monkeypatch.setattr(constants, "DEFAULT_LOCAL_TMP", str(tmp_path))
    return tmp_path


class Node:
    """Runs tasks as a node does, and notes the packages it gets."""

    def __init__(self, python=package.PYTHON):
        self.python = python
        self.packages = []

    def execute(self, arguments):
        sent = SentPackage(arguments[PACKED_PACKAGE])
        self.packages.append((sent.python, arguments["manifest"]))
        if sent.python not in ("", self.python):
            return {OTHER_PYTHON: True}
        told = {IMPORTS: {"python": self.python, "modules": ["api.py", "away.py"]}}
        return {"changed": False, **(told if IMPORTS in arguments["manifest"] else {})}

    def run(self, name="web"):
        arguments = {"events": True, "manifest": {PACKED: "text"}}
        assert package.run_with_package(self.execute, arguments, name) == {"changed": False}
        asked, self.packages = self.packages, []
        return asked


SOURCES, ASKED = ("", {PACKED: "text", IMPORTS: True}), {PACKED: "text"}


@pytest.mark.usefixtures("local_tmp")
def test_the_second_task_on_a_node_with_the_same_python_gets_compiled_code():
    node = Node()
    assert [node.run(), node.run(), node.run("db")] == [[SOURCES], [(package.PYTHON, ASKED)], [SOURCES]]


@pytest.mark.usefixtures("local_tmp")
def test_a_node_with_another_python_gets_sources():
    node = Node("cb0d0d0a")
    assert [node.run(), node.run()] == [[SOURCES], [SOURCES]]


@pytest.mark.usefixtures("local_tmp")
def test_a_node_whose_python_changes_in_a_run_gets_sources_again():
    Node().run()
    node = Node("cb0d0d0a")
    assert [node.run(), node.run()] == [[(package.PYTHON, ASKED), SOURCES], [SOURCES]]


@pytest.mark.usefixtures("local_tmp")
def test_a_task_that_is_not_waited_for_gets_sources():
    node = Node()
    node.run()
    assert node.run(None) == [("", ASKED)]


def test_the_package_is_made_once_in_a_run(local_tmp):
    node = Node()
    node.run()
    (kept,) = (path for path in local_tmp.iterdir() if path.name == "ccm-core-sources")
    assert (kept.read_text("ascii"), kept.stat().st_mode & 0o777) == (package.packed_package(), 0o600)
    kept.write_text(packed(FILES), encoding="ascii")
    package.run_with_package(
        lambda arguments: arguments[PACKED_PACKAGE] == packed(FILES) or pytest.fail("made again"), {}, None
    )


@pytest.mark.usefixtures("forgotten")
def test_compiled_code_runs_and_its_imports_are_told():
    codes = {path: marshal.dumps(compile(text, path, "exec")) for path, text in FILES.items()}
    found = []
    with SentPackage(package._packed(codes, package.PYTHON)) as sent:
        sent.call("sent_for_test.one", "put", found)
        told = imported_modules()
    assert found == ["größer"]
    assert told == {"python": package.PYTHON, "modules": list(FILES)}
    assert imported_modules()["modules"] == []


def test_the_modules_that_were_named_are_compiled():
    with SentPackage(package.packed_package(["model/state.py"])) as sent:
        assert sent.get_source("ccm.model.state") is None
        assert sent.get_code("ccm.model.state").co_filename == "model/state.py"
        assert "class Event" in sent.get_source("ccm.model.event")


def test_code_for_another_python_is_never_imported():
    def exit_json(**result):
        raise SystemExit(result)

    params = {PACKED_PACKAGE: package._packed({"api.py": b"wrong"}, "cb0d0d0a")}
    with pytest.raises(SystemExit) as ended:
        call_in_package(SimpleNamespace(params=params, exit_json=exit_json), "api", "any")
    assert ended.value.code == {OTHER_PYTHON: True}


def test_the_package_has_everything_that_a_task_can_import():
    sent = {PACKAGE / path for path in package.sent_files()}
    entries = ("apply_task", "node_apply_task", "single_resource", "unchanged_sources")
    needed = {part for entry in entries for part in shipped(PACKAGE / f"ansible_tasks/{entry}.py")}
    needed |= set(shipped(PACKAGE / "api.py"))
    assert {path for path in needed if PACKAGE in path.parents} - sent == set()
    assert {parts_of(path)[0] for path in sent if parts_of(path)} & set(package.LEFT_OUT) == set()


def test_ansible_finds_few_files_for_the_module():
    """The first task takes the time to parse the files in which Ansible finds them."""
    assert len(shipped(PLUGINS / "modules/apply.py")) <= 5


@pytest.mark.starts_processes
def test_every_sent_file_can_be_imported_from_memory(local_tmp):
    program = (
        "import sys\n"
        "from ccm.ansible_tasks.sent_package import SentPackage\n"
        "with SentPackage(sys.stdin.read()) as sent:\n"
        "    from ccm.ansible_tasks import apply_task\n"
        "    from ccm.resources.types import TYPE_NAMES, resource_type\n"
        "    for name in TYPE_NAMES:\n"
        "        resource_type(name)\n"
        "print(*sorted(type(m.__loader__).__name__ for n, m in sys.modules.items() if n.startswith('ccm.manifest')))\n"
    )
    (local_tmp / "ccm/ansible_tasks").mkdir(parents=True)
    for name in ("__init__.py", "ansible_tasks/__init__.py", "ansible_tasks/sent_package.py"):
        (local_tmp / "ccm" / name).write_text((PACKAGE / name).read_text("utf-8"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", program],
        cwd=local_tmp,
        input=package.packed_package(),
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"SentPackage"}
