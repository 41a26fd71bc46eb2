# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a repair takes: python -m tests.bench.watch [--files N] [--rounds N] [--idle SECONDS] [--mgmt PATH]

With `--after-first-run N ...` it measures something else, for each of these numbers of files: the repairs from the
first one on after the line `Watching for changes`, of a first run that wrote all files.

One of 1000 files is deleted, overwritten, renamed over, or gets another mode or owner; each file at most once, so that
no limit plays a part. Their medians are compared with the time of `ccm apply` for the same files, which changes nothing
and runs between the repairs.

With the path of mgmt, that does the same for the deleted file beside ours: it needs an instance of inotify for each
file, of which the kernel gives a user 128 unless fs.inotify.max_user_instances says more.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import pathlib
import random
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import typing

from .__main__ import GROUP, OWNER, ROOT, files, timed

TEXT = "hello"
#: Where mgmt keeps its data while it runs.
ADDRESSES = ("--client-urls=http://127.0.0.1:25379", "--server-urls=http://127.0.0.1:25380")
TIMEOUT = 20.0
#: How many repairs there are for each run of `ccm apply`.
BETWEEN = 10
#: How much of the time of `ccm apply` a repair may take. It is about 0.02.
MOST = 0.1
#: What the first run ends with.
LINE = "Watching for changes"
#: By numbers of files: how many ms 99 % of the repairs and the longest one may take after it, and how many MiB.
AFTER_FIRST_RUN = {1000: (20, 2000, 30), 10_000: (20, 2000, 150), 50_000: (50, 2000, math.inf)}
_TICK = os.sysconf("SC_CLK_TCK")


def overwrite(path):
    path.write_text("other", encoding="utf-8")


def rename_over(path):
    other = path.with_name("other")
    other.write_text("other", encoding="utf-8")
    other.rename(path)


CHANGES = {
    "deleted": pathlib.Path.unlink,
    "overwritten": overwrite,
    "renamed over": rename_over,
    "chmod": lambda path: path.chmod(0o600),
    **({"chown": lambda path: os.chown(path, 1234, 1234)} if os.geteuid() == 0 else {}),
}


def is_restored(path):
    """Return whether a file is as it should be."""
    try:
        found = path.stat()
        return path.read_text("utf-8") == TEXT and found.st_mode & 0o777 == 0o644 and found.st_uid == os.geteuid()
    except OSError:
        return False


def repaired(change, path):
    """Change a file; return the seconds until it is as it should be."""
    begin = time.perf_counter()
    change(path)
    while not is_restored(path):
        if time.perf_counter() > begin + TIMEOUT:
            sys.exit(f"{path} was not repaired in {TIMEOUT:g} s")
    return time.perf_counter() - begin


@contextlib.contextmanager
def running(command, directory, count):
    """Run a command that repairs the files until the end of `with`; all of them are there when it begins."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while sum(is_restored(path) for path in directory.iterdir()) < count:
            if time.monotonic() > end or process.poll() is not None:
                sys.exit(f"{shlex.join(command)} did not make the files")
            time.sleep(0.1)
        time.sleep(2)  # the program says of no watch that it is set; what it does after the first run is not measured
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def memory(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text("ascii")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1]) / 1024


def show(title, taken):
    taken = sorted(1000 * each for each in taken)
    print(f"{title:24}{statistics.median(taken):10.1f}{taken[int(len(taken) * 0.95)]:10.1f}{taken[-1]:10.1f}")


class Watched(typing.NamedTuple):
    """Seconds of the repairs by what was changed, and of the runs of `apply` between them; what the program used."""

    taken: dict[str, list[float]]
    runs: list[float]
    repair_cpu: float  # seconds for each repair
    idle_cpu: float  # seconds while nothing changes
    idle_wakeups: int
    memory: float  # MiB


def wakeups(process):
    """How often the threads of a program began to wait until now."""
    found = 0
    for status in pathlib.Path(f"/proc/{process.pid}/task").glob("*/status"):
        lines = status.read_text("ascii").splitlines()
        found += int(next(line for line in lines if line.startswith("voluntary_ctxt_switches:")).split()[1])
    return found


def measure(name, command, directory, changes, args, apply=()):
    """Print how long repairs take, and what the program uses while nothing changes; return it."""
    places = iter(random.sample(range(args.files), args.rounds))
    taken, runs = {change: [] for change in changes}, []
    with running(command, directory, args.files) as process:
        before = cpu_seconds(process)
        for turn, place in enumerate(places):
            change = list(changes)[turn % len(changes)]
            taken[change].append(repaired(changes[change], directory / f"f{place:04}"))
            if apply and turn % BETWEEN == 0:
                runs.append(timed(apply)[0])
            time.sleep(random.uniform(0.02, 0.06))  # changes come at any time of a step of the program
        for change, each in taken.items():
            show(f"{name}, {change}", each)
        time.sleep(2)  # what follows the last repair is not counted as idle
        now, woken = cpu_seconds(process), wakeups(process)
        time.sleep(args.idle)
        used = cpu_seconds(process) - now
        print(f"{name}, idle for {args.idle} s: {1000 * used:.0f} ms of CPU, {memory(process):.0f} MiB")
        woken = wakeups(process) - woken
        return Watched(taken, runs, (now - before) / args.rounds, used, woken, memory(process))


def after_first_run(count, args):
    """Print how long repairs take from the line on that it watches, and its memory; return whether it is too much."""
    places = random.sample(range(count), min(args.rounds, count))
    with tempfile.TemporaryDirectory(prefix="ccm-bench-", dir=args.directory) as scratch:
        args.files = count
        directory, ours, _theirs, _apply = watch_commands(scratch, args)
        process = subprocess.Popen(ours, stdout=subprocess.PIPE, text=True)
        drained = threading.Thread(target=process.stdout.read)
        try:
            if not any(LINE in line for line in process.stdout):
                sys.exit(f"{shlex.join(ours)} did not say {LINE}")
            drained.start()
            taken = []
            for turn, place in enumerate(places):
                change = (pathlib.Path.unlink, overwrite)[turn % 2]
                taken.append(1000 * repaired(change, directory / f"f{place:04}"))
                time.sleep(random.uniform(0.005, 0.03))
            time.sleep(3)  # what follows the last repair is not counted as idle
            size, used, woken = memory(process), cpu_seconds(process), wakeups(process)
            time.sleep(args.idle)
            idle = f"{1000 * (cpu_seconds(process) - used):.0f} ms of CPU, woke {wakeups(process) - woken} times"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()
    taken.sort()
    found = [taken[min(int(len(taken) * share), len(taken) - 1)] for share in (0.5, 0.95, 0.99, 1)]
    print(f"{count:>8}{''.join(f'{each:10.1f}' for each in found)}{size:10.0f}   idle for {args.idle} s: {idle}")
    at_99, longest, mib = AFTER_FIRST_RUN.get(count, (math.inf, math.inf, math.inf))
    return found[2] > at_99 or found[3] > longest or size > mib


def mcl(directory, count):
    """Return the same files for mgmt."""
    state = "state => $const.res.file.state.exists"
    entry = f'file "{{path}}" {{{{ {state}, content => "{{text}}", owner => "{{owner}}", mode => "u=rw,go=r", }}}}'
    lines = (entry.format(path=directory / f"f{number:04}", text=TEXT, owner=OWNER) for number in range(count))
    return "\n".join(lines) + "\n"


def watch_commands(scratch, args):
    """Write the files' manifests into a folder; the commands that watch ours and mgmt's, and that applies ours."""
    directory = pathlib.Path(scratch, "files")
    directory.mkdir()
    manifest = pathlib.Path(scratch, "m.yaml")
    manifest.write_text(files(args.files, directory, TEXT), encoding="utf-8")
    code = pathlib.Path(scratch, "m.mcl")
    code.write_text(mcl(directory, args.files), encoding="utf-8")
    ccm = shlex.split(args.ccm)
    ours = [*ccm, "watch", str(manifest), "--state", f"{scratch}/state"]
    theirs = [args.mgmt, "run", "--tmp-prefix", "--no-pgp", "--no-raise-limits", *ADDRESSES, "lang", str(code)]
    return directory, ours, theirs, [*ccm, "apply", str(manifest), "--no-state", "--no-report"]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.watch", description=__doc__.splitlines()[0])
    parser.add_argument("--ccm", default=str(ROOT / ".venv-run/bin/ccm"))
    parser.add_argument("--mgmt", default="", help="the path of mgmt")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=200, help="at most as many as files")
    parser.add_argument("--idle", type=int, default=60, help="seconds")
    parser.add_argument("--after-first-run", nargs="+", type=int, metavar="FILES", help="numbers of files, as above")
    parser.add_argument("--directory", help="where the files are, such as /dev/shm")
    args = parser.parse_args()
    if args.after_first_run:
        print(f"{'files':>8}{'p50 ms':>10}{'p95 ms':>10}{'p99 ms':>10}{'max ms':>10}{'MiB':>10}")
        return max([after_first_run(count, args) for count in args.after_first_run])
    if args.rounds > args.files:
        parser.error("each file is changed at most once: more rounds than files")
    print(f"{OWNER}:{GROUP}, {args.files} files{'p50 ms':>16}{'p95 ms':>10}{'max ms':>10}")
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
        directory, ours, theirs, apply = watch_commands(scratch, args)
        watched = measure("ccm watch", ours, directory, CHANGES, args, apply)
        show("ccm apply", watched.runs)
        if args.mgmt:
            measure("mgmt", theirs, directory, {"deleted": CHANGES["deleted"]}, args)
    run = statistics.median(watched.runs)
    ratios = {change: statistics.median(each) / run for change, each in watched.taken.items()}
    for change, ratio in ratios.items():
        print(f"{change} / ccm apply: {ratio:.3f} (at most {MOST})")
    return 1 if max(ratios.values()) > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
