# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits for what a run imports (architecture.md, Imports); tests/bench/startup.py compares times.

Measured in a regular installation, .venv-run, which is updated first.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys

import pytest

from .layout import ROOT
from .systemctl import stand_in_for_systemctl

RUN = ROOT / ".venv-run/bin"
PYTHON, CCM = str(RUN / "python"), str(RUN / "ccm")

# Modules that cost more than they are worth, by the first part of the name.
UNWANTED = {
    "asyncio",
    "click",
    "dataclasses",
    "importlib.metadata",
    "jinja2",
    "jsonschema",
    "logging",
    "pathlib",
    "rich",
    "shutil",
    "subprocess",
    "tempfile",
    "typing",
    "urllib",
}
# In bytes of compiled code without docstrings and line numbers, which differs least between versions of Python.
# Ansible compiles all of it at each task, which takes about 1 ms for 10 KB; a scaffold includes its languages.
IMPORTED_LIMIT = 95_000
IMPORTED_LIMITS = {"scaffold": 360_000}


@pytest.fixture(scope="session")
def installed():
    """The command, installed as by a user from the current sources."""
    with open(ROOT / "Makefile", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        env = {key: value for key, value in os.environ.items() if not key.startswith("MAKE") and key != "MFLAGS"}
        subprocess.run(["make", "-s", ".venv-run/.stamp"], cwd=ROOT, env=env, check=True, capture_output=True)


@pytest.fixture
def one_file(tmp_path):
    """The arguments that apply a manifest of one file, which was applied once before."""
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        f"""ccm:
  resources:
    - file:
        - {tmp_path}/motd:
            ensure: present
            content: hello
            owner: {_owner()[0]}
            group: {_owner()[1]}
            mode: "0644"
""",
        encoding="utf-8",
    )
    return ["apply", str(manifest)]


def _owner():
    import grp
    import pwd

    return pwd.getpwuid(os.getuid()).pw_name, grp.getgrgid(os.getgid()).gr_name


def imported(command):
    """Return the modules that a Python command line imports, as reported by the interpreter."""
    done = subprocess.run([PYTHON, "-X", "importtime", *command], capture_output=True, text=True, cwd="/", check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def unwanted(modules):
    return {name for name in modules if any(name == word or name.startswith(word + ".") for word in UNWANTED)}


def test_apply_imports_no_unused_module(installed, one_file):
    modules = imported([CCM, *one_file]) - imported(["-c", "pass"])
    assert {"ccm.cli.main", "yaml._yaml"} <= modules
    assert "yaml" not in modules, "all of PyYAML is loaded where its binding of libyaml is enough"
    assert unwanted(modules) == set()
    assert [
        name for name in modules if name.startswith(("ccm.lang.expr", "ccm.lang.go.regexp", "ccm.host.facts"))
    ] == []


def test_version_needs_no_yaml(installed):
    modules = imported([CCM, "--version"]) - imported(["-c", "pass"])
    assert "ccm.cli.main" in modules
    assert unwanted(modules) == set()
    assert "yaml" not in modules


# A converged run of a module by its own main(), and the size of our code in sys.modules after it, without comments
# and docstrings, which cost a task no time.
MODULE_RUN = """
import json, marshal, runpy, sys
from ansible.module_utils import basic
basic._ANSIBLE_ARGS = sys.argv[2].encode()
basic._ANSIBLE_PROFILE = "legacy"
try:
    runpy.run_module("ansible_collections.ccm.core.plugins.modules." + sys.argv[1], run_name="__main__")
except SystemExit as err:
    status = err.code
ours = [module.__file__ for name, module in sys.modules.items()
        if name.startswith("ansible_collections.ccm.core.plugins.module_utils.") and getattr(module, "__file__", None)]
def code_size(code):
    parts = [code_size(part) if hasattr(part, "co_code") else len(marshal.dumps(part)) for part in code.co_consts]
    return len(code.co_code) + sum(parts) + sum(len(name) for name in code.co_names + code.co_varnames)
def size(path):
    with open(path, "rb") as file:
        return code_size(compile(file.read(), path, "exec", optimize=2))
print(json.dumps({"status": status, "sizes": {path: size(path) for path in ours}}))
"""


def programs(folder):
    """A directory with the programs that modules call, so that other programs of the host make no difference."""
    stand_in_for_systemctl(folder)
    for name in ("apt-cache", "apt-get", "apt-mark", "dpkg", "dpkg-query", "touch"):
        if shutil.which(name):
            (folder / name).symlink_to(shutil.which(name))
    return folder


def converged(module, arguments, tmp_path):
    """Run a module twice; return the second result and the sizes of its imports of this package."""
    collection = tmp_path / "ansible_collections/ccm/core"
    collection.parent.mkdir(parents=True)
    collection.symlink_to(ROOT)
    given = json.dumps({"ANSIBLE_MODULE_ARGS": arguments})
    env = dict(os.environ, PYTHONPATH=str(tmp_path), PATH=str(programs(tmp_path / "bin")))
    for _run in range(2):
        done = subprocess.run(
            [sys.executable, "-c", MODULE_RUN, module, given], env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        result, measured = (json.loads(line) for line in done.stdout.strip().splitlines()[-2:])
        assert measured["status"] in (0, None), result
    return result, measured["sizes"]


def arguments_for(module, tmp_path):
    owner, group = _owner()
    path = str(tmp_path / "made")
    if module == "archive":
        archive = tmp_path / "made.tar"
        archive.touch()
        return {"name": str(archive), "ensure": "present", "url": "http://h/a.tar", "owner": owner, "group": group}
    if module == "package":
        return {"name": ["dpkg"], "ensure": "present"}
    if module == "service":
        return {"name": "web", "enable": True}
    if module == "file":
        return {"name": path, "ensure": "present", "content": "x", "owner": owner, "group": group, "mode": "0644"}
    if module == "scaffold":
        source = tmp_path / "templates"
        source.mkdir()
        (source / "a").write_text("[[ data.x ]]")
        return {"name": path, "ensure": "present", "source": str(source), "remote_src": True, "data": {"x": 1}}
    return {"name": f"touch {path}", "creates": path}


@pytest.mark.parametrize(
    "module",
    [
        "archive",
        "file",
        "exec",
        pytest.param("package", marks=pytest.mark.needs("apt-get")),
        "service",
        "scaffold",
    ],
)
def test_a_module_imports_little_code(module, tmp_path):
    """Ansible compiles all imports of a module at each task."""
    result, sizes = converged(module, arguments_for(module, tmp_path), tmp_path)
    print(module, sum(sizes.values()), sorted(((size, path) for path, size in sizes.items()), reverse=True)[:8])
    assert result["changed"] is False
    assert len(sizes) > 5
    assert sum(sizes.values()) <= IMPORTED_LIMITS.get(module, IMPORTED_LIMIT)
