# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages by dnf and rpm on a booted host."""

from __future__ import annotations

import json
import os
import random
import re

import pytest

from tests.seed import numbers

from .rpmrepo import Rpm, register

GROUPINGS = int(os.environ.get("CCM_GROUPINGS", "4"))
USER_INSTALLED = "dnf -q repoquery --userinstalled --qf '%{name}' | sort"
INSTALLED = "rpm -qa --queryformat '%{NAME}-%{EVR}.%{ARCH}\\n' | sort"


@pytest.fixture(autouse=True)
def clean(dnf_host):
    """Every test begins without packages of its own, and without repositories."""
    yield
    dnf_host.run("dnf remove -y -q 'ccm-*'; rm -f /etc/yum.repos.d/*; dnf -q clean all", check=False)


def ensure(host, name, ensure="present", noop=False):
    """The event of one package."""
    request = {
        "protocol": "io.choria.ccm.v1.resource.ensure.request",
        "type": "package",
        "properties": {"name": name, "ensure": ensure},
    }
    flags = ["--noop"] if noop else []
    return json.loads(host.run(["ccm", "ensure", *flags, "api", "pipe"], input=json.dumps(request)).stdout)["state"]


def apply(host, packages, engine=None, flags=()):
    """The events of packages, [(name, ensure)], of one manifest, in order; what changes with every run left out."""
    resources = [{"package": [{name: {"ensure": wanted}}]} for name, wanted in packages]
    manifest = {"ccm": {"resources": resources, **({"engine": engine} if engine else {})}}
    host.write("/root/m.yaml", json.dumps(manifest))
    host.run("rm -rf /root/s; mkdir /root/s")
    done = host.run(["ccm", "apply", "/root/m.yaml", "--session", "/root/s", *flags])
    texts = host.run("for f in $(ls /root/s/*.event | sort); do cat $f; printf '\\001'; done").stdout.split("\x01")
    events = [json.loads(text) for text in texts if text.strip()]
    return [event for event in events if event.get("type") == "package"], done.stdout + done.stderr


def seen(event):
    """What must be the same with and without grouping."""
    status = {key: value for key, value in (event["status"] or {}).items() if key != "timestamp"}
    wanted = ("name", "requested_ensure", "final_ensure", "error", "changed", "failed", "noop", "skipped")
    return {**{key: event[key] for key in wanted}, "status": status}


TABLE = [  # installed before, ensure, final_ensure, changed, noop message
    ("", "present", "3.0", True, "Would have installed version present"),
    ("1.0-1", "present", "1.0", False, ""),
    ("", "absent", "absent", False, ""),
    ("1.0-1", "absent", "absent", True, "Would have uninstalled"),
    ("", "latest", "3.0", True, "Would have installed latest"),
    ("1.0-1", "latest", "3.0", True, "Would have upgraded to latest"),
    ("3.0-1", "latest", "3.0", False, ""),
    ("", "2.0", "2.0", True, "Would have installed version 2.0"),
    ("2.0-1", "2.0", "2.0", False, ""),
    ("1.0-1", "2.0", "2.0", True, "Would have upgraded to 2.0"),
    ("3.0-1", "2.0-1", "2.0-1", True, "Would have downgraded to 2.0-1"),
]


def test_the_decision_table(dnf_host):
    register(dnf_host, [Rpm("ccm-a", version) for version in ("1.0-1", "2.0-1", "3.0-1")])
    for before, wanted, final, changed, message in TABLE:
        dnf_host.run("rpm -e ccm-a", check=False)
        if before:
            dnf_host.run(["rpm", "-U", "--quiet", f"/srv/rpm/ccm-a-{before}.noarch.rpm"])
        foreseen = ensure(dnf_host, "ccm-a", wanted, noop=True)
        assert (foreseen["changed"], foreseen.get("noop_message", "")) == (changed, message)
        event = ensure(dnf_host, "ccm-a", wanted)
        assert (event["error"], event["final_ensure"], event["changed"]) == ([], final, changed), (before, wanted)
        assert not ensure(dnf_host, "ccm-a", wanted)["changed"]


def test_an_epoch_is_greater_than_any_version(dnf_host):
    register(dnf_host, [Rpm("ccm-a", "9.0-1"), Rpm("ccm-a", "1:1.0-1")])
    dnf_host.run("rpm -i --quiet /srv/rpm/ccm-a-9.0-1.noarch.rpm")
    event = ensure(dnf_host, "ccm-a", "latest")
    assert (event["final_ensure"], event["status"]["metadata"]["extended"]["epoch"]) == ("1.0", "1")
    assert ensure(dnf_host, "ccm-a", "1:1.0-1")["final_ensure"] == "1:1.0-1"
    assert ensure(dnf_host, "ccm-a", "0:9.0", noop=True)["noop_message"] == "Would have downgraded to 0:9.0"


def test_the_newest_of_several_versions_counts(dnf_host):
    register(dnf_host, [Rpm("ccm-a", v, files={f"/opt/{v}": v}) for v in ("9.0-1", "10.0-1", "10.0~rc1-1")])
    dnf_host.run("rpm -i --quiet /srv/rpm/ccm-a-*.rpm")
    metadata = ensure(dnf_host, "ccm-a", "10.0")["status"]["metadata"]
    assert metadata["version"] == "10.0-1"
    assert metadata["extended"]["others"] == ["10.0~rc1-1.noarch", "9.0-1.noarch"]


def test_what_dnf_says_is_in_the_reason(dnf_host):
    register(dnf_host, [
        Rpm("ccm-pre", pre="echo in pre; exit 3"),
        Rpm("ccm-preun", preun="exit 3"),
        Rpm("ccm-needs", requires="ccm-nowhere"),
        Rpm("ccm-big", files={"/mnt/big": "x" * 3_000_000}),
    ])  # fmt: skip
    for name in ("ccm-pre", "ccm-needs"):
        error = ensure(dnf_host, name)["error"][0]
        assert re.match(f'failed to Install package "{name}", dnf exited 1: .', error), error
        assert error.count(" / ") <= 2
    assert "nothing provides ccm-nowhere needed by ccm-needs" in error
    ensure(dnf_host, "ccm-preun")
    assert re.match(
        r"failed to Uninstall ccm-preun, dnf exited 1: .", ensure(dnf_host, "ccm-preun", "absent")["error"][0]
    )
    dnf_host.run("rpm -e --noscripts ccm-preun")
    dnf_host.run("mount -t tmpfs -o size=1m none /mnt")
    try:
        assert "needs 3MB more space on the /mnt filesystem" in ensure(dnf_host, "ccm-big")["error"][0]
    finally:
        dnf_host.run("umount /mnt")
    (error,) = ensure(dnf_host, "ccm-unknown")["error"]
    assert error == 'failed to Install package "ccm-unknown", dnf exited 1: Error: Unable to find a match: ccm-unknown'
    dnf_host.run("printf '[gone]\\nname=gone\\nbaseurl=http://127.0.0.1:9/\\n' > /etc/yum.repos.d/gone.repo")
    assert "Failed to download metadata for repo 'gone'" in ensure(dnf_host, "ccm-big")["error"][0]
    dnf_host.run("rpm -i --quiet --nodeps /srv/rpm/ccm-needs*.rpm")
    for noop in (False, True):
        error = ensure(dnf_host, "ccm-needs", "latest", noop=noop)["error"][0]
        assert error.startswith("could not find the candidate of ccm-needs, dnf exited 1: "), error


# Holds the lock of $1, dnf or rpm, for $2 seconds: the time that ccm has to wait. Makes a file when it holds the lock.
HOLD = """
import fcntl, os, sys, time
open("/var/lib/dnf/rpmdb_lock.pid", "w").write(str(os.getpid())) if sys.argv[1] == "dnf" else None
file = open("/var/lib/rpm/.rpm.lock", "w")
fcntl.lockf(file, fcntl.LOCK_EX) if sys.argv[1] == "rpm" else None
open("/run/held", "w").close()
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize("whose", ["dnf", "rpm"])
def test_a_held_lock_is_waited_for_and_its_holder_named(dnf_host, whose):
    register(dnf_host, [Rpm("ccm-a")])
    dnf_host.write("/root/hold.py", HOLD)
    hold = f"rm -f /run/held; mkdir -p /var/lib/dnf; (python3 /root/hold.py {whose} %s > /dev/null 2>&1 &); "
    hold += "while [ ! -e /run/held ]; do sleep 0.02; done"
    dnf_host.run(hold % 1)
    [event], said = apply(dnf_host, [("ccm-a", "present")], {"lock_timeout": "20s"})
    assert event["changed"]
    assert len(re.findall(r"Waiting for python3 \(pid \d+\), which holds /var/lib/\S+ for at most 20s", said)) == 1
    dnf_host.run(hold % 1000)
    [event], _said = apply(dnf_host, [("ccm-a", "absent")], {"lock_timeout": "300ms"})
    assert re.fullmatch(r"python3 \(pid \d+\) still holds /var/lib/\S+ after 300ms", event["error"][0])
    assert dnf_host.run("rpm -q ccm-a").returncode == 0
    dnf_host.run("pkill -f /root/hold.py; rm -f /var/lib/dnf/rpmdb_lock.pid", check=False)


LOOK = """
import json, sys
from ccm.host.machine import Machine
from ccm.resources.package.rpm_database import RpmDatabase
database, labels = RpmDatabase(Machine()), json.load(sys.stdin)
shown = lambda found: [vars(package) for package in found]
before = database.fingerprint()
assert before and database.snapshot()
print(json.dumps([[label, shown(database.find(label)), shown(database.find_in_snapshot(label))] for label in labels]))
assert database.fingerprint() == before
"""
STRANGE = [
    Rpm("ccm-a", "1.0-1"), Rpm("ccm-a", "2:1.0~rc1-3", files={"/opt/two": "2"}), Rpm("ccm-a-1.0", "5-1"),
    Rpm("ccm-b", "1.0^git1-1"), Rpm("ccm-b-lib", "1.0-1.1"), Rpm("ccm-c.noarch", "1-1"), Rpm("ccm-C+", "1_2-1"),
]  # fmt: skip


def test_a_snapshot_finds_what_a_single_look_finds(dnf_host):
    register(dnf_host, STRANGE)
    dnf_host.run("rpm -i --quiet --nodeps /srv/rpm/*.rpm")
    labels = {"ccm", "ccm-", "ccm-nothing", "gpg-pubkey", "ccm-c"}
    for package in STRANGE:
        epoch, _colon, full = package.version.rpartition(":")
        version = full.partition("-")[0]
        for ending in ("", "-", ".", f"-{version}", f"-{full}", f"-{epoch or 0}:{full}", f"-{full[:-1]}", "-x-1", "-0"):
            labels |= {package.name + ending + arch for arch in ("", ".noarch", ".x86_64", ".")}
    answers = json.loads(run_python(dnf_host, LOOK, sorted(labels)))
    assert len(answers) == len(labels)
    assert [label for label, single, among in answers if single != among] == []
    assert sum(bool(single) for _label, single, _among in answers) > 20


def run_python(host, program, given):
    """What a program in the Python of the host's ccm prints, with JSON on its standard input."""
    host.write("/root/program.py", program)
    return host.run("$(sed -n '1s/^#!//p' /usr/local/bin/ccm) /root/program.py", input=json.dumps(given)).stdout


def test_a_snapshot_notices_what_others_do(dnf_host):
    register(dnf_host, [Rpm("ccm-a"), Rpm("ccm-b")])
    dnf_host.write(
        "/root/m.yaml",
        json.dumps({"ccm": {"resources": [
            {"package": [{"ccm-b": {"ensure": "absent"}}]},
            {"exec": [{"install": {"command": "rpm -i --quiet /srv/rpm/ccm-a-1.0-1.noarch.rpm"}}]},
            {"package": [{"ccm-a": {"ensure": "present"}}]},
        ]}}),
    )  # fmt: skip
    said = dnf_host.run("ccm apply /root/m.yaml").stdout
    assert re.search(r"INFO\S* +package#ccm-a stable", re.sub(r"\x1b\[[0-9;]*m", "", said)), said


def repository(seed):
    """Packages that need, recommend, replace, refuse and fail, and what is wanted of some."""
    rng = random.Random(seed)
    names = [f"ccm-{letter}" for letter in "abcdefgh"]
    rpms = []
    for name in names:
        others = [other for other in names if other != name]
        fields = {}
        for relation, chance in (("requires", 0.25), ("recommends", 0.15), ("conflicts", 0.08), ("obsoletes", 0.04)):
            if rng.random() < chance:
                fields[relation] = rng.choice(
                    [*others, "ccm-virtual", "ccm-none"] if relation == "requires" else others
                )
        if rng.random() < 0.2:
            fields["provides"] = "ccm-virtual"
        if rng.random() < 0.08:
            fields["pre"] = "exit 1"
        rpms.append(Rpm(name, **fields))
    wanted = rng.sample(names, 4)
    return rpms, wanted, rng.choice(["present", "latest"])


@pytest.mark.soak
@pytest.mark.parametrize("seed", numbers(GROUPINGS))
def test_grouped_packages_are_as_ungrouped_ones(dnf_host, seed):
    rpms, wanted, ensure_ = repository(seed)
    outcomes = []
    register(dnf_host, rpms)
    for grouped in (True, False):
        dnf_host.run("rpm -e --noscripts --nodeps $(rpm -qa 'ccm-*') 2> /dev/null", check=False)
        outcome = []
        for packages in ([(name, ensure_) for name in wanted], [(name, "absent") for name in wanted[::-1]]):
            events, _said = apply(dnf_host, packages, {"autogroup": grouped})
            outcome += [
                [seen(event) for event in events],
                *(dnf_host.run(q).stdout for q in (INSTALLED, USER_INSTALLED)),
            ]
        outcomes.append(outcome)
    assert outcomes[0] == outcomes[1], (rpms, wanted)


def test_independent_packages_are_one_transaction(dnf_host):
    register(dnf_host, [Rpm(f"ccm-{letter}") for letter in "abcd"])
    transactions = "dnf -q history list 2> /dev/null | grep -c '|'"
    for wanted, count in (("present", 1), ("absent", 1)):
        before = int(dnf_host.run(transactions, check=False).stdout)
        events, _said = apply(dnf_host, [(f"ccm-{letter}", wanted) for letter in "abcd"])
        assert [event["changed"] for event in events] == [True] * 4
        assert int(dnf_host.run(transactions, check=False).stdout) - before == count


@pytest.mark.parametrize("order", ["bacd", "abcd", "cdab"])
def test_removed_together_are_only_those_that_do_not_take_each_other(dnf_host, order):
    register(
        dnf_host,
        [Rpm("ccm-a", requires="ccm-x"), Rpm("ccm-x", requires="ccm-b"), *map(Rpm, ("ccm-b", "ccm-c", "ccm-d"))],
    )
    outcomes = []
    for grouped in (True, False):
        dnf_host.run("dnf install -y -q ccm-a ccm-c ccm-d")
        packages = [(f"ccm-{letter}", "absent") for letter in order]
        events, _said = apply(dnf_host, packages, {"autogroup": grouped})
        outcomes.append([[seen(event) for event in events], dnf_host.run(INSTALLED).stdout])
    assert outcomes[0] == outcomes[1]
    assert sum(event["changed"] for event in outcomes[0][0]) == 3


def test_the_index_is_refreshed_when_it_is_too_old(dnf_host):
    register(dnf_host, [Rpm("ccm-a")])
    wanted = [("ccm-a", "present")]
    apply(dnf_host, wanted)
    dnf_host.run("find /var/cache/dnf -type f -exec touch -d '2 hours ago' {} +")
    old_index = "find /var/cache/dnf -name '*primary*' -mmin +60"
    apply(dnf_host, wanted)
    assert dnf_host.run(old_index).stdout
    _events, log = apply(dnf_host, wanted, {"package_index": "1h"})
    assert "could not be refreshed" not in log
    assert not dnf_host.run(old_index).stdout


PROVIDERS = [
    *(Rpm("ccm-one", version, provides="ccm-lib = 3") for version in ("1.0-1", "2.0-1")),
    Rpm("ccm-first", provides="ccm-many"),
    Rpm("ccm-second", provides="ccm-many"),
    Rpm("ccm-old"),
    Rpm("ccm-new", "2.0-1", obsoletes="ccm-old < 2", provides="ccm-old = 2"),
    Rpm("ccm-older"),
    Rpm("ccm-newer", "2.0-1", obsoletes="ccm-older < 2"),
    Rpm("ccm-own"),
    Rpm("ccm-other", provides="ccm-own"),
    Rpm("ccm-b"),
]


@pytest.mark.parametrize("wanted", ["present", "latest"])
def test_a_name_that_one_package_provides_means_this_package(dnf_host, wanted):
    register(dnf_host, PROVIDERS)
    [event], _said = apply(dnf_host, [("ccm-lib", wanted)], flags=["--noop"])
    assert event["noop_message"].startswith("Would have installed ")
    for others, changed in (([], True), ([], False), ([("ccm-b", wanted)], False)):
        [event, *_more], said = apply(dnf_host, [("ccm-lib", wanted), *others])
        assert (event["error"], event["final_ensure"], event["changed"]) == ([], "2.0", changed)
        assert event["status"]["metadata"]["name"] == "ccm-one"
        assert said.count("ccm-lib is provided by ccm-one") == 1
    for removed in ("absent", "purged"):
        [event], said = apply(dnf_host, [("ccm-lib", removed)])
        assert (event["error"], event["final_ensure"], event["changed"]) == ([], "absent", False)
        assert "ccm-lib is not installed, it is provided by ccm-one" in said
    assert dnf_host.run("rpm -q ccm-one").stdout == "ccm-one-2.0-1.noarch\n"
    assert "unable to find a match" in ensure(dnf_host, "ccm-lib", "3")["error"][0].lower()


def test_latest_of_a_provided_name_is_that_of_the_installed_package(dnf_host):
    register(dnf_host, PROVIDERS)
    dnf_host.run("rpm -i --quiet /srv/rpm/ccm-one-1.0-1.noarch.rpm")
    assert not ensure(dnf_host, "ccm-lib")["changed"]
    assert ensure(dnf_host, "ccm-lib", "latest", noop=True)["noop_message"] == "Would have upgraded to latest"
    assert [ensure(dnf_host, "ccm-lib", "latest")["changed"] for _run in range(2)] == [True, False]
    assert dnf_host.run("rpm -q ccm-one").stdout == "ccm-one-2.0-1.noarch\n"


@pytest.mark.parametrize("name", ["ccm-old", "ccm-older"])
def test_a_package_that_another_one_obsoletes_is_not_installed_again(dnf_host, name):
    register(dnf_host, PROVIDERS)
    for others, changed in (([], True), ([], False), ([("ccm-b", "present")], False)):
        [event, *_more], said = apply(dnf_host, [(name, "present"), *others])
        assert (event["error"], event["final_ensure"], event["changed"]) == ([], "2.0", changed)
        assert f"{name} is provided by {name.replace('old', 'new')}" in said


def test_a_name_that_several_packages_provide_is_refused_and_the_others_are_installed(dnf_host):
    register(dnf_host, PROVIDERS)
    names = ("ccm-b", "ccm-many", "ccm-one", "ccm-own")
    events, _said = apply(dnf_host, [(name, "present") for name in names])
    assert [event["failed"] for event in events] == [False, True, False, False]
    assert [event["changed"] for event in events] == [True, False, True, True]
    assert events[1]["error"] == ["ccm-many is provided by several packages: ccm-first, ccm-second"]
    assert dnf_host.run("rpm -q ccm-first ccm-second", check=False).returncode
    dnf_host.run("dnf install -y -q ccm-first ccm-second")
    assert not ensure(dnf_host, "ccm-many")["changed"]
    error = ensure(dnf_host, "ccm-many", "latest")["error"]
    assert error == ["ccm-many is provided by several packages: ccm-first, ccm-second"]


def test_a_name_with_a_package_of_its_own_means_this_package(dnf_host):
    register(dnf_host, PROVIDERS)
    dnf_host.run("dnf install -y -q ccm-other")
    assert [ensure(dnf_host, "ccm-own")["changed"] for _run in range(2)] == [True, False]
    assert dnf_host.run("rpm -q ccm-own").stdout == "ccm-own-1.0-1.noarch\n"
    assert [ensure(dnf_host, "ccm-b.noarch")["changed"] for _run in range(2)] == [True, False]


def test_purged_is_absent(dnf_host):
    register(dnf_host, [Rpm("ccm-a")])
    assert not ensure(dnf_host, "ccm-a", "purged")["changed"]
    ensure(dnf_host, "ccm-a")
    assert ensure(dnf_host, "ccm-a", "purged", noop=True)["noop_message"] == "Would have purged"
    assert [ensure(dnf_host, "ccm-a", "purged")["changed"] for _run in range(2)] == [True, False]
    assert dnf_host.run("rpm -q ccm-a", check=False).returncode


def test_a_mark_without_versionlock_is_refused(dnf_host):
    register(dnf_host, [Rpm("ccm-a")])
    for mark in ("hold", "none"):
        done = dnf_host.run(["ccm", "ensure", "package", "ccm-a", "--mark", mark], check=False)
        assert "mark needs the plugin versionlock of dnf, dnf exited 1: " in done.stdout + done.stderr
    assert dnf_host.run("rpm -q ccm-a", check=False).returncode
