# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How much longer the command takes than the interpreter: python -m tests.bench.startup

CPU time is compared, not the clock, by the minima of several runs, which take turns: noise only adds.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

from tests.bench.__main__ import ROOT, files, timed

PYTHON, CCM = (str(ROOT / ".venv-run/bin" / name) for name in ("python", "ccm"))
ROUNDS = 15
#: By what is run, how often the time of the other command it may take.
MOST = {"ccm apply of one file": 1.6, "ccm --version": 1.6}


def ratio(command, floor):
    """Return the CPU time of a command divided by the time of another one, and print both."""
    pairs = [(timed(command)[1], timed(floor)[1]) for _round in range(ROUNDS)]
    mine, other = (1000 * min(column) for column in zip(*pairs, strict=True))
    print(f"{mine:8.1f} ms, {other:.1f} ms: {mine / other:.2f}")
    return mine / other


def main():
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
        manifest = pathlib.Path(scratch, "m.yaml")
        manifest.write_text(files(1, pathlib.Path(scratch), "hello"), encoding="utf-8")
        apply = [CCM, "apply", str(manifest), "--no-report"]
        timed(apply)
        found = {
            "ccm apply of one file": ratio(apply, [PYTHON, "-I", "-c", "import yaml"]),
            "ccm --version": ratio([CCM, "--version"], [PYTHON, "-c", "pass"]),
        }
    slow = [
        f"{name} takes {found[name]:.2f} of its base, at most {MOST[name]}" for name in MOST if found[name] > MOST[name]
    ]
    print(*slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
