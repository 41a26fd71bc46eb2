# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every test is part of make test or make soak, as tests/tools/steps.toml has them."""

from __future__ import annotations

import importlib
import pathlib
import re

import pytest

from tests.generated.__main__ import KINDS
from tests.tools.steps import GROUPS, STEPS, TARGETS, names_of, step_of

from .layout import ROOT, tracked

WORK = "/work of the run"


def commands(target):
    """Return the commands of the steps of a target, as words."""
    return [step_of(STEPS[name], WORK).command for name in names_of([target])]


def folders(target):
    """Return the directories that pytest runs completely."""
    whole = [words for words in commands(target) if "pytest" in words and not {"-m", "-k"} & set(words[3:])]
    return {pathlib.PurePath(words[-1]) for words in whole}


def modules(target):
    return {words[2] for words in commands(target) if words[:2] == ("python", "-m")}


def test_each_file_of_tests_belongs_to_make_test_or_to_its_form_for_continuous_integration():
    files = [path for path in tracked("tests") if re.fullmatch(r"test_.*\.py", path.name)]
    assert len(files) > 150
    outside = [str(path) for path in files if not (folders("test") | folders("ci")) & set(path.parents)]
    assert outside == [], "no step of make test and make ci runs these files (tests/tools/steps.toml)"


def test_continuous_integration_runs_each_group_of_make_test():
    """The fresh machine has the group `unit` in it; .ci/run runs make check before."""
    assert set(TARGETS["test"]["groups"]) - set(TARGETS["ci"]["groups"]) == {"unit", "lint"}
    assert "lint" in TARGETS["check"]["groups"]
    assert "fresh" in TARGETS["ci"]["groups"]
    assert "make unit" in STEPS["fresh-machine"]["about"]


def test_each_group_belongs_to_a_target():
    assert set(GROUPS) == {group for target in TARGETS.values() for group in target["groups"]}


@pytest.mark.parametrize("target", ["test", "soak"])
def test_each_generated_program_is_in_make_test_and_make_soak(target):
    names = [path.stem for path in tracked("tests/generated/*.py") if path.stem not in ("__init__", "__main__")]
    makers = [name for name in names if hasattr(importlib.import_module(f"tests.generated.{name}"), "MADE")]
    assert set(makers) == set(KINDS)
    runnable = {f"tests.generated.{name}" for name in names if "__main__" in text_of(f"tests/generated/{name}.py")}
    assert runnable | {"tests.generated"} <= modules(target)


def test_each_number_of_times_is_large_in_make_soak():
    """A test that reads its number of repetitions from the environment is marked for make soak, which sets it."""
    readers = {
        path: re.findall(r'environ\.get\("(CCM_(?!PATIENCE)[A-Z_]*)", "\d+"\)', text_of(path))
        for path in map(str, tracked("tests/unit", "tests/hosts", "tests/integration"))
    }
    numbers = set().union(*readers.values())
    assert {"CCM_KILLS", "CCM_GROUPINGS"} <= numbers
    given = {variable for name in names_of(["soak"]) for variable in STEPS[name].get("variables", ())}
    assert numbers - given == set(), "make soak sets each number of times, in tests/tools/steps.toml"
    users = [path for path in tracked("tests") if path.name.endswith("_killed.py") or readers.get(str(path))]
    marked = [path for path in users if "pytest.mark.soak" in text_of(path)]
    unmarked = [str(path) for path in users if path not in marked]
    assert unmarked == ["tests/unit/kills.py", "tests/unit/watching.py"], "these need the mark pytest.mark.soak"
    soaked = {words[-1] for words in commands("soak") if words[-3:-1] == ("-m", "soak")}
    assert [str(path) for path in marked if not any(str(path).startswith(place) for place in soaked)] == []


def test_each_scenario_is_run():
    first, second, rest = re.search(
        r"MOLECULE_GLOB='{([^,]*),([^,]*),}([^']*)'", text_of("extensions/molecule/run")
    ).groups()
    for folder, pattern in (("roles", first + rest), ("extensions", second + rest)):
        scenarios = [path for path in tracked(folder) if path.name == "molecule.yml"]
        assert scenarios and all(path.match(pattern) for path in scenarios)


def text_of(path):
    return (ROOT / path).read_text("utf-8")
