# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Molecule may not say "Successful" of nothing, and needs no clone; the roles are a step of their own (steps.toml)."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from tests.patience import LIMIT
from tests.unit.layout import tracked

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("action", ["create", "converge", "verify"])
def test_a_wrong_inventory_fails(action, tmp_path):
    config = (ROOT / "extensions/molecule/config.yml").read_text("utf-8")
    assert "/inventory.yml" in config
    (tmp_path / "config.yml").write_text(config.replace("/inventory.yml", "/missing.yml"), "utf-8")
    done = subprocess.run(
        [ROOT / "tests/tools/molecule", "--base-config", tmp_path / "config.yml", action, "--all"],
        env={**os.environ, "HOME": str(tmp_path), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "extensions/molecule/missing.yml" in done.stdout + done.stderr
    assert "Successful" not in done.stdout + done.stderr


def test_every_module_occurs_in_a_scenario():
    """A module without an action plugin of its own has the plugin of resource_info."""
    modules = {path.stem for path in (ROOT / "plugins/action").glob("*.py")}
    plays = [play for place in ("roles/*", "extensions") for play in ROOT.glob(f"{place}/molecule/*/*.yml")]
    text = "\n".join(play.read_text("utf-8") for play in plays)
    used = set(re.findall(r"^ +(?:- )?ccm\.core\.(\w+):", text, re.MULTILINE))
    assert modules - used == set()


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"CCM_MOLECULE": "vm"}, "CCM_MOLECULE is 'vm': it may be nspawn, podman or docker\n"),
        (
            {"CCM_MOLECULE_HOSTS": "trixie,sid"},
            "CCM_MOLECULE_HOSTS has 'sid': it may have bullseye,bookworm,trixie\n",
        ),
    ],
)
def test_unknown_engines_and_hosts_are_refused(variables, expected):
    done = subprocess.run(
        [ROOT / "tests/tools/molecule", "list"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, expected)


CONVERGE = """
- name: Converge
  hosts: hosts
  gather_facts: false
  tasks:
    - name: Apply the role
      ansible.builtin.include_role:
        name: {role}
"""
TASKS = """
- name: Greet
  ccm.core.file: {name: /srv/greeting, ensure: present, content: hello, owner: root, group: root, mode: "0644"}
"""


@pytest.mark.timeout(2 * LIMIT)
@pytest.mark.parametrize(
    ("role", "scenario"),
    [("roles/greeting", "molecule/greeting"), (".", "molecule/default")],
    ids=["one of several roles", "a repository that is a role"],
)
def test_a_role_of_ones_own_is_tested_with_the_installed_collection(tmp_path, role, scenario):
    """Without a clone and without `tests`: with what the tarball has, where ansible-galaxy would install it."""
    core = tmp_path / "installed/ansible_collections/ccm/core"
    ignored = yaml.safe_load((ROOT / "galaxy.yml").read_text("utf-8"))["build_ignore"]
    assert "tests" in ignored
    for path in tracked():
        if path.parts[0] not in ignored:
            (core / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, core / path)
    own = tmp_path / "greetings"
    place = own / role
    name = place.resolve().name
    texts = {"tasks/main.yml": TASKS, f"{scenario}/converge.yml": CONVERGE.format(role=name)}
    for path, text in {**texts, f"{scenario}/molecule.yml": "\n"}.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(f"---{text}", "utf-8")
    done = subprocess.run(
        [core / "extensions/molecule/run", "test", "--scenario-name", scenario.rpartition("/")[2]],
        cwd=own,
        env={"PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
        | {name: value for name, value in os.environ.items() if name.startswith("CCM_")}
        | {"CCM_MOLECULE_HOSTS": "trixie"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    assert done.returncode == 0, said
    greeted = said.partition(f"TASK [{name} : Greet]")[2].partition("PLAY RECAP")[0]
    assert sorted(re.findall(r"^changed: \[(\w+)\]", greeted, re.MULTILINE)) == ["trixie"], said
