# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure ccm.core beside other programs and write a page: python -m tests.bench.report [--only TEXT] [--page FILE]

`make bench-report` sets the same by variables: CCM and MGMT, the paths of the original CCM and of mgmt; ROUNDS, ONLY,
LIMIT and PAGE. What was measured is kept as JSON beside the page of a part, or in tests/output; `--render` writes a
page from it again.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

from extensions.molecule.hosts.host import HostError, why_not

from ..__main__ import ROOT
from . import commands, hosts, page, runs, watching
from .programs import MGMT, ORIGINAL, OURS, find
from .workloads import WORKLOADS

PAGE = ROOT / "docs/performance.md"
#: Where a page is that has only a part of the workloads, and what was measured.
OUTPUT = ROOT / "tests/output/performance"
WATCHED, IDLE = 1000, 30


def number(text):
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("it must be above 0")
    return value


def rounds(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("it must be 1 or more")
    return value


def arguments(words=None):
    """The arguments of the program; `make` puts others into variables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report", description=__doc__.splitlines()[0])
    paths = (("--ccm", OURS), ("--original", ORIGINAL), ("--mgmt", MGMT))
    for option, name in paths:
        parser.add_argument(option, default="", help=f"the path of {name}")
    parser.add_argument("--only", default="", help="only workloads that hold this text: 'files' or 'Start'")
    parser.add_argument("--rounds", type=rounds, default=7)
    parser.add_argument("--budget", type=number, default=5.0, help="seconds of a program for each line")
    parser.add_argument("--limit", type=number, default=30.0, help="seconds that one run may take")
    parser.add_argument("--page", type=pathlib.Path, help="the page; docs/performance.md without --only")
    parser.add_argument("--render", type=pathlib.Path, metavar="JSON", help="write the page of an earlier measurement")
    variables = {
        "--original": os.environ.get("CCM_BENCH_ORIGINAL"),
        "--mgmt": os.environ.get("CCM_BENCH_MGMT"),
        "--only": os.environ.get("CCM_BENCH_ONLY"),
        "--rounds": os.environ.get("CCM_BENCH_ROUNDS"),
        "--limit": os.environ.get("CCM_BENCH_LIMIT"),
        "--page": os.environ.get("CCM_BENCH_PAGE"),
    }
    given = [word for option, value in variables.items() if value for word in (option, value)]
    args = parser.parse_args([*given, *(sys.argv[1:] if words is None else words)])
    if args.page is None:
        args.page = OUTPUT / "performance.md" if args.only else PAGE
    return args


def machine(place):
    """What this machine is, without its name."""
    described = pathlib.Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    models = [line.partition(":")[2].strip() for line in described if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    kind = subprocess.run(["df", "--output=fstype", place], capture_output=True, text=True, check=False)
    return {
        "CPU": models[0] if models else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": f"{memory:.0f} GiB",
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", "unknown"),
        "file system of the runs": (kind.stdout.split() or ["unknown"])[-1],
        "Python of ccm.core": platform.python_version(),
        "load before": f"{os.getloadavg()[0]:.1f}",
    }


def say(text):
    print(text, flush=True)


def results_of(args):
    """Measure all that the arguments choose, and what is needed for the page."""
    programs = find({OURS: args.ccm, ORIGINAL: args.original, MGMT: args.mgmt})
    for program in programs.values():
        say(f"{program.name}: {program.version or 'not measured: ' + program.missing}")
    present = {name: program for name, program in programs.items() if not program.missing}
    settings = runs.Settings(args.rounds, args.budget, args.limit, args.only)
    chosen = [each for each in WORKLOADS if settings.chooses(f"{each.subject}: {each.title}")]
    found = {
        "date": datetime.date.today().isoformat(),
        "settings": settings._asdict(),
        "programs": {name: {"version": each.version, "missing": each.missing} for name, each in programs.items()},
        "lines": [],
        "watch": None,
        "not_measured": {},
    }
    begin = time.monotonic()

    def keep(lines):
        for line in lines:
            title = f"{line['title']}, {line['phase']}"
            if "missing" in line:
                found["not_measured"][title] = line["missing"]
            else:
                found["lines"].append(line)
            say(f"{time.monotonic() - begin:5.0f} s  {title}: {line.get('missing') or page.summary(line)}")

    with runs.place_of_shared(chosen) as place:
        found["machine"] = machine(place.shared)
        history = {}
        for at, workload in enumerate(chosen):
            keep(runs.measured(workload, present, place.below(str(at)), settings, history))
        keep(commands.measured(present, place.shared, settings))
    if settings.chooses(page.WATCH):
        say(f"{time.monotonic() - begin:5.0f} s  {page.WATCH}")
        found["watch"] = watching.measured(present, WATCHED, min(WATCHED, 20 * args.rounds), IDLE)
    if hosts.chosen(settings):
        missing = why_not()
        if missing:
            found["not_measured"] |= dict.fromkeys(hosts.chosen(settings), f"needs a host that boots: {missing}")
        else:
            try:
                keep(hosts.measured(present, settings))
            except HostError as error:
                found["not_measured"] |= dict.fromkeys(hosts.chosen(settings), runs.why(str(error)))
    return found


def main(words=None):
    args = arguments(words)
    if args.render:
        results = json.loads(args.render.read_text("utf-8"))
    else:
        results = results_of(args)
        if not results["lines"] and not results["watch"] and not results["not_measured"]:
            sys.exit(f"no workload holds {args.only!r}")
        kept = args.page.with_suffix(".json") if args.only else OUTPUT.with_suffix(".json")
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(results), encoding="utf-8")
        say(f"kept: {shown(kept)}")
    args.page.parent.mkdir(parents=True, exist_ok=True)
    page.written(results, args.page)
    say(f"written: {shown(args.page)}")
    return 1 if any(why.startswith("ccm.core failed") for why in results["not_measured"].values()) else 0


def shown(path):
    with contextlib.suppress(ValueError):
        return path.resolve().relative_to(ROOT)
    return path


if __name__ == "__main__":
    sys.exit(main())
