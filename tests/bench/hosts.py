# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long packages and services take, in a booted host: python -m tests.bench.hosts [--peer NAME=PROGRAM ...]

The programs are copied into one host and take turns on the same manifest. Medians of the clock are shown, and the
ratio to the first program. `--max-ratio NAME=X` makes it a gate.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys

from ..hosts.aptrepo import Deb, register
from ..hosts.conftest import host_with_command
from . import node
from .__main__ import named

UNIT = "[Unit]\nDescription={name}\n[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
PACKAGES = [f"bench-{number:02}" for number in range(20)]
SERVICES = [f"bench-{number:02}" for number in range(20)]


def manifest(type, names, properties):
    entries = "".join(f"    - {type}:\n        - {name}: {properties}\n" for name in names)
    return f"ccm:\n  resources:\n{entries}"


def installed(host, count):
    listed = host.run("dpkg-query -W -f '${Package} ${db:Status-Status}\\n'").stdout.splitlines()
    return [line.split()[0] for line in listed if line.endswith(" installed")][:count]


def prepare(host, debs=PACKAGES):
    register(host, [deb if isinstance(deb, Deb) else Deb(deb) for deb in debs])
    for name in SERVICES:
        host.write(f"/etc/systemd/system/{name}.service", UNIT.format(name=name))
    host.run("systemctl daemon-reload")


# name: the manifest, and what makes the host ready before each run
def workloads(host):
    services = manifest("service", SERVICES, "{ensure: running, enable: true}")
    absent = f"apt-get purge -y -q {' '.join(PACKAGES)}"
    stopped = f"systemctl disable -q --now {' '.join(SERVICES)}"
    return {
        "50 packages, converged": (manifest("package", installed(host, 50), "{ensure: present}"), ":"),
        "20 packages, absent": (manifest("package", PACKAGES, "{ensure: present}"), absent),
        "20 services, first apply": (services, stopped),
        "20 services, converged": (services, f"systemctl enable -q --now {' '.join(SERVICES)}"),
    }


def bench(host, peers, workload, rounds):
    text, before = workload
    host.write("/srv/bench.yaml", text)
    programs = {
        name: {"argv": [program, "apply", "/srv/bench.yaml"], "before": before} for name, program in peers.items()
    }
    found = turns(host, programs=programs, rounds=rounds)
    if found["failed"]:
        sys.exit("\n".join(found["failed"].values()))
    return found["taken"]


def turns(host, **given):
    """What node.py says of programs in a host."""
    return json.loads(host.run(["python3", "/srv/node.py"], input=json.dumps(given), timeout=1800).stdout)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.hosts", description=__doc__.splitlines()[0])
    parser.add_argument("--peer", type=named, action="append", default=[], help="NAME=PROGRAM; the first is the base")
    parser.add_argument("--only", default="", help="only workloads whose name holds this text")
    parser.add_argument("--base", default="bookworm", help="bullseye, bookworm or trixie")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--network", action="store_true", help="with all of Debian's packages known to apt")
    parser.add_argument("--max-ratio", type=named, action="append", default=[], help="NAME=X: fail when slower")
    args = parser.parse_args()
    limits = {name: float(value) for name, value in args.max_ratio}
    slow = []
    with host_with_command(args.base, durable=True, network=args.network) as host:
        if args.network:
            host.run("apt-get update -q", timeout=300)
        prepare(host)
        host.copy_in(node.__file__, "/srv/node.py")
        peers = {}
        for name, program in args.peer:
            peers[name] = f"/srv/{name}"
            host.copy_in(program, peers[name])
        peers["ccm.core"] = "/usr/local/bin/ccm"
        print(f"{'workload':30}{'program':12}{'clock ms':>10}{'minimum':>10}{'ratio':>7}")
        for title, workload in workloads(host).items():
            if args.only not in title:
                continue
            taken = bench(host, peers, workload, args.rounds)
            base = statistics.median(row[0] for row in next(iter(taken.values())))
            for name, rows in taken.items():
                clocks = [row[0] for row in rows]
                clock, ratio = statistics.median(clocks), statistics.median(clocks) / base
                print(f"{title:30}{name:12}{1000 * clock:10.1f}{1000 * min(clocks):10.1f}{ratio:7.2f}", flush=True)
                if ratio > limits.get(name, ratio):
                    slow.append(f"{title}: {name} takes {ratio:.2f} of the first")
    print(*slow, sep="\n")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
