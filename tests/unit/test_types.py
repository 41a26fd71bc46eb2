# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The type checker finds violations of the contract between engine, types and providers, which the test inserts."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from .layout import ROOT

pytestmark = pytest.mark.starts_processes

#: A file, a text in it, its replacement, and the report of the checker.
PLANTED = [
    (
        "engine/transaction.py",
        "provider.status_after(",
        "provider.status_aftr(",
        '"Provider[Any, Any]" has no attribute',
    ),
    ("engine/transaction.py", "type.decide(", "type.decde(", '"ResourceType[Any, Any]" has no attribute'),
    ("resources/file/type.py", "= state.metadata", "= state.metadta", '"FileState" has no attribute'),
    ("resources/file/type.py", "properties.ensure == ABSENT", "properties.ensre == ABSENT", "has no attribute"),
    (
        "resources/archive/type.py",
        'there["owner"] !=',
        'there["ownr"] !=',
        'TypedDict "ArchiveMetadata" has no key "ownr"',
    ),
    ("resources/exec/type.py", "state.creates_satisfied", "state.creats_satisfied", '"ExecState" has no attribute'),
    ("resources/exec/posix.py", "properties.cwd", "properties.cwdd", '"ExecProperties" has no attribute'),
    ("resources/service/type.py", "def decide(", "def decde(", "Cannot instantiate abstract class"),
    ("resources/archive/type.py", "def shortfall(", "def shortfal(", "Cannot instantiate abstract class"),
    ("resources/scaffold/choria.py", "def status(", "def stats(", "Can only assign concrete classes"),
]


def test_violations_of_the_contract_are_found(tmp_path):
    for name in ("plugins", "bin"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    modules = tmp_path / "plugins/module_utils"
    for name, original, instead, _message in PLANTED:
        text = (modules / name).read_text("utf-8")
        assert original in text, name
        (modules / name).write_text(text.replace(original, instead, 1), encoding="utf-8")
    # Of what is not changed there may be a result of the lint.
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", tmp_path / ".mypy_cache")
    command = [sys.executable, "-m", "mypy"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    for name, _there, _instead, message in PLANTED:
        found = [line for line in done.stdout.splitlines() if f"module_utils/{name}:" in line]
        assert any(message in line for line in found), (name, found, done.stdout[-2000:])
