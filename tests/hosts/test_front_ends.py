# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm apply`, `ccm.core.apply` and one task per resource give the same events and the same host."""

from __future__ import annotations

import yaml

from .aptrepo import Deb, register
from .test_snapshots import plain

RELEASE = "bullseye"  # with the oldest Python
UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
OWN = {"owner": "root", "group": "root", "mode": "0644"}
# What a run leaves that depends on its time or its front end, not on its result.
PASSING = [
    "/var/log", "/var/cache", "/tmp", "/var/tmp", "/root/.ansible", "/srv", "/var/lib/systemd", "/var/lib/apt/lists",
    "/var/lib/dpkg/lock", "/var/lib/dpkg/lock-frontend", "/var/lib/apt/periodic", "/var/lib/ccm",
]  # fmt: skip


def repository():
    return [
        Deb("d-base", "1", files={"/usr/share/d-base": "base\n"}),
        Deb("d-app", "1", depends="d-base", conffiles={"/etc/d-app": "default\n"}),
        Deb("d-app", "2", depends="d-base", conffiles={"/etc/d-app": "default\n"}),
        Deb("d-tool", "1"),
        Deb("d-extra", "1"),
        Deb("d-old", "1"),
    ]


def resources(greeting):
    """5 packages, 6 files and 3 services with subscribe, as (type, name, properties)."""
    units = [f"/etc/systemd/system/d-{name}.service" for name in ("web", "job", "off")]
    return [
        ("package", "d-base", {"ensure": "present"}),
        ("package", "d-tool", {"ensure": "latest"}),
        ("package", "d-extra", {"ensure": "present"}),
        ("package", "d-app", {"ensure": "1"}),
        ("package", "d-old", {"ensure": "absent"}),
        ("file", "/etc/d", {"ensure": "directory", **OWN, "mode": "0755"}),
        ("file", "/etc/d/conf", {"ensure": "present", "content": greeting + "\n", **OWN, "mode": "0640"}),
        ("file", "/etc/d-old", {"ensure": "absent"}),
        *(("file", path, {"ensure": "present", "content": UNIT, **OWN}) for path in units),
        ("service", "d-web", {"ensure": "running", "enable": True, "subscribe": ["file#/etc/d/conf"]}),
        (
            "service",
            "d-job",
            {"ensure": "running", "enable": False, "subscribe": [f"file#{units[1]}", "file#/etc/d/conf"]},
        ),
        ("service", "d-off", {"ensure": "stopped", "enable": True, "subscribe": [f"file#{units[2]}"]}),
    ]


def manifest(greeting):
    return {"ccm": {"resources": [{type: [{name: properties}]} for type, name, properties in resources(greeting)]}}


def tasks(greeting):
    """One task per resource; what a service subscribes to refreshes it when its task changed something."""
    written, registers = [], {}
    for number, (type, name, properties) in enumerate(resources(greeting)):
        options = {key: value for key, value in properties.items() if key != "subscribe"}
        subscribed = [registers[reference] for reference in properties.get("subscribe", ())]
        if subscribed:
            options["refresh"] = "{{ " + " or ".join(f"{name}.changed" for name in subscribed) + " }}"
        registers[f"{type}#{name}"] = f"done_{number}"
        written.append({"name": name, f"ccm.core.{type}": {"name": name, **options}, "register": f"done_{number}"})
    return written


def apply_by_command(host, _ansible, greeting):
    host.write("/srv/m.yaml", yaml.safe_dump(manifest(greeting)))
    host.run("rm -rf /srv/session; ccm session new --directory /srv/session")
    host.run("ccm apply /srv/m.yaml --session /srv/session")
    printed = host.run("cd /srv/session && for f in *.event; do cat $f; echo; echo ---; done").stdout
    return [record for record in yaml.safe_load_all(printed) if record and "type" in record]


def apply_by_module(host, ansible, greeting):
    ansible.write("site.yaml", yaml.safe_dump(manifest(greeting)))
    run = ansible.on(host).play("- name: site\n  ccm.core.apply: {path: site.yaml, events: true}\n")
    return run["site"].result["events"]


def apply_by_tasks(host, ansible, greeting):
    run = ansible.on(host).play(yaml.safe_dump(tasks(greeting)))
    return [task.event for task in run.tasks]


FRONT_ENDS = [apply_by_command, apply_by_module, apply_by_tasks]


def fields_of(event):
    """An event without what differs from run to run, and without the words that a play does not have."""
    shown = plain(event)
    shown["properties"].pop("subscribe", None)
    return shown


def state(host):
    """All that a run can have left: every file with its type, mode, owner and content, and the services."""
    passing = " -o ".join(f"-path {path}" for path in PASSING)
    files = host.run(
        f"find / -xdev \\( {passing} \\) -prune -o -newer /srv/before "
        "! -type d -printf '%p %y %m %U %G %l\\n' -o -type d -printf '%p d %m %U %G\\n' | sort"
    ).stdout
    contents = host.run(
        f"find / -xdev \\( {passing} \\) -prune -o -newer /srv/before -type f -print0 | sort -z | xargs -0 -r sha256sum"
    ).stdout
    services = host.run("systemctl show d-web d-job d-off -p Id,ActiveState,UnitFileState,NeedDaemonReload").stdout
    return (files + contents + services).splitlines()


def test_every_door_leaves_the_same_host_and_tells_the_same(booted, ansible):
    seen = []
    for front_end in FRONT_ENDS:
        host = booted(RELEASE)
        register(host, repository())
        host.run("apt-get install -y -q d-old && echo old > /etc/d-old && touch /srv/before && sleep 0.05")
        rounds = [
            [fields_of(event) for event in front_end(host, ansible, greeting)] for greeting in ("hello", "hello", "bye")
        ]
        seen.append((rounds, state(host)))
        host.stop()
    (events, left), *others = seen
    first, second, third = events
    assert len(first) == 14
    assert {event["name"] for event in first if not event["changed"]} == set()
    assert [event["name"] for event in second if event["changed"]] == []
    assert [event["name"] for event in third if event["changed"]] == ["/etc/d/conf", "d-web", "d-job"]
    assert [event["name"] for event in third if event["refreshed"]] == ["d-web", "d-job"]
    assert not any(event["failed"] for round in events for event in round)
    for front_end, (other_events, other_left) in zip(FRONT_ENDS[1:], others, strict=True):
        assert other_events == events, front_end.__name__
        assert other_left == left, front_end.__name__
    print(f"14 resources, three rounds: the same events and {len(left)} lines of state")
