# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run steps of the tests: python3 -m tests.tools.steps [--list] WORD... | --as NAME -- COMMAND...

A word is a target of make, a group or a step of steps.toml. --list prints what each step runs, and runs nothing. With
--as a command is run as a step of this name. Needs nothing but Python; the steps need .venv, and those that start the
command .venv-run.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from typing import Any, Iterable

from .environment import clean
from .running import ROOT, Result, Run, Step, summary
from .signals import unwind

TABLE = tomllib.loads((ROOT / "tests/tools/steps.toml").read_text(encoding="utf-8"))
TARGETS: dict[str, dict[str, Any]] = TABLE["targets"]
GROUPS: dict[str, list[dict[str, Any]]] = {name: steps for name, steps in TABLE.items() if name != "targets"}
STEPS = {entry["name"]: entry for entries in GROUPS.values() for entry in entries}
TOOL = "python3 -m tests.tools.steps"


def names_of(words: Iterable[str]) -> list[str]:
    """The names of the steps of targets, groups and steps, each once, after the steps that must have passed before."""
    names: dict[str, None] = {}
    for name in (name for word in words for name in steps_meant_by(word)):
        names.update(dict.fromkeys([*names_of(STEPS[name].get("after", ())), name]))
    return list(names)


def steps_meant_by(word: str) -> list[str]:
    """The names of the steps of a target, a group or a step, of which the first counts."""
    if word in TARGETS:
        return [entry["name"] for group in TARGETS[word]["groups"] for entry in GROUPS[group]]
    if word in GROUPS:
        return [entry["name"] for entry in GROUPS[word]]
    if word not in STEPS:
        known = ", ".join(dict.fromkeys([*TARGETS, *GROUPS, *STEPS]))
        sys.exit(f"no such target, group or step: {word}; there are {known}")
    return [word]


def step_of(entry: dict[str, Any], work: str) -> Step:
    """The step of an entry of the table; `work` is the directory of the run."""

    def filled(text: str) -> str:
        return text.replace("{work}", work).replace("{root}", str(ROOT))

    given = {key: entry[key] for key in ("processes", "alone", "answers", "needs_hosts", "hosts_do") if key in entry}
    return Step(
        name=entry["name"],
        about=entry["about"],
        command=tuple(map(filled, shlex.split(entry["run"]))),
        variables={name: filled(value) for name, value in entry.get("variables", {}).items()},
        after=tuple(entry.get("after", ())),
        **given,
    )


def say(text: bytes) -> None:
    """Write at once; end the program where that cannot be done."""
    try:
        while text:
            text = text[os.write(1, text) :]
    except OSError as error:
        sys.exit(f"standard output: {error.strerror}")


def run(steps: list[Step], programs: str = "") -> list[Result]:
    """Run steps side by side, as many as keep each core busy twice: some of them wait for what they start.

    `programs` is the directory where programs are found first.
    """
    environ = clean(os.environ)
    environ["PATH"] = ":".join(filter(None, [programs, environ.get("PATH", os.defpath)]))
    return Run(steps, environ, 2 * len(os.sched_getaffinity(0)), say).all()


def require_python(environment: pathlib.Path) -> None:
    """End unless the Python of the environment runs: steps would find another one in PATH."""
    if not environment.exists():
        sys.exit("the steps need .venv and .venv-run, which are not there: make demo makes both")
    try:
        subprocess.run([environment / "bin/python", "-c", ""], check=True)
    except (OSError, subprocess.CalledProcessError):
        sys.exit(f"there is no Python that runs in {environment.name}: make clean, and make demo makes it anew")


def repeating_tool() -> str:
    """The command that runs one step again, with the same choices where they are random."""
    seed = os.environ.get("CCM_SEED")
    return f"CCM_SEED={seed} {TOOL}" if seed else TOOL


def status_of(results: list[Result]) -> int:
    return 1 if any(result.status != 0 for result in results) else 0


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=TOOL, description=__doc__.splitlines()[0].partition(":")[0])
    parser.add_argument("--list", action="store_true", help="print what each step runs, and run nothing")
    parser.add_argument("--as", dest="name", metavar="NAME", help="run a command as a step of this name")
    parser.add_argument("words", nargs="+", metavar="WORD", help="targets, groups and steps; with --as a command")
    given = parser.parse_args(words)
    if sys.stdout is None:  # another file would get its number
        sys.exit("standard output: it is closed")
    if given.name:
        return status_of(run([Step(given.name, given.name, tuple(given.words))]))
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ccm-steps-") as work:
        steps = [step_of(STEPS[name], work) for name in names_of(given.words)]
        if given.list:
            say("".join(f"{step.name}\t{shlex.join(step.command)}\n" for step in steps).encode())
            return 0
        require_python(ROOT / ".venv")
        results = run(steps, f"{ROOT}/.venv/bin")
    status = status_of(results)
    if len(results) > 1 or status:
        say(summary(results, repeating_tool(), time.monotonic() - begin).encode())
    return status


if __name__ == "__main__":
    unwind()
    sys.exit(main())
