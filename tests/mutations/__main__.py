# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plant faults, and see which test finds each: python -m tests.mutations [--commit REVISION] [NAME...]

Each fault is planted in a copy of the tracked files, in which the test files that run the changed lines are run, the
quick ones first, up to the first test that fails with the fault, twice, and passes without it. Which lines a file runs
is measured first, and kept in tests/output/mutations until the code or the file changes. With --commit, code and tests
are from a commit, and the same is run. The exit status is 1 unless every fault is found.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import pathlib
import queue
import subprocess
import sys
import tempfile
import time

from tests.tools.signals import unwind
from tests.unit.layout import LISTED, ROOT

from .copies import Copy, git
from .faults import Fault, GoneError, problems, read
from .measuring import Kept, Measured
from .suites import Suite, suites

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

AT_A_TIME = 2


def in_copies(copies: list[Copy], do: Callable, tasks: Iterable) -> Iterator:
    """Call `do(copy, task)` for each task, each copy for one at a time; yield each task with its result, in order."""
    free: queue.SimpleQueue[Copy] = queue.SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(task):
        copy = free.get()
        try:
            return task, do(copy, task)
        finally:
            free.put(copy)

    with concurrent.futures.ThreadPoolExecutor(len(copies)) as pool:
        try:
            yield from pool.map(one, tasks)
        except BaseException:  # the threads would go on to the end of what they run
            for copy in copies:
                copy.stop()
            raise


def measured(copies: list[Copy]) -> dict[Suite, Measured]:
    """Return what each suite does without a fault; what is not known is measured."""
    kept = Kept()
    found = {suite: kept.get(suite) for suite in suites(ROOT)}
    unknown = [suite for suite, known in found.items() if known is None]
    if unknown:
        print(f"measuring which lines {len(unknown)} of {len(found)} test files run", flush=True)
    begin = time.monotonic()
    for number, (suite, result) in enumerate(in_copies(copies, kept.measure, unknown), 1):
        found[suite] = result
        if number % 20 == 0:
            print(f"measured {number}, {time.monotonic() - begin:.0f} s", flush=True)
        for test in sorted(result.failed):
            print(f"fails without a fault, so it is left out: {test}", flush=True)
    if unknown:
        print(f"measured in {time.monotonic() - begin:.0f} s", flush=True)
    return {suite: known for suite, known in found.items() if known}


def selected(fault: Fault, known: dict[Suite, Measured]) -> list[Suite]:
    """Return what runs the lines that a fault changes, the quick ones first."""
    lines = fault.lines((ROOT / fault.file).read_text(encoding="utf-8"))
    return sorted((suite for suite in known if known[suite].runs(fault.file, lines)), key=lambda s: known[s].seconds)


class Search:
    """Looks for a test that finds a fault."""

    def __init__(self, known: dict[Suite, Measured]) -> None:
        self._known = known

    def run(self, copy: Copy, fault: Fault) -> tuple[bool, str]:
        """Plant a fault in a copy and run what is selected; return whether it is found, and the line about it."""
        begin = time.monotonic()
        chosen = [suite for suite in selected(fault, self._known) if (copy.root / suite.path()).exists()]
        text = copy.read(fault.file)
        notes: list[str] = []
        by = ""
        for suite in chosen:
            by = self._found_by(copy, fault, text, suite, notes)
            if by:
                break
        took = f"{time.monotonic() - begin:.0f} s"
        line = f"found     {fault.name}: {by}, {took}"
        if not by:
            line = f"NOT FOUND {fault.name}: by none of {len(chosen)} test files, {took}"
        return bool(by), "\n   ".join([line, *notes])

    def _found_by(self, copy: Copy, fault: Fault, text: str, suite: Suite, notes: list[str]) -> str:
        """Return the test that fails with the fault, again with it, and not without it; "" for none."""
        left_out = self._known[suite].failed
        while True:
            copy.write(fault.file, fault.planted(text))
            try:
                ran = suite.run(copy, without=left_out)
                again = suite.run(copy, without=left_out, only=ran.failed[0]).failed if ran.failed else ()
            finally:
                copy.write(fault.file, text)
            if ran.trouble:
                notes.append(ran.trouble)
            if not ran.failed:
                return ""
            test = ran.failed[0]
            is_steady = test in again
            if is_steady and test not in suite.run(copy, without=left_out, only=test).failed:
                return f"{test} ({ran.note})" if ran.note else test
            notes.append(f"{test} fails {'without the fault, too' if is_steady else 'only at times'}")
            if test == suite.name:
                return ""
            left_out |= {test}


def is_there(fault: Fault, copy: Copy) -> bool:
    try:
        fault.planted(copy.read(fault.file))
    except (GoneError, FileNotFoundError):
        return False
    return True


def run(faults: list[Fault], revision: str) -> int:
    """Search each of the faults; return the exit status."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ccm-", ignore_cleanup_errors=True) as folder:
        copies = [Copy(pathlib.Path(folder, str(number))) for number in range(AT_A_TIME)]
        search = Search(measured(copies))
        if revision:
            copies = [Copy(pathlib.Path(folder, f"of-{number}"), revision) for number in range(AT_A_TIME)]
            for fault in [fault for fault in faults if not is_there(fault, copies[0])]:
                print(f"not in {revision}: {fault.name}", flush=True)
                faults.remove(fault)
        missed = []
        for fault, (is_found, line) in in_copies(copies, search.run, faults):
            print(line, flush=True)
            if not is_found:
                missed.append(fault.name)
    print(f"\n{len(faults) - len(missed)} of {len(faults)} found, {time.monotonic() - begin:.0f} s")
    for name in missed:
        option = f" --commit {revision}" if revision else ""
        print(f"to repeat it: .venv/bin/python -m tests.mutations{option} {name}")
    return 1 if missed else 0


def is_commit(revision: str) -> bool:
    try:
        git("rev-parse", "--quiet", "--verify", f"{revision}^{{commit}}")
    except subprocess.CalledProcessError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", help="only these faults of tests/mutations/faults.yaml")
    parser.add_argument("--commit", default="", help="take code and tests of this commit")
    args = parser.parse_args()
    if LISTED is None:
        parser.error(f"this needs git, and a clone: git lists no files in {ROOT}")
    faults = read()
    unknown = sorted(set(args.name) - {fault.name for fault in faults})
    if unknown:
        parser.error(f"no such fault: {', '.join(unknown)}")
    if args.commit and not is_commit(args.commit):
        parser.error(f"no such commit: {args.commit}")
    wrong = problems(faults, ROOT)
    if wrong:
        parser.exit(1, "".join(f"{line}\n" for line in wrong))
    return run([fault for fault in faults if not args.name or fault.name in args.name], args.commit)


if __name__ == "__main__":
    unwind()
    sys.exit(main())
