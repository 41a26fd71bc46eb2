# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Molecule may not say "Successful" of nothing; the scenarios of the roles are a step of their own (steps.toml)."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("action", ["create", "converge", "verify"])
def test_a_wrong_inventory_fails(action, tmp_path):
    config = (ROOT / ".config/molecule/config.yml").read_text("utf-8")
    assert "tests/molecule/inventory.yml" in config
    (tmp_path / "config.yml").write_text(config.replace("molecule/inventory.yml", "molecule/missing.yml"), "utf-8")
    done = subprocess.run(
        [ROOT / "tests/tools/molecule", "--base-config", tmp_path / "config.yml", action, "--all"],
        env={**os.environ, "HOME": str(tmp_path), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "tests/molecule/missing.yml" in done.stdout + done.stderr
    assert "Successful" not in done.stdout + done.stderr


def test_every_module_occurs_in_a_scenario():
    modules = {path.stem for path in (ROOT / "plugins/modules").glob("*.py")}
    plays = [play for place in ("roles/*", "extensions") for play in ROOT.glob(f"{place}/molecule/*/*.yml")]
    text = "\n".join(play.read_text("utf-8") for play in plays)
    used = set(re.findall(r"^ +(?:- )?ccm\.core\.(\w+):", text, re.MULTILINE))
    assert len(modules) >= 10
    assert modules - used == set()


def test_only_known_engines_boot_hosts():
    done = subprocess.run(
        [ROOT / "tests/tools/molecule", "list"],
        env={**os.environ, "CCM_MOLECULE": "vm"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "CCM_MOLECULE is 'vm': it may be nspawn, podman or docker\n")
