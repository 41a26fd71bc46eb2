# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the command takes: python -m tests.bench [--peer NAME=COMMAND ...]

Every peer gets the same manifests in directories of its own. The runs are interleaved and their order rotates, so that
other load hits all alike; medians of the clock and of CPU time are shown, and the ratio to the first peer. With one
peer only there is no ratio. `--max-ratio NAME=X` makes it a gate.
"""

from __future__ import annotations

import argparse
import grp
import os
import pathlib
import pwd
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
OWNER = pwd.getpwuid(os.getuid()).pw_name
GROUP = grp.getgrgid(os.getgid()).gr_name


def files(count, directory, content):
    """A manifest of that many files."""
    entries = "".join(f'        - {directory}/f{number:04}: {{content: "{content}"}}\n' for number in range(count))
    defaults = f'{{ensure: present, owner: {OWNER}, group: {GROUP}, mode: "0644"}}'
    return f"data: {{port: 8080}}\nccm:\n  resources:\n    - file:\n        - defaults: {defaults}\n{entries}"


def commands(count, directory, _content):
    """A manifest of that many commands, each guarded by a file."""
    entries = "".join(
        f"        - touch {directory}/c{number:04}: {{creates: {directory}/c{number:04}}}\n" for number in range(count)
    )
    return f"ccm:\n  resources:\n    - exec:\n{entries}"


JET = """# {number}
name = [[ data.name ]]
port = [[ data.port + {number} ]]
[[ if data.on ]]user = [[ lookup("data.user") ]]
[[ end ]]"""
GO = """# {number}
name = {{{{ lookup "data.name" }}}}
port = {{{{ add (lookup "data.port") {number} }}}}
{{{{ if lookup "data.on" }}}}user = {{{{ lookup "data.user" }}}}
{{{{ end }}}}"""


def scaffold(count, directory, language):
    """A manifest of a scaffold of that many templates, no two of them alike."""
    source = directory.parent / "templates"
    source.mkdir()
    for number in range(count):
        text = (GO if language == "go" else JET).format(number=number)
        (source / f"t{number:04}").write_text(text, encoding="utf-8")
    data = "{on: true, name: example.net, port: 8000, user: www}"
    entry = f"{{ensure: present, source: {source}, engine: {language}}}"
    return f"data: {data}\nccm:\n  resources:\n    - scaffold:\n        - {directory}: {entry}\n"


WORKLOADS = {
    "one file": (files, 1, "hello"),
    "1000 files": (files, 1000, "hello"),
    "1000 files from expressions": (files, 1000, "port {{ Data.port }}"),
    "200 guarded commands": (commands, 200, ""),
    "500 Jet templates": (scaffold, 500, "jet"),
    "500 Go templates": (scaffold, 500, "go"),
}


def timed(command):
    """Seconds of the clock and of CPU that a command took; it must succeed."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    with process.stderr:
        errors = process.stderr.read()
    _pid, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{shlex.join(command)} failed:\n{errors.decode(errors='replace')}")
    return took, usage.ru_utime + usage.ru_stime


class Peer:
    """A program with the command line of ccm, at work on one workload in a directory of its own."""

    def __init__(self, name, command, scratch, workload):
        make, count, content = workload
        self.name = name
        self.target = scratch / name / "target"
        self.target.mkdir(parents=True)
        manifest = scratch / name / "manifest.yaml"
        manifest.write_text(make(count, self.target, content), encoding="utf-8")
        self.apply = [*shlex.split(command), "apply", str(manifest)]
        self.count = count
        self.taken = {"clean": [], "converged": [], "noop": []}

    def empty(self):
        shutil.rmtree(self.target)
        self.target.mkdir()

    def once(self, phase):
        if phase == "clean":
            self.empty()
        self.taken[phase].append(timed([*self.apply, "--noop"] if phase == "noop" else self.apply))
        made = sum(1 for _entry in self.target.iterdir())
        if made != self.count:
            sys.exit(f"{self.name} made {made} of {self.count}")


def bench(peers, workload, rounds):
    """Run one workload; the peers with what each took."""
    with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
        found = [Peer(name, command, pathlib.Path(scratch), workload) for name, command in peers.items()]
        for phase in ("clean", "converged", "noop"):
            for turn in range(rounds):
                for at in range(len(found)):
                    found[(turn + at) % len(found)].once(phase)
    return found


def named(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=named, action="append", default=[], help="NAME=COMMAND; the first is the base")
    parser.add_argument("--only", default="", help="only workloads whose name holds this text")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--max-ratio", type=named, action="append", default=[], help="NAME=X: fail when slower")
    args = parser.parse_args()
    peers = dict([*args.peer, ("ccm.core", str(ROOT / ".venv-run/bin/ccm"))])
    limits = {name: float(value) for name, value in args.max_ratio}
    slow = []
    print(f"{'workload':30}{'phase':11}{'program':12}{'clock ms':>10}{'CPU ms':>9}{'ratio':>7}")
    for title, workload in WORKLOADS.items():
        if args.only not in title:
            continue
        found = bench(peers, workload, args.rounds)
        for phase in found[0].taken:
            base = statistics.median(clock for clock, _cpu in found[0].taken[phase])
            for peer in found:
                clock, cpu = (statistics.median(column) for column in zip(*peer.taken[phase], strict=True))
                ratio = clock / base
                print(f"{title:30}{phase:11}{peer.name:12}{1000 * clock:10.1f}{1000 * cpu:9.1f}{ratio:7.2f}")
                if ratio > limits.get(peer.name, ratio):
                    slow.append(f"{title}, {phase}: {peer.name} takes {ratio:.2f} of {found[0].name}")
    print(*slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
