# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a host, or on this machine as a small process of its own: times programs that take turns.

Reads `{"programs": {name: program}, "rounds": n}` from standard input, and writes `{"taken": {name: [[seconds of the
clock, of user and of system time, MiB of memory], ...]}, "failed": {name: text}}`. A program has `argv`, and may have
`directory`, `variables`, `input`, `before` and `after` (scripts before and after each run, which are not timed; a run
after which the second one fails has failed), and `idle`: seconds for which it waits before it ends, which do not count.

`budget` is the seconds after which a program takes no more turns, `limit` the seconds after which a run is ended.
A program of which a run failed takes no more turns.
"""

import json
import os
import signal
import subprocess
import sys
import time


class Failed(Exception):
    """A run failed; the text says how."""


def script(text):
    done = subprocess.run(["/bin/sh", "-ec", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise Failed(f"{text}: {done.stdout.decode(errors='replace')}")


def timed(program, limit):
    """Seconds of the clock, of user and of system time, and MiB of memory of one run. Raises Failed."""
    output, given = os.memfd_create("output"), os.memfd_create("input")
    os.write(given, program.get("input", "").encode())
    os.lseek(given, 0, os.SEEK_SET)
    begin = time.perf_counter()
    process = subprocess.Popen(
        program["argv"],
        cwd=program.get("directory"),
        env={**os.environ, **program.get("variables", {})},
        stdin=given,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    ended = []

    def end(_number, _frame):
        ended.append(True)
        os.killpg(process.pid, signal.SIGKILL)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, limit)
    _pid, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    signal.setitimer(signal.ITIMER_REAL, 0)
    process.returncode = status
    os.lseek(output, 0, os.SEEK_SET)
    with os.fdopen(output, "rb") as stream:
        said = stream.read().decode(errors="replace")
    os.close(given)
    if ended:
        raise Failed(f"more than {limit:g} s")
    if status or "errors=" in said:
        raise Failed(f"{' '.join(program['argv'])}: {said}")
    return took - program.get("idle", 0), usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024


def turns(programs, rounds, budget=0, limit=0):
    """What each program took, and what failed programs said."""
    names = list(programs)
    taken, failed = {name: [] for name in names}, {}
    for turn in range(rounds):
        for at in range(len(names)):
            name = names[(turn + at) % len(names)]
            program = programs[name]
            if name in failed or (budget and sum(row[0] for row in taken[name]) > budget):
                continue
            try:
                script(program.get("before", ":"))
                row = timed(program, limit)
                script(program.get("after", ":"))
            except (Failed, OSError) as error:
                failed[name] = str(error)
            else:
                taken[name].append(row)
    return {"taken": taken, "failed": failed}


if __name__ == "__main__":
    print(json.dumps(turns(**json.load(sys.stdin))))
