# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much the processor and the kernel do for a converged run of one file, and the kernel for each file of many.

python -m tests.bench.counts

Unlike time, instructions (counted by valgrind) and system calls (strace) hardly differ from run to run. The budgets are
for the Python of Debian 12; with another one, and for the bare interpreter, counts are only printed.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tests.bench.__main__ import GROUP, OWNER, ROOT
from tests.bench.strace import counted

PYTHON, CCM = (str(ROOT / ".venv-run/bin" / name) for name in ("python", "ccm"))
PROGRAMS = ("valgrind", "strace")
#: Of each run: instructions and system calls.
MOST = (67_000_000, 1_600)
BUDGETED = "3.11"
#: System calls for each of many files in one directory, with its line of the log.
MOST_FOR_A_FILE = {"new": 20, "replaced": 24, "converged": 9}
FEW, MANY = 50, 150
ONE_FILE = """ccm:
  resources:
    - file:
        - {path}: {{ensure: present, content: hello, owner: {owner}, group: {group}, mode: "0644"}}
"""
MORE = "        - {path}: {{ensure: present, content: {content}, owner: {owner}, group: {group}, mode: '0644'}}\n"


def instructions(command, environ):
    """How many instructions of the processor a command takes, without its children."""
    counting = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
    done = subprocess.run(counting, capture_output=True, text=True, check=True, env=environ)
    return int(re.search(r"I +refs: +([0-9,]+)", done.stderr)[1].replace(",", ""))


def system_calls(command, environ):
    """How many system calls a command and its children make."""
    done = subprocess.run(["strace", "-f", "-c", *command], capture_output=True, text=True, check=True, env=environ)
    return counted(done.stderr)["calls"]


def calls_for_a_file(scratch, environ):
    """Return how many system calls each further file of a manifest takes, by what becomes of it."""
    counts = {}
    for number in (FEW, MANY):
        files = pathlib.Path(scratch, f"files-{number}")
        files.mkdir()
        for content in ("old", "new"):
            text = ONE_FILE.partition("        -")[0]
            for index in range(number):
                text += MORE.format(path=f"{files}/{index:03}", content=content, owner=OWNER, group=GROUP)
            pathlib.Path(scratch, f"{content}.yaml").write_text(text, encoding="utf-8")
        for kind, content in (("new", "old"), ("replaced", "new"), ("converged", "new")):
            found = system_calls([CCM, "apply", f"{scratch}/{content}.yaml"], environ)
            counts.setdefault(kind, []).append(found)
    return {kind: (many - few) / (MANY - FEW) for kind, (few, many) in counts.items()}


def main():
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        print(f"not counted: {', '.join(missing)} not installed")
        return 0
    asked = [PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    is_budgeted = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip() == BUDGETED
    exceeded = []
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
        environ = {**os.environ, "PYTHONHASHSEED": "0", "CCM_STATE": f"{scratch}/state"}
        for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"):
            environ.pop(name, None)
        manifest = pathlib.Path(scratch, "m.yaml")
        manifest.write_text(ONE_FILE.format(path=f"{scratch}/one", owner=OWNER, group=GROUP), encoding="utf-8")
        apply = [CCM, "apply", str(manifest)]
        # The first run writes the file, the second one saves that nothing changed.
        for _run in range(2):
            subprocess.run(apply, capture_output=True, check=True, env=environ)
        runs = {
            "python -c pass": [PYTHON, "-c", "pass"],
            "ccm apply": apply,
            "ccm apply --noop": [*apply, "--noop"],
            "ccm apply --no-state": [*apply, "--no-state"],
        }
        for name, command in runs.items():
            subprocess.run(command, capture_output=True, check=True, env=environ)
            found = instructions(command, environ), system_calls(command, environ)
            print(f"{name:24}{found[0]:14,} instructions{found[1]:8,} system calls")
            if name.startswith("ccm") and (found[0] > MOST[0] or found[1] > MOST[1]):
                exceeded.append(f"{name} exceeds its budget: {MOST[0]:,} instructions, {MOST[1]:,} system calls")
        for kind, calls in calls_for_a_file(scratch, environ).items():
            print(f"each {kind} file{calls:39.1f} system calls")
            if round(calls) > MOST_FOR_A_FILE[kind]:
                exceeded.append(f"a {kind} file exceeds its budget: {MOST_FOR_A_FILE[kind]} system calls")
    print(*exceeded, sep="\n")
    return 1 if exceeded and is_budgeted else 0


if __name__ == "__main__":
    sys.exit(main())
