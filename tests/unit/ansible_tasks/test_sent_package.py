# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The code that tasks of the module apply bring with them."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import traceback
import zlib

import pytest
from ansible import constants
from ccm.ansible_tasks.sent_package import PACKED_PACKAGE, SentPackage, call_in_package

from plugins.plugin_utils import package
from tests.unit.layout import PACKAGE, PLUGINS, parts_of, shipped


def packed(files):
    sources = [text.encode("utf-8") for text in files.values()]
    ends = [sum(map(len, sources[: at + 1])) for at in range(len(sources))]
    places = {path: [end - len(source), end] for path, end, source in zip(files, ends, sources, strict=True)}
    text = json.dumps(places).encode("ascii") + b"\n" + b"".join(sources)
    return base64.b64encode(zlib.compress(text)).decode("ascii")


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


def test_the_package_is_made_once_in_a_run(local_tmp):
    first = package.packed_package()
    (kept,) = local_tmp.iterdir()
    assert (kept.read_text("ascii"), kept.stat().st_mode & 0o777) == (first, 0o600)
    kept.write_text("kept", encoding="ascii")
    assert package.packed_package() == "kept"


def test_the_package_has_everything_that_a_task_can_import():
    sent = {PACKAGE / path for path in package.sent_files()}
    entries = ("apply_task", "node_apply_task", "single_resource", "unchanged_sources")
    needed = {part for entry in entries for part in shipped(PACKAGE / f"ansible_tasks/{entry}.py")}
    needed |= set(shipped(PACKAGE / "api.py"))
    assert {path for path in needed if PACKAGE in path.parents} - sent == set()
    assert {parts_of(path)[0] for path in sent if parts_of(path)} & set(package.LEFT_OUT) == set()


def test_ansible_finds_few_files_for_the_module():
    """The time of the first task is that of the files that Ansible parses to find them."""
    assert len(shipped(PLUGINS / "modules/apply.py")) <= 5


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
