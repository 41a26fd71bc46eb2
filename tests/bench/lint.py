# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long lint takes for many faults: python -m tests.bench.lint [--ccm COMMAND]

Each manifest has 800 resources with three faults each. Medians of the clock and of CPU time are shown;
`--max-cpu MS` makes it a gate.
"""

from __future__ import annotations

import argparse
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

from .__main__ import ROOT, timed

COUNT = 800

# What is declared before all, the type, a name, and its properties: three faults each.
FAULTS = {
    "key, value, expression": (
        "file",
        "/etc/f{number:04}",
        'ensure: present, colour: red, mode: "0999", owner: root, group: root, content: "{{{{ 1 + }}}}"',
    ),
    "three values": (
        "file",
        "/etc/d/../f{number:04}",
        'ensure: presnt, owner: root, group: root, mode: "9{number:03}"',
    ),
    "three values beside expressions": (
        "file",
        "/etc/d/../f{number:04}",
        'ensure: presnt, owner: "{{{{ Data.owner }}}}", group: "{{{{ Data.group }}}}", mode: "9{number:03}"',
    ),
    "references, key": (
        "exec",
        "/bin/x{number:04}",
        'require: ["exec#/bin/y{number:04}", "file#/etc/z{number:04}"], timeut{number}: 1s',
    ),
    "expressions, no two alike": (
        "file",
        "/etc/f{number:04}",
        'ensure: present, owner: "{{{{ Data.o{number} + }}}}", group: root, mode: "9{number:03}", '
        'content: "{{{{ {number} + }}}}"',
    ),
}


def manifest(faults, count):
    """The text of a manifest of that many resources with faults of a kind."""
    type_name, name, properties = FAULTS[faults]
    entries = (f"        - {name}: {{{{{properties}}}}}".format(number=number) for number in range(count))
    return f"ccm:\n  resources:\n    - {type_name}:\n" + "".join(f"{entry}\n" for entry in entries)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.lint", description=__doc__.splitlines()[0])
    parser.add_argument("--ccm", default=str(ROOT / ".venv-run/bin/ccm"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--max-cpu", type=float, default=0, help="milliseconds: fail when above")
    args = parser.parse_args()
    slow = []
    print(f"{'faults':34}{'clock ms':>10}{'CPU ms':>9}")
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
        path = pathlib.Path(scratch, "m.yaml")
        # Lint exits with 1 where there are errors: the shell makes that a success.
        command = ["/bin/sh", "-c", f"{args.ccm} lint {shlex.quote(str(path))}; test $? = 1"]
        for faults in FAULTS:
            path.write_text(manifest(faults, COUNT), encoding="utf-8")
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            runs = [timed(command) for _round in range(args.rounds)]
            clock, cpu = (1000 * statistics.median(column) for column in zip(*runs, strict=True))
            print(f"{faults:34}{clock:10.0f}{cpu:9.0f}")
            if args.max_cpu and cpu > args.max_cpu:
                slow.append(f"{faults}: {cpu:.0f} ms of CPU")
    print(*slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
