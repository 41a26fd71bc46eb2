# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long tasks take: python -m tests.bench.tasks [--rounds N] [--inventory FILE]

Tasks take turns in one play, and the medians are printed with their ratios. Without an inventory a Debian 12 host is
booted and reached through the connection plugin ccm.core.nspawn. The first use of a module is measured in plays of
their own, with an empty cache.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import yaml

from extensions.molecule.hosts.host import booted_host

ROOT = pathlib.Path(__file__).parents[2]
COUNT = 100
OWN = {"owner": "root", "group": "root", "mode": "0644"}
PING = "ping"
APPLY, FIRST = f"apply, {COUNT} files converged", f"apply, {COUNT} files first"
FILE, COPY, BUILTIN = "ccm.core.file", "ansible.builtin.copy", "ansible.builtin.file"
#: Each ratio with the highest value that is wanted.
RATIOS = ((APPLY, PING, 1.3), (FIRST, PING, 1.8), (FILE, COPY, 0.6), (FILE, BUILTIN, 1.08))


def manifest():
    files = [{f"/srv/bench/{number}": {"content": f"{number}\n"}} for number in range(COUNT)]
    return {"ccm": {"resources": [{"file": [{"defaults": {"ensure": "present", **OWN}}, *files]}]}}


def play(rounds):
    tasks = {
        PING: {"ansible.builtin.ping": {}},
        APPLY: {"ccm.core.apply": {"path": "bench.yaml"}},
        FILE: {"ccm.core.file": {"name": "/srv/one", "ensure": "present", "content": "one\n", **OWN}},
        COPY: {"ansible.builtin.copy": {"dest": "/srv/one", "content": "one\n", **OWN}},
        BUILTIN: {"ansible.builtin.file": {"path": "/srv/one", "state": "file", **OWN}},
    }
    again = {"name": "reset", "ansible.builtin.shell": "rm -rf /srv/bench && mkdir -p /srv/bench"}
    listed = []
    for turn in range(rounds + 1):
        names = list(tasks)
        listed += [again, {"name": FIRST, **tasks[APPLY]}]
        listed += [{"name": name, **tasks[name]} for name in names[turn % len(names) :] + names[: turn % len(names)]]
    return [{"hosts": "all", "gather_facts": False, "tasks": listed}]


def timed(folder, plays, inventory):
    """Run plays; return the seconds of each task, without the first of each name."""
    (folder / "play.yml").write_text(yaml.safe_dump(plays, sort_keys=False), encoding="utf-8")
    (folder / "bench.yaml").write_text(yaml.safe_dump(manifest()), encoding="utf-8")
    report = folder / "times"
    report.unlink(missing_ok=True)
    # Without buffers Python reads a module that comes through a pipe byte by byte.
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venv/collections"),
        "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests/integration/callback_plugins"),
        "ANSIBLE_CALLBACKS_ENABLED": "record",
        "ANSIBLE_PIPELINING": "true",
        "ANSIBLE_HOST_KEY_CHECKING": "false",
        "CCM_RECORD": str(report),
    }
    command = [pathlib.Path(sys.executable).parent / "ansible-playbook", "-i", inventory, "play.yml"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    taken = {}
    for line in report.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        taken.setdefault(entry["task"], []).append(entry["seconds"])
    return taken


@contextlib.contextmanager
def reached(inventory, folder):
    """The path of an inventory with one host, which is booted when none is given."""
    if inventory:
        yield os.path.abspath(inventory)
        return
    with booted_host("bookworm") as host:
        variables = {
            "ansible_connection": "ccm.core.nspawn",
            "ansible_nspawn_leader": str(host.leader_file),
            "ansible_python_interpreter": "/usr/bin/python3",
        }
        (folder / "inventory.yml").write_text(json.dumps({"all": {"hosts": {host.name: variables}}}), encoding="utf-8")
        yield str(folder / "inventory.yml")


def first_use(folder, inventory, rounds):
    """Return the medians of the first task of a play: a ping, and the module apply of one converged file."""
    one = {"ccm": {"resources": [{"file": {"name": "/srv/one", "ensure": "present", "content": "one\n", **OWN}}]}}
    tasks = {PING: {"ansible.builtin.ping": {}}, "apply": {"ccm.core.apply": {"manifest": one}}}
    taken = {name: [] for name in tasks}
    for _turn in range(rounds):
        for name, task in tasks.items():
            plays = [{"hosts": "all", "gather_facts": False, "tasks": [{"name": name, **task}]}]
            taken[name] += timed(folder, plays, inventory)[name]
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.bench.tasks", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--inventory")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, reached(given.inventory, pathlib.Path(name)) as inventory:
        folder = pathlib.Path(name)
        taken = timed(folder, play(given.rounds), inventory)
        first = first_use(folder, inventory, max(3, given.rounds // 3))
    medians = {task: statistics.median(seconds[1:]) for task, seconds in taken.items()}
    for task, seconds in medians.items():
        print(f"{task}: {seconds * 1000:.0f} ms")
    for task, other, most in RATIOS:
        print(f"{task} / {other}: {medians[task] / medians[other]:.2f} (at most {most})")
    print(f"first use of apply above a ping: {first['apply'] - first[PING]:.2f} s (at most 0.7)")


if __name__ == "__main__":
    main()
