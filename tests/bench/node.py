# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a host: times commands that take turns.

Reads `{"peers": {name: argv}, "before": script, "rounds": n}` from standard input; `before` runs before each command
and is not timed. Prints {name: [[seconds of the clock, seconds of CPU], ...]}.
"""

import json
import os
import subprocess
import sys
import time


def timed(command):
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read().decode(errors="replace")
    _pid, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    if status or "errors=" in output:
        sys.exit(f"{command} failed: {output}")
    return took, usage.ru_utime + usage.ru_stime


def main():
    given = json.load(sys.stdin)
    peers = list(given["peers"].items())
    taken = {name: [] for name, _command in peers}
    for turn in range(given["rounds"]):
        for at in range(len(peers)):
            name, command = peers[(turn + at) % len(peers)]
            subprocess.run(["/bin/sh", "-ec", given["before"]], check=True, stdout=subprocess.DEVNULL)
            taken[name].append(timed(command))
    print(json.dumps(taken))


main()
