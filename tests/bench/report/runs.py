# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run workloads on this machine: programs and parts take turns, and the system calls of ccm.core are counted."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pathlib
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import typing

from .. import node as timer
from ..archives import prepare, serve
from ..strace import counted
from . import forms
from .programs import ORIGINAL, OURS, Program
from .workloads import MIB, PHASES, Part, Place, Workload

HERE = pathlib.Path(__file__).parent
#: What is measured beside each workload, for the shares.
START, YAML = "starting Python", "reading the manifest's YAML"
#: What the names of parts begin with, among the programs.
PART = "part: "
READ_YAML = """
import sys
from ccm.lang import yaml
with open(sys.argv[1], "rb") as stream:
    yaml.load(stream.read(), sys.argv[1])
"""


class Settings(typing.NamedTuple):
    """How much is measured: rounds, seconds of a program for each line, and the seconds that a run may take."""

    rounds: int = 7
    budget: float = 5
    limit: float = 30
    only: str = ""

    def chooses(self, title):
        """Whether a workload of this subject and title is measured."""
        return self.only.lower() in title.lower()


def node(**given):
    """What node.py says, in a small process: memory of this one would be counted."""
    command = [sys.executable, "-I", timer.__file__]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def interpreter(programs):
    """The Python that runs ccm.core."""
    beside = pathlib.Path(programs[OURS].path).with_name("python")
    return str(beside) if beside.exists() else sys.executable


def system_calls(run):
    """How many system calls and new processes a run has, by strace; None without strace."""
    if not shutil.which("strace"):
        return None
    subprocess.run(["sh", "-ec", run.get("before", ":")], check=True)
    with tempfile.NamedTemporaryFile("r", prefix="ccm-bench-") as report:
        subprocess.run(
            ["strace", "-f", "-c", "-o", report.name, *run["argv"]],
            cwd=run.get("directory"),
            env={**os.environ, **run.get("variables", {})},
            input=run.get("input", ""),
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        return counted(report.read())


@contextlib.contextmanager
def place_of_shared(workloads):
    """A folder for runs, with what all programs read: a large file and a server with an archive, where one needs it."""
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as name:
        shared = pathlib.Path(name, "shared")
        shared.mkdir()
        (shared / "small").write_text("small\n" * 100, encoding="utf-8")
        titles = " ".join(workload.title for workload in workloads)
        if "source" in titles:
            rng = random.Random(4)
            with open(shared / "large", "wb") as stream:
                for _block in range(MIB):
                    stream.write(rng.randbytes(1 << 20))
        if "archive" not in titles:
            yield Place(pathlib.Path(name), shared, "", "")
            return
        checksum = prepare(shared, next(each.count for each in workloads if "archive" in each.title), 100)
        here, there = multiprocessing.Pipe()
        server = multiprocessing.Process(target=serve, args=(str(shared / "www"), there), daemon=True)
        server.start()
        try:
            yield Place(pathlib.Path(name), shared, f"http://127.0.0.1:{here.recv()}/parts.tar.gz", checksum)
        finally:
            server.terminate()
            server.join()


def laid_out(workload: Workload, program: Program, place: Place):
    """Write the files of a program for a workload into a folder of its own; return it. Raises forms.NoWord."""
    folder = place.target / program.name
    mine = place._replace(target=folder / "target")
    if workload.only_ccm and program.name not in (OURS, ORIGINAL):
        raise forms.NoWord("the data is in a manifest of ccm")
    folder.mkdir()
    mine.target.mkdir()
    if workload.manifest and program.name in (OURS, ORIGINAL):
        written = {"m.yaml": workload.manifest(workload.count, mine)}
    else:
        written = program.files(workload.items(workload.count, mine))
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def of_part(part: Part, python, places):
    """How node.py runs a part; with `before`, which makes its folder new."""
    words = [word.format(**places) for word in part.bare or part.argv]
    own = shlex.quote(places["own"])
    argv = [python, "-I", str(HERE / "bare.py"), *words] if part.bare else words
    return {"argv": argv, "before": f"rm -rf {own}; mkdir {own}"}


def measured(workload: Workload, programs: dict[str, Program], place: Place, settings: Settings, history):
    """Yield a line for each phase of a workload, and one with `missing` where ccm.core failed.

    `history` has the count and the slowest phase of the last workload of each kind and program.
    """
    failed, folders = {}, {}
    for name, program in programs.items():
        guessed = guess(history, workload, name)
        if name != OURS and guessed > settings.limit:
            failed[name] = f"about {guessed:,.0f} s for each run, by the smaller workload"
            continue
        try:
            folders[name] = laid_out(workload, program, place)
        except forms.NoWord as reason:
            failed[name] = str(reason)
    python = interpreter(programs)
    places = {"target": folders[OURS] / "target", "shared": place.shared, "own": str(place.target / "part")}
    for phase in PHASES:
        runs = {}
        for name, folder in folders.items():
            if name not in failed:
                runs[name] = programs[name].run(folder, noop=phase == "noop")
                runs[name] |= around(phase, folder, workload.made)
        parts = {START: {"argv": [python, "-I", "-c", "pass"]}}
        parts[YAML] = {"argv": [python, "-I", "-c", READ_YAML, str(folders[OURS] / "m.yaml")]}
        parts |= {part.name: of_part(part, python, places) for part in workload.parts[phase]}
        found = node(
            programs={**runs, **{PART + name: run for name, run in parts.items()}},
            rounds=settings.rounds,
            budget=settings.budget,
            limit=settings.limit,
        )
        line = line_of(found, failed, title=workload.title, phase=phase)
        if "missing" in line:
            yield line
            break
        for name, rows in line["taken"].items():
            last, clock = history.get((workload.items, name), (0, 0))
            slowest = clock if last == workload.count else 0
            took = statistics.median(row[0] for row in rows)
            history[(workload.items, name)] = (workload.count, max(slowest, took))
        yield line | {
            "subject": workload.subject,
            "count": workload.count,
            "by": "cpu",
            "less": {part.name: START for part in workload.parts[phase] if part.bare} | {YAML: START},
            "calls": system_calls(runs[OURS]),
        }
    for folder in folders.values():
        shutil.rmtree(folder)


def line_of(found, failed, **about):
    """A line of what node.py says of programs and parts, with `missing` where ccm.core failed.

    `failed` has the programs and parts that failed so far, and why; it gets more of them.
    """
    failed |= {name: why(said) for name, said in found["failed"].items()}
    if OURS in failed:
        return {**about, "missing": f"ccm.core failed: {failed[OURS]}"}
    taken = {name: rows for name, rows in found["taken"].items() if rows and name not in failed}
    return {
        **about,
        "taken": {name: rows for name, rows in taken.items() if not name.startswith(PART)},
        "parts": {name[len(PART) :]: rows for name, rows in taken.items() if name.startswith(PART)},
        "failed": {name: said for name, said in failed.items() if not name.startswith(PART)},
    }


def why(said):
    """Why a run failed, short: the last line with a word, of what it said."""
    lines = [line.strip() for line in said.splitlines() if re.search(r"\w{2}|\ds?$", line)]
    return lines[-1][-200:] if lines else "failed, and said nothing"


def around(phase, folder, made):
    """What is done before and after each run of a phase: a first run begins with nothing, and makes all files."""
    if phase != "first":
        return {}
    target, own = (shlex.quote(f"{folder}/{name}") for name in ("target", "own"))
    enough = f'test "$(find {target} -type f ! -name "*.tar.gz" | wc -l)" -ge {made}'
    return {"before": f"rm -rf {target} {own}; mkdir {target}", "after": enough}


#: A workload of fewer items takes as long as the start of a program.
FEW = 10


def guess(history, workload, name):
    """The seconds that a run would take, in proportion to a smaller workload of the kind; 0 where that says nothing."""
    count, clock = history.get((workload.items, name), (0, 0))
    return clock * workload.count / count if count >= FEW else 0
