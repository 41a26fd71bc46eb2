# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looking at many at once, and acting on many at once, cannot be seen: the same events, the same host.

Random manifests of packages, services, files and commands, some of which change packages and units behind the back of
the run, are run three ways on hosts that started alike.
"""

from __future__ import annotations

import json
import random

import pytest

from tests.seed import numbers

from .aptrepo import Deb, register

MANIFESTS = 5
RESOURCES = 9
# The same engine, without the list of the resources to come: each is then looked at by itself.
WITHOUT_SNAPSHOTS = """
import ccm.engine.context as context
from ccm.cli.main import main
made = context.Context.__init__
def forgetful(self, *given, **named):
    made(self, *given, **dict(named, resources=()))
context.Context.__init__ = forgetful
raise SystemExit(main())
"""
PACKAGES = ["p-one", "p-two", "p-three", "p-four", "p-daemon", "p-broken", "p-none"]
SERVICES = ["s-one", "s-two", "p-daemon", "s-new", "s-none"]
UNIT = "[Service]\\nExecStart=/bin/sleep {seconds}\\n[Install]\\nWantedBy=multi-user.target\\n"
COMMANDS = [
    "dpkg --purge --force-all p-two",
    "dpkg -i /srv/apt/p-one_1_all.deb",
    "apt-get install -y -q p-four",
    "systemctl stop s-one",
    "systemctl disable s-two",
    "rm -f /etc/systemd/system/multi-user.target.wants/s-one.service",
    "systemctl mask s-two",
    "systemctl unmask s-two",
    "sed -i s/1000/2000/ /etc/systemd/system/s-two.service",
    "true",
]
VOLATILE = {"event_id", "timestamp", "duration", "mtime"}


def repository():
    daemon = UNIT.format(seconds=3000).replace("\\n", "\n")
    return [
        Deb("p-one", "1"),
        Deb("p-one", "2"),
        Deb("p-two", "1", depends="p-one"),
        Deb("p-three", "1", recommends="p-four"),
        Deb("p-four", "1", conflicts="p-one (<< 2)"),
        Deb("p-daemon", "1", files={"/lib/systemd/system/p-daemon.service": daemon}),
        Deb("p-broken", "1", postinst="exit 7"),
    ]


def resource(draw, number):
    """One resource as a manifest declares it."""
    kind = draw.choice(["package", "package", "package", "service", "service", "file", "exec"])
    if kind == "package":
        ensure = draw.choice(["present", "present", "absent", "latest", "1"])
        return {kind: [{draw.choice(PACKAGES): {"ensure": ensure}}]}
    if kind == "service":
        given = {"ensure": draw.choice(["running", "stopped"])}
        if draw.random() < 0.6:
            given["enable"] = draw.random() < 0.5
        if draw.random() < 0.3:
            given["subscribe"] = ["file#/etc/systemd/system/s-new.service"]
        return {kind: [{draw.choice(SERVICES): given}]}
    if kind == "file":
        content = UNIT.replace("\\n", "\n").format(seconds=draw.choice([1000, 4000]))
        own = {"owner": "root", "group": "root", "mode": "0644", "content": content}
        path = "/etc/systemd/system/s-new.service"
        return {kind: [{path: {"ensure": "absent"} if draw.random() < 0.2 else {"ensure": "present", **own}}]}
    given = {"command": draw.choice(COMMANDS)}
    if draw.random() < 0.4:
        given["onlyif"] = "test -e /usr/bin/true" if draw.random() < 0.5 else "systemctl is-active s-one"
    return {kind: [{f"do {number}": given}]}


def manifest(seed):
    draw = random.Random(seed)
    return {"ccm": {"resources": [resource(draw, number) for number in range(RESOURCES)]}}


def plain(value):
    """An event without what differs from run to run."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in VOLATILE}
    return [plain(item) for item in value] if isinstance(value, list) else value


PROBE = """
dpkg-query -W -f '${binary:Package} ${Version} ${Status}\\n'; cat /var/lib/apt/extended_states
systemctl show s-one s-two p-daemon s-new -p Id,LoadState,ActiveState,UnitFileState,NeedDaemonReload
ls -l --time-style=+ /etc/systemd/system /etc/systemd/system/*.wants
"""


class Way:
    """A host, and how the manifests run there."""

    def __init__(self, name, host, engine, command):
        self.name = name
        self.host = host
        self._engine = engine
        self._command = command

    def prepare(self):
        register(self.host, repository())
        for unit in ("s-one", "s-two"):
            self.host.write(f"/etc/systemd/system/{unit}.service", UNIT.replace("\\n", "\n").format(seconds=1000))
        self.host.run("systemctl daemon-reload && systemctl start s-one && systemctl enable s-two")

    def apply(self, declared):
        """The events of a manifest's run, and what the host is afterwards."""
        declared["ccm"]["engine"] = self._engine
        self.host.run("dpkg --purge --force-all p-broken")  # else it makes later tests fail
        self.host.write("/srv/m.yaml", json.dumps(declared))
        self.host.run("rm -rf /srv/session; ccm session new --directory /srv/session")
        self.host.run(f"{self._command} apply /srv/m.yaml --session /srv/session")
        printed = self.host.run("cd /srv/session && for f in *.event; do cat $f; echo; echo --; done").stdout
        records = [json.loads(text) for text in printed.split("\n--\n") if text.strip()]
        events = [plain(record) for record in records if "type" in record]
        return events, self.host.run(PROBE, check=False).stdout


@pytest.fixture
def ways(booted):
    plain_host, single_host, lone_host = (booted("bookworm") for _way in range(3))
    lone_host.write("/srv/forgetful.py", WITHOUT_SNAPSHOTS)
    ways = [
        Way("as it is", plain_host, {}, "ccm"),
        Way("one after the other", single_host, {"autogroup": False}, "ccm"),
        Way("without snapshots", lone_host, {"autogroup": False}, "python3 /srv/forgetful.py"),
    ]
    for way in ways:
        way.prepare()
    return ways


def test_snapshots_and_groups_cannot_be_seen(ways):
    changed = failed = 0
    for seed in numbers(MANIFESTS):
        declared = manifest(seed)
        (events, host), *others = [way.apply(declared) for way in ways]
        for way, (other_events, other_host) in zip(ways[1:], others, strict=True):
            assert events == other_events, f"manifest {seed}, {way.name}: {json.dumps(declared)}"
            assert host == other_host, f"manifest {seed}, {way.name}: {json.dumps(declared)}"
        changed += sum(event["changed"] for event in events)
        failed += sum(event["failed"] for event in events)
    print(f"{MANIFESTS} manifests three ways: {changed} resources changed, {failed} failed, each the same")
    assert changed > MANIFESTS
    assert failed
