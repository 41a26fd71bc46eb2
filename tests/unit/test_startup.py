# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits for what a run imports (architecture.md, Imports); tests/bench/startup.py compares times.

Measured in a regular installation, .venv-run, which is updated first.
"""

from __future__ import annotations

import fcntl
import os
import subprocess

import pytest

from .layout import ROOT
from .sizes import IMPORTED, excess, imported_code, owner

pytestmark = pytest.mark.starts_processes

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
            owner: {owner()[0]}
            group: {owner()[1]}
            mode: "0644"
""",
        encoding="utf-8",
    )
    return ["apply", str(manifest)]


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


@pytest.mark.parametrize(
    "module",
    [pytest.param(name, marks=pytest.mark.needs("apt-get")) if name == "package" else name for name in IMPORTED],
)
def test_a_module_imports_little_code(module, tmp_path):
    """Ansible compiles all imports of a module at each task."""
    result, sizes = imported_code(module, tmp_path)
    assert result["changed"] is False
    assert len(sizes) > 5
    largest = sorted(((size, path) for path, size in sizes.items()), reverse=True)[:8]
    assert excess({module: sum(sizes.values())}, IMPORTED, "IMPORTED") == [], largest
