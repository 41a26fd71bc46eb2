# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""All commands, flags, arguments, aliases, variables and defaults of the original exist, and the script uses each."""

from __future__ import annotations

import pathlib

import pytest
import yaml
from ccm.cli.root import ROOT
from ccm.lang.spans import format_go

from tests.tools.docs import all_commands

SCRIPT = pathlib.Path(__file__).parents[2] / "conformance/script"
THEIRS = yaml.safe_load((SCRIPT / "commands.yaml").read_text(encoding="utf-8"))
STEPS = yaml.safe_load((SCRIPT / "steps.yaml").read_text(encoding="utf-8"))
RECORDED = yaml.safe_load((SCRIPT / "recorded.yaml").read_text(encoding="utf-8"))
OURS = {command.path: command for command in all_commands() if command.path}
MISSING = {"agent"}
DURATIONS = {"1m": "1m0s"}


def test_no_command_is_missing():
    assert set(THEIRS) - set(OURS) == MISSING, "commands of the original without one here, beside MISSING in this file"


@pytest.mark.parametrize("path", sorted(set(THEIRS) - MISSING))
def test_a_command_has_the_flags_and_arguments_of_the_original(path):
    theirs, ours = THEIRS[path], OURS[path]
    assert list(ours.aliases) == theirs.get("aliases", [])
    group = OURS[path.rpartition(" ")[0]] if " " in path else ROOT
    flags = {flag.name: flag for flag in (*group.flags, *ours.flags)}
    for name, wanted in theirs.get("flags", {}).items():
        assert name in flags, f"ccm {path} has no flag --{name}, which the original has"
        assert described(flags[name]) == {"repeats": False, "required": False, **wanted}, name
    arguments = [
        {"name": argument.name, **{key: value for key, value in described_argument(argument).items() if value}}
        for argument in ours.arguments
    ]
    assert arguments == theirs.get("arguments", [])


@pytest.mark.parametrize("path", sorted(set(THEIRS) - MISSING))
def test_aliases_select_the_same_command(path):
    group = OURS[path.rpartition(" ")[0]] if " " in path else ROOT
    for alias in THEIRS[path].get("aliases", []):
        assert group.find(alias).path == OURS[path].path


def described(flag):
    """A flag in the format of commands.yaml."""
    found = {"repeats": flag.repeats, "required": flag.required}
    if flag.short:
        found["short"] = flag.short
    if flag.env:
        found["env"] = flag.env
    if not flag.takes_value:
        found["kind"] = flag.kind
    default = default_of(flag)
    if default:
        found["default"] = default
    return found


def default_of(flag):
    if flag.kind == "duration":
        return flag.placeholder if format_go(flag.default) == DURATIONS.get(flag.placeholder, flag.placeholder) else "?"
    if flag.kind == "switch":
        return str(flag.default).lower()
    if isinstance(flag.default, list):
        return ",".join(map(str, flag.default))
    return "" if flag.default is None else str(flag.default)


def described_argument(argument):
    return {
        "required": argument.required,
        "default": argument.default,
        "env": argument.env,
        "repeats": argument.kind == "map",
    }


def used(words):
    """Return the command of a step, and its flags, with the flags of its groups under the names of the groups."""
    command, at = ROOT, 1
    path = []
    while command.find is not None and at < len(words):
        found = command.find(words[at])
        at += 1
        if found is not None:
            command = found
            path.append(command.path)
    found = set()
    owners = {"": ROOT, **{each: OURS[each] for each in path}}
    for owner, holder in owners.items():
        for flag in holder.flags:
            names = {f"--{flag.name}", f"--no-{flag.name}", f"-{flag.short}" if flag.short else f"--{flag.name}"}
            if any(str(word).partition("=")[0] in names for word in words):
                found.add(f"{owner} --{flag.name}")
    return {*path, *found}


def test_the_script_uses_each_flag_except_the_listed_ones():
    used_flags = set().union(*(used(step["run"]) for step in STEPS["steps"] if "run" in step))
    everything = set(THEIRS) | {f"{path} --{name}" for path, its in THEIRS.items() for name in its.get("flags", {})}
    left_out = {
        name for name in everything if any(name == out or name.startswith(f"{out} ") for out in STEPS["left_out"])
    }
    assert everything - used_flags == left_out - used_flags, "use it in steps.yaml of tests/conformance/script"
    assert left_out & used_flags == set(), "what is left out is used"
    assert set(STEPS["left_out"]) <= everything


def test_every_step_is_recorded():
    assert len(RECORDED["steps"]) == len(STEPS["steps"])
    assert all(reason for reason in STEPS["left_out"].values())
    assert len(RECORDED["tree"]) > 20
