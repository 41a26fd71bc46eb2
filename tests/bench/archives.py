# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an archive of 64 MiB costs: python -m tests.bench.archives [--peer NAME=COMMAND ...]

The programs take turns at the first apply of the same manifest, against a server on this machine. Medians of the clock
and of CPU time, children included, are shown with the ratio of CPU to the first peer, and the most memory that the
program itself had. `--max-ratio NAME=X` and `--max-memory MIB` make it a gate.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import multiprocessing
import pathlib
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile

from .__main__ import GROUP, OWNER, ROOT, named

SIZE = 64


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files without a log."""

    def log_message(self, *_arguments):
        pass


def serve(directory, ports):
    handler = functools.partial(Quiet, directory=directory)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        ports.send(server.server_port)
        server.serve_forever()


def prepare(scratch, count=SIZE, size=1 << 20):
    """An archive of so many parts of so many bytes, that packing makes no smaller; its checksum."""
    parts = scratch / "www/parts"
    parts.mkdir(parents=True)
    rng = random.Random(9)
    for number in range(count):
        (parts / f"part{number:05}.bin").write_bytes(rng.randbytes(size))
    archive = parts.with_name("parts.tar.gz")
    subprocess.run(["tar", "--directory", parts.parent, "-czf", archive, parts.name], check=True)
    return subprocess.run(["sha256sum", archive], capture_output=True, text=True, check=True).stdout.split()[0]


def first_apply(command, target, url, checksum):
    """Seconds of the clock, seconds of CPU and KiB of memory that a first apply took."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    entry = f"{{ensure: present, url: '{url}', checksum: {checksum}, owner: {OWNER}, group: {GROUP}, "
    entry += f"extract_parent: {target}/out, creates: {target}/out/parts/part00000.bin}}"
    manifest = target / "m.yaml"
    manifest.write_text(f"ccm: {{resources: [{{archive: [{{{target}/a.tar.gz: {entry}}}]}}]}}\n", encoding="utf-8")
    # A small process in between: what a fork of this one has is not what the program has.
    script = "import json, os, resource, subprocess, sys, time; begin = time.perf_counter();"
    script += "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); took = time.perf_counter() - begin;"
    script += "used = resource.getrusage(resource.RUSAGE_CHILDREN);"
    script += "print(json.dumps([took, used.ru_utime + used.ru_stime, used.ru_maxrss]))"
    argv = [sys.executable, "-c", script, *shlex.split(command), "apply", str(manifest)]
    took = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    if sum(1 for _part in (target / "out/parts").iterdir()) != SIZE:
        sys.exit(f"{command} did not unpack all")
    return [float(word) for word in took.strip("[]\n").split(", ")]


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.archives", description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=named, action="append", default=[], help="NAME=COMMAND; the first is the base")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--max-ratio", type=named, action="append", default=[], help="NAME=X: fail when above")
    parser.add_argument("--max-memory", type=float, default=40, help="MiB that ccm.core may have")
    args = parser.parse_args()
    peers = list({**dict(args.peer), "ccm.core": str(ROOT / ".venv-run/bin/ccm")}.items())
    limits = {name: float(value) for name, value in args.max_ratio}
    wrong = []
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as name:
        scratch = pathlib.Path(name)
        checksum = prepare(scratch)
        here, there = multiprocessing.Pipe()
        server = multiprocessing.Process(target=serve, args=(str(scratch / "www"), there), daemon=True)
        server.start()
        url = f"http://127.0.0.1:{here.recv()}/parts.tar.gz"
        taken = {peer: [] for peer, _command in peers}
        for turn in range(args.rounds):
            for at in range(len(peers)):
                peer, command = peers[(turn + at) % len(peers)]
                taken[peer].append(first_apply(command, scratch / peer, url, checksum))
        server.terminate()
    print(f"{'program':12}{'clock ms':>10}{'CPU ms':>9}{'ratio':>7}{'MiB':>7}")
    base = statistics.median(cpu for _clock, cpu, _memory in taken[peers[0][0]])
    for peer, rows in taken.items():
        clock, cpu, memory = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{peer:12}{1000 * clock:10.0f}{1000 * cpu:9.0f}{cpu / base:7.2f}{memory / 1024:7.1f}")
        if cpu / base > limits.get(peer, cpu / base):
            wrong.append(f"{peer} takes {cpu / base:.2f} of the CPU of {peers[0][0]}")
        if peer == "ccm.core" and memory / 1024 > args.max_memory:
            wrong.append(f"{peer} takes {memory / 1024:.1f} MiB")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
