# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much memory runs of many files take at most: python -m tests.bench.memory

The budgets are for the Python of Debian 12; with another one figures are only printed.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

from tests.bench.__main__ import GROUP, OWNER
from tests.bench.counts import BUDGETED, CCM, PYTHON

#: By the number of resources: the largest resident memory, in bytes.
MOST = {10_000: 60_000_000, 50_000: 200_000_000}
RUNS = {"first": (), "second": (), "converged": (), "--noop": ("--noop",), "--no-state": ("--no-state",)}
HEAD = "ccm:\n  resources:\n    - file:\n"
DEFAULTS = "        - defaults: {{ensure: present, owner: {owner}, group: {group}, mode: '0644'}}\n"
#: The forms in which each file is written, with the entry before all files.
FORMS = {
    "in full": (
        "",
        "        - {path}: {{ensure: present, content: x{at}, owner: {owner}, group: {group}, mode: '0644'}}\n",
    ),
    "with defaults": (DEFAULTS, "        - {path}: {{content: x{at}}}\n"),
}
# What getrusage says of a child includes the process that it was forked from; this is the peak of the command itself.
RUN = """
import runpy, sys
program, *sys.argv[1:] = sys.argv[1:]
sys.argv[0] = program
try:
    runpy.run_path(program, run_name="__main__")
finally:
    sys.stderr.write(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def peak(words, environ):
    """The largest resident memory of a command, in bytes."""
    done = subprocess.run([PYTHON, "-c", RUN, CCM, *words], capture_output=True, text=True, env=environ, check=True)
    return int(done.stderr.split()[-2]) * 1024


def measured(form, count, directory):
    """Yield the name and the peak of each run of so many files in an empty directory."""
    about = {"owner": OWNER, "group": GROUP}
    first, entry = FORMS[form]
    paths = (directory / f"files/{at}" for at in range(count))
    (directory / "files").mkdir()
    manifest = directory / "m.yaml"
    entries = "".join(entry.format(path=path, at=at, **about) for at, path in enumerate(paths))
    manifest.write_text(HEAD + first.format(**about) + entries, encoding="utf-8")
    environ = {**os.environ, "CCM_STATE": str(directory / "state")}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for name, flags in RUNS.items():
        yield name, peak(["apply", str(manifest), *flags], environ)


def main():
    asked = [PYTHON, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    is_budgeted = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip() == BUDGETED
    exceeded = []
    for count, most in MOST.items():
        for form in FORMS:
            with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
                for name, found in measured(form, count, pathlib.Path(scratch)):
                    print(f"{count:6,} files {form:14} {name:12}{found / 1e6:8.1f} MB", flush=True)
                    if found > most:
                        exceeded.append(f"{count:,} files {form}, {name}: more than the budget of {most / 1e6:.0f} MB")
    print(*exceeded, sep="\n")
    return 1 if exceeded and is_budgeted else 0


if __name__ == "__main__":
    sys.exit(main())
