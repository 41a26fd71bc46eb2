# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages, services and a web role, in a booted host: the programs of this machine are copied into it.

Python programs come from .venv-bench, for which the host must have the same version of Python. Puppet is not copied.
"""

from __future__ import annotations

import pathlib
import typing

from ...hosts.aptrepo import Deb
from ...hosts.conftest import host_with_command
from .. import hosts as bench_hosts
from .. import node
from . import forms
from .items import File, Folder, Item, Package, Service
from .programs import ANSIBLE, MGMT, ORIGINAL, OURS, PYINFRA, VENV, Program
from .runs import PART, READ_YAML, START, YAML, line_of
from .workloads import PHASES

SUBJECT = "Packages, services and a web role"
BASE = "bookworm"
PACKAGES = [f"bench-{number:02}" for number in range(50)]
SERVICES = bench_hosts.SERVICES
WEB = "bench-web"
ROLE = f"/srv/{WEB}"
UNIT = bench_hosts.UNIT.format(name=WEB)
#: Where the programs are in a host.
PLACE = "/srv/programs"


class Workload(typing.NamedTuple):
    title: str
    count: int
    items: list[Item]
    before: str  # what a first run begins with
    parts: dict[str, dict[str, str]]  # for first and later runs: parts as shell commands


def role():
    """A web server's: a package with a unit, folders, 20 files, and the service, which one file restarts."""
    found: list[Item] = [Package(WEB), Folder(ROLE), Folder(f"{ROLE}/sites")]
    found += [File(f"{ROLE}/sites/{number:02}.conf", f"site {number}") for number in range(19)]
    return [*found, File(f"{ROLE}/main.conf", "workers 4"), Service(WEB, f"{ROLE}/main.conf")]


def workloads():
    purge = "apt-get purge -y -q "
    install = "apt-get install -y -q --no-install-recommends "
    query = "dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n' > /dev/null"
    show = "systemctl show -p Id,LoadState,ActiveState,UnitFileState --no-pager "
    stopped = f"systemctl disable -q --now {' '.join(SERVICES)}"
    enable = f"systemctl enable -q --now {' '.join(SERVICES)}"
    gone = f"systemctl disable -q --now {WEB} || true; {purge}{WEB}; systemctl daemon-reload; rm -rf {ROLE}"
    names = " ".join(PACKAGES)
    return [
        Workload(
            f"{len(PACKAGES)} packages",
            len(PACKAGES),
            [Package(name) for name in PACKAGES],
            purge + names,
            {"first": {"apt-get alone": install + names}, "later": {"dpkg-query alone": query}},
        ),
        Workload(
            f"{len(SERVICES)} services",
            len(SERVICES),
            [Service(name) for name in SERVICES],
            stopped,
            {"first": {"systemctl enable alone": enable}, "later": {"systemctl show alone": show + " ".join(SERVICES)}},
        ),
        Workload(
            "web role",
            24,
            role(),
            gone,
            {
                "first": {"apt-get alone": install + WEB},
                "later": {"dpkg-query alone": query, "systemctl show alone": show + WEB},
            },
        ),
    ]


def copied(host, programs):
    """Copy the programs into a host; return the programs that run there, and why others do not."""
    found, failed = {OURS: Program(OURS, "/usr/local/bin/ccm")}, {}
    for name in (ORIGINAL, MGMT):
        if name in programs:
            host.copy_in(programs[name].path, f"{PLACE}/{name}")
            found[name] = Program(name, f"{PLACE}/{name}")
    version = host.run(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).stdout.strip()
    packages = VENV.parent / f"lib/python{version}/site-packages"
    for name, file in ((PYINFRA, "pyinfra"), (ANSIBLE, "ansible-playbook")):
        if name not in programs:
            continue
        if not packages.exists() or not pathlib.Path(programs[name].path).is_relative_to(VENV):
            failed[name] = f"not copied into the host: it needs .venv-bench with the host's Python {version}"
            continue
        if not any(each in found for each in (PYINFRA, ANSIBLE)):
            host.copy_in(packages, f"{PLACE}/packages")
            host.run(f"python3 -m compileall -q {PLACE}/packages || true", timeout=300)
        script = (VENV / file).read_text(encoding="utf-8").partition("\n")[2]
        host.write(f"{PLACE}/{file}", "#!/usr/bin/python3\n" + script, 0o755)
        found[name] = Program(name, f"{PLACE}/{file}")
    others = set(programs) - set(found) - set(failed)
    return found, failed | dict.fromkeys(others, "it is not copied into hosts")


def chosen(settings):
    """The workloads that are measured, by their titles."""
    return {each.title: each for each in workloads() if settings.chooses(f"{SUBJECT}: {each.title}")}


def measured(programs, settings):
    """Yield a line for each workload and phase in a booted host."""
    with host_with_command(BASE, durable=True) as host:
        unit = {f"/usr/lib/systemd/system/{WEB}.service": UNIT}
        bench_hosts.prepare(host, [*PACKAGES, Deb(WEB, files=unit)])
        host.copy_in(node.__file__, "/srv/node.py")
        found, kept_out = copied(host, programs)
        for workload in chosen(settings).values():
            yield from of_workload(host, workload, found, kept_out, settings)


def of_workload(host, workload, programs, kept_out, settings):
    failed, folders = dict(kept_out), {}
    for name, program in programs.items():
        folder = f"/srv/bench/{workload.title}/{name}".replace(" ", "-")
        try:
            for file, text in program.files(workload.items).items():
                host.write(f"{folder}/{file}", text)
        except forms.NoWord as reason:
            failed[name] = str(reason)
            continue
        folders[name] = folder
    for phase in PHASES:
        runs = {}
        for name, folder in folders.items():
            if name in failed:
                continue
            run = programs[name].run(folder, noop=phase == "noop")
            run["variables"] |= {"PYTHONPATH": f"{PLACE}/packages"} if name in (PYINFRA, ANSIBLE) else {}
            run["variables"] |= {"ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3"} if name == ANSIBLE else {}
            runs[name] = run | ({"before": f"{workload.before}; rm -rf {folder}/own"} if phase == "first" else {})
        parts = {START: ["/usr/bin/python3", "-I", "-c", "pass"]}
        parts[YAML] = ["/usr/bin/python3", "-I", "-c", READ_YAML, f"{folders[OURS]}/m.yaml"]
        commands = workload.parts["first" if phase == "first" else "later"]
        given = {PART + name: {"argv": argv} for name, argv in parts.items()}
        for name, command in commands.items():
            before = {"before": workload.before} if phase == "first" else {}
            given[PART + name] = {"argv": ["/bin/sh", "-c", command], **before}
        if phase != "first":  # what a first run of the last program, or a part, made is what all find
            host.run(workload_again(runs[OURS]), timeout=600)
        said = bench_hosts.turns(
            host,
            programs={**runs, **given},
            rounds=settings.rounds,
            budget=settings.budget,
            limit=settings.limit,
        )
        line = line_of(said, failed, title=workload.title, phase=phase)
        if "missing" in line:
            yield line
            return
        yield line | {
            "subject": SUBJECT,
            "count": workload.count,
            "by": "clock",
            "less": {YAML: START},
            "calls": None,
        }


def workload_again(run):
    """The script that applies once more, so that nothing is to be done."""
    argv = " ".join(word for word in run["argv"] if word != "--noop")
    return f"cd {run['directory']} && CCM_STATE={run['variables']['CCM_STATE']} {argv}"
