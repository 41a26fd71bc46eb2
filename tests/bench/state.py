# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What state between runs costs: python -m tests.bench.state [--rounds N]

Pairs of runs with `--state` and with `--no-state`, in turn. The medians of CPU time are shown, and the median of the
ratios of the pairs. `--max-ratio CONVERGED FIRST` makes them a gate.
"""

from __future__ import annotations

import argparse
import pathlib
import shlex
import shutil
import statistics
import sys
import tempfile

from .__main__ import ROOT, files, timed


def with_subscriber(count, directory, content):
    """A manifest of that many files, and a command that one of them refreshes."""
    subscriber = f'        - "true": {{refreshonly: true, subscribe: ["file#{directory}/f0000"]}}\n'
    return f"{files(count, directory, content)}    - exec:\n{subscriber}"


#: For each workload the manifest, the number of its files, the share of the rounds, and whether the files are there.
WORKLOADS = {
    "one file, converged": (files, 1, 4, True),
    "1000 files, converged": (files, 1000, 1, True),
    "1000 files and a subscriber, first apply": (with_subscriber, 1000, 1, False),
}


def pairs(command, workload, rounds, scratch):
    """Return the seconds of CPU time of each pair of runs, with and without state."""
    make, count, share, is_converged = workload
    target, state, manifest = (pathlib.Path(scratch, name) for name in ("target", "state", "m.yaml"))
    manifest.write_text(make(count, target, "hello"), encoding="utf-8")
    apply = [*shlex.split(command), "apply", str(manifest)]
    kinds = {"state": [*apply, "--state", str(state)], "none": [*apply, "--no-state"]}

    def clear():
        for path in (target, state):
            shutil.rmtree(path, ignore_errors=True)
        target.mkdir()

    clear()
    for _run in range(2 if is_converged else 0):
        timed(kinds["state"])
    found = []
    for turn in range(rounds * share):
        taken = {}
        for kind in ("state", "none") if turn % 2 else ("none", "state"):
            if not is_converged:
                clear()
            taken[kind] = timed(kinds[kind])[1]
        found.append((taken["state"], taken["none"]))
    clear()
    return found


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.state", description=__doc__.splitlines()[0])
    parser.add_argument("--ccm", default=str(ROOT / ".venv-run/bin/ccm"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--max-ratio", type=float, nargs=2, metavar=("CONVERGED", "FIRST"), default=(0, 0))
    args = parser.parse_args()
    slow = []
    print(f"{'workload':42}{'state ms':>10}{'none ms':>9}{'ratio':>7}")
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
        for title, workload in WORKLOADS.items():
            found = pairs(args.ccm, workload, args.rounds, scratch)
            state, none = (1000 * statistics.median(column) for column in zip(*found, strict=True))
            ratio = statistics.median(with_state / without for with_state, without in found)
            print(f"{title:42}{state:10.1f}{none:9.1f}{ratio:7.3f}")
            limit = args.max_ratio[0 if workload[-1] else 1]
            if limit and ratio > limit:
                slow.append(f"{title}: {ratio:.3f} of a run without state")
    print(*slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
