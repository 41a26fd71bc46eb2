# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test is part of make check, make test or make soak: of the output of `tests/tools/steps --list` for these."""

from __future__ import annotations

import importlib
import pathlib
import re
import shlex
import subprocess

import pytest

from tests.generated.__main__ import KINDS

from .layout import ROOT, tracked

STEPS = ROOT / "tests/tools/steps"
GROUPS = ("check", "test", "soak")


@pytest.fixture(scope="module")
def steps():
    """{group: {name of a step: its command, as words}}"""
    found = {}
    for group in GROUPS:
        listed = subprocess.run([STEPS, "--list", group], capture_output=True, text=True, check=True).stdout
        lines = [line.partition("\t") for line in listed.splitlines()]
        found[group] = {name: shlex.split(command) for name, _tab, command in lines}
    return found


def folders(commands):
    """Return the directories that the pytest commands among these run completely."""
    of_pytest = [words for words in commands if "pytest" in words]
    whole = [words for words in of_pytest if not {"-m", "-k"} & set(words[words.index("pytest") :])]
    return [pathlib.PurePath(words[-1]) for words in whole]


def programs(commands):
    """Return the modules that these run: X of `python -m X`."""
    return {
        words[at + 2] for words in commands for at in range(len(words) - 2) if words[at : at + 2] == ["python", "-m"]
    }


def test_each_file_of_tests_belongs_to_make_test(steps):
    whole = folders(steps["test"].values())
    files = [path for path in tracked("tests") if re.fullmatch(r"test_.*\.py", path.name)]
    assert len(files) > 150
    assert [str(path) for path in files if not set(whole) & set(path.parents)] == []


def test_each_step_is_in_a_group(steps):
    written = set(re.findall(r'^ *(?:if .* then )?step "([^"]+)"', STEPS.read_text("utf-8"), re.MULTILINE))
    assert written - set().union(*steps.values()) == {"test hosts: whether one boots"}


def test_each_generated_program_is_in_make_test_and_make_soak(steps):
    modules = [path.stem for path in tracked("tests/generated/*.py") if path.stem not in ("__init__", "__main__")]
    makers = [name for name in modules if hasattr(importlib.import_module(f"tests.generated.{name}"), "MADE")]
    assert set(makers) == set(KINDS)
    runnable = {f"tests.generated.{name}" for name in modules if "__main__" in text_of(f"tests/generated/{name}.py")}
    for group in ("test", "soak"):
        assert runnable | {"tests.generated"} <= programs(steps[group].values())


def test_each_number_of_times_is_large_in_make_soak(steps):
    """A test that reads its number of repetitions from the environment is marked for make soak, which sets it."""
    readers = {
        path: re.findall(r'environ\.get\("(CCM_[A-Z_]*)", "\d+"\)', text_of(path))
        for path in map(str, tracked("tests/unit", "tests/hosts", "tests/integration"))
    }
    numbers = set().union(*readers.values())
    assert {"CCM_KILLS", "CCM_LAST_SEED"} <= numbers
    given = {word.partition("=")[0] for words in steps["soak"].values() for word in words}
    assert numbers - given == {"CCM_FIRST_SEED"}
    users = [path for path in tracked("tests") if path.name.endswith("_killed.py") or readers.get(str(path))]
    marked = [path for path in users if "pytest.mark.soak" in text_of(path)]
    assert [str(path) for path in users if path not in marked] == ["tests/unit/kills.py"]
    soaked = {words[-1] for words in steps["soak"].values() if words[-3:-1] == ["-m", "soak"]}
    assert [str(path) for path in marked if not any(str(path).startswith(place) for place in soaked)] == []


def test_each_scenario_is_run(steps):
    assert "scenarios" in {words[0] for words in steps["test"].values()}
    first, second, rest = re.search(
        r"MOLECULE_GLOB='{([^,]*),([^}]*)}([^']*)'", text_of("tests/tools/molecule")
    ).groups()
    for folder, pattern in (("roles", first + rest), ("extensions", second + rest)):
        scenarios = [path for path in tracked(folder) if path.name == "molecule.yml"]
        assert scenarios and all(path.match(pattern) for path in scenarios)


def text_of(path):
    return (ROOT / path).read_text("utf-8")
