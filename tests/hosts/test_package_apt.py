# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of booted Debian hosts, managed by apt."""

from __future__ import annotations

import json

import pytest

from .aptrepo import Deb, register
from .conftest import host_with_command
from .packages import Saved, apply, runs_of_apt, shown

CONF = {"conffiles": {"/etc/ccm-a.conf": "a\n"}}
DEBS = [
    *(Deb("ccm-a", version, **CONF) for version in ("1.0-1", "2.0-1", "10.0-1")),
    Deb("ccm-b"),
    Deb("ccm-bad-post", postinst="exit 3"),
    Deb("ccm-bad-pre", preinst="exit 3"),
    Deb("ccm-needy", depends="ccm-nowhere"),
    Deb("ccm-multi", arch="amd64", fields={"Multi-Arch": "same"}, files={"/usr/share/ccm-multi": "x\n"}),
    Deb("ccm-multi", arch="i386", fields={"Multi-Arch": "same"}, files={"/usr/share/ccm-multi": "x\n"}),
    Deb("ccm-foreign", arch="i386"),
    Deb("ccm-big", files={"/srv/small/big": "big" * 10000}),
    Deb("ccm-provider", provides="ccm-virtual", suggests="ccm-gone"),
    Deb("ccm-z+"),
    Deb("ccm-slow", postinst="sleep 1; touch /root/slow-is-done"),
]
# Holds the lock $1 as apt does, for $2 seconds: the time that ccm has to wait. Makes a file when it holds the lock.
HOLDER = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
open("/root/held", "w").close()
import time; time.sleep(float(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def clean(bookworm):
    bookworm.run("dpkg --add-architecture i386")
    register(bookworm, DEBS)
    bookworm.write("/root/holder.py", HOLDER)
    return Saved(bookworm)


@pytest.fixture
def host(bookworm, clean):
    clean.restore()
    return bookworm


def install(host, *wanted):
    host.run(["apt-get", "install", "-y", "-q", "--allow-downgrades", *wanted])


def one(host, name, ensure, **options):
    events, log = apply(host, [(name, ensure)], **options)
    return shown(events[0])[1:], events[0], log


PARTIAL = [
    # package, how some of it comes to be there
    ("ccm-b", "cd /tmp && apt-get download -q ccm-b && dpkg --unpack ccm-b_*.deb"),
    ("ccm-bad-post", "apt-get install -y -q ccm-bad-post"),
]


def status_of(host, package):
    """What dpkg says of a package, "" when it has not heard of it."""
    return host.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", package], check=False).stdout


TABLE = [
    # version installed, wanted, outcome, version installed afterwards, message of noop
    ("1.0-1", "present", "stable", "1.0-1", None),
    (None, "present", "changed", "10.0-1", "Would have installed version present"),
    (None, "absent", "stable", "absent", None),
    ("1.0-1", "absent", "changed", "absent", "Would have uninstalled"),
    (None, "latest", "changed", "10.0-1", "Would have installed latest"),
    ("1.0-1", "latest", "changed", "10.0-1", "Would have upgraded to latest"),
    ("10.0-1", "latest", "stable", "10.0-1", None),
    (None, "2.0-1", "changed", "2.0-1", "Would have installed version 2.0-1"),
    ("2.0-1", "2.0-1", "stable", "2.0-1", None),
    ("2.0-1", "02.0-01", "stable", "2.0-1", None),
    ("1.0-1", "2.0-1", "changed", "2.0-1", "Would have upgraded to 2.0-1"),
    ("10.0-1", "2.0-1", "changed", "2.0-1", "Would have downgraded to 2.0-1"),
]


@pytest.mark.parametrize(("before", "ensure", "outcome", "after", "message"), TABLE)
def test_does_what_the_table_says_and_foretells_it(host, before, ensure, outcome, after, message):
    if before:
        install(host, f"ccm-a={before}")
    (what, final), event, _log = one(host, "ccm-a", ensure, flags=["--noop"])
    assert (what, event.get("noop_message")) == (outcome, message)
    assert final == (before or "absent")
    (what, final), event, _log = one(host, "ccm-a", ensure)
    assert (what, final) == (outcome, after)
    assert event["status"]["stable"] is (outcome == "stable")
    assert one(host, "ccm-a", ensure)[0] == ("stable", after)


def test_removed_with_configuration_left_is_absent(host):
    install(host, "ccm-a")
    host.run("apt-get remove -y -q ccm-a")
    (what, final), event, _log = one(host, "ccm-a", "absent")
    assert (what, final) == ("stable", "absent")
    assert event["status"]["metadata"]["extended"] == {"status": "config-files"}
    assert one(host, "ccm-a", "present")[0] == ("changed", "10.0-1")


@pytest.mark.parametrize(("package", "make"), PARTIAL)
def test_absent_removes_what_is_there_only_in_part(host, package, make):
    host.run(make, check=False)
    assert status_of(host, package) in ("unpacked", "half-configured")
    (what, final), event, _log = one(host, package, "absent", flags=["--noop"])
    assert (what, final, event["noop_message"]) == ("changed", "absent", "Would have uninstalled")
    assert one(host, package, "absent")[0] == ("changed", "absent")
    assert status_of(host, package) in ("", "not-installed")
    assert one(host, package, "absent")[0] == ("stable", "absent")


def make_index_old(host, minutes):
    host.run(f"touch -d '{minutes} minutes ago' /var/lib/apt/lists")


def index_age(host):
    """The age of the package index, in minutes."""
    return int(host.run("echo $((($(date +%s) - $(stat -c %Y /var/lib/apt/lists)) / 60))").stdout)


def test_an_index_that_is_too_old_is_refreshed_before_the_first_package(host):
    wanted = [("ccm-a", "present"), ("ccm-b", "present")]
    make_index_old(host, minutes=50)
    apply(host, wanted, {"package_index": "1h"})
    assert index_age(host) >= 50
    make_index_old(host, minutes=70)
    _events, log = apply(host, [("ccm-a", "1.0-1")], {"package_index": "1h"}, flags=["--noop"])
    assert "Would have refreshed the package index" in log
    apply(host, wanted)
    assert index_age(host) >= 70
    apply(host, wanted, {"package_index": "1h"})
    assert index_age(host) < 10


def test_a_missing_index_is_refreshed(host):
    host.run("rm -f /var/lib/apt/lists/*Packages /var/lib/apt/lists/*Release; touch /var/lib/apt/lists")
    (event,), _log = apply(host, [("ccm-b", "present")])
    assert event["failed"]
    (event,), _log = apply(host, [("ccm-b", "present")], {"package_index": "1h"})
    assert shown(event)[1] == "changed"


def test_an_index_that_cannot_be_refreshed_is_a_warning(host):
    install(host, "ccm-b")
    make_index_old(host, minutes=70)
    source = "/etc/apt/sources.list.d/gone.list"
    host.run(f"echo 'deb [trusted=yes] http://127.0.0.1:9/ ./' > {source}")
    try:
        (event,), log = apply(host, [("ccm-b", "present")], {"package_index": "1h"})
    finally:
        host.run(f"rm {source}")
    assert shown(event)[1] == "stable"
    assert "The package index could not be refreshed: " in log


FAILURES = [
    # name, ensure, the reason from its beginning, words in it
    ("ccm-nobody", "present", 'failed to install package "ccm-nobody", apt-get exited 100: ', "Unable to locate"),
    ("ccm-a", "3.0-1", 'failed to install package "ccm-a", apt-get exited 100: ', "'3.0-1'"),
    ("ccm-gone", "latest", "no installation candidate for ccm-gone", None),
    ("ccm-nobody", "latest", "could not find Candidate: line in apt-cache policy output for ccm-nobody", None),
    ("ccm-needy", "present", 'failed to install package "ccm-needy", apt-get exited 100: ', "Depends: ccm-nowhere"),
    ("ccm-bad-post", "present", 'failed to install package "ccm-bad-post", apt-get exited 100: ', "exit status 3"),
    ("ccm-bad-pre", "present", 'failed to install package "ccm-bad-pre", apt-get exited 100: ', "exit status 3"),
]


@pytest.mark.parametrize(("name", "ensure", "reason", "words"), FAILURES)
def test_says_why_it_failed(host, name, ensure, reason, words):
    (what, error), _event, _log = one(host, name, ensure)
    assert what == "failed"
    assert error.startswith(reason) if words else error == reason
    assert (words or "") in error


STRANGE_NAMES = [
    # what apt-get would take for an order, a pattern or an option
    ("ccm-a-", "apt knows no package ccm-a-"),
    ("ccm-a+", "apt knows no package ccm-a+"),
    ("ccm.b", "apt knows no package ccm.b"),
    ("~nccm-b", "apt knows no package ~nccm-b"),
    ("--autoremove", "package name begins with a dash: --autoremove"),
]


@pytest.mark.parametrize("ensure", ["present", "latest", "1.0-1"])
@pytest.mark.parametrize(("name", "reason"), STRANGE_NAMES)
def test_takes_names_for_nothing_else(host, name, ensure, reason):
    install(host, "ccm-a")
    done = runs_of_apt(host)
    (what, error), _event, _log = one(host, name, ensure)
    assert what == "failed"
    assert error == reason
    assert runs_of_apt(host) == done


def test_installs_what_has_such_a_name(host):
    assert one(host, "ccm-z+", "present")[0] == ("changed", "1.0-1")
    assert one(host, "ccm-z+", "latest")[0] == ("stable", "1.0-1")


@pytest.mark.parametrize("resources", [["ccm-a"], ["ccm-a", "ccm-b"]])
def test_does_not_take_what_dpkg_cannot_tell_for_absent(host, resources):
    host.run("echo garbage >> /var/lib/dpkg/status")
    events, _log = apply(host, [(name, "absent") for name in resources])
    for event in events:
        name, what, error = shown(event)
        assert (name, what) == (event["name"], "failed")
        assert error.startswith("dpkg-query exited 2: dpkg-query: error: parsing file '/var/lib/dpkg/status'")


@pytest.mark.parametrize("signal", ["TERM", "HUP"])
def test_lets_apt_end_when_it_is_told_to_end_itself(host, signal):
    host.run("rm -f slow-is-done")
    host.write(
        "/root/slow.json", json.dumps({"ccm": {"resources": [{"package": [{"ccm-slow": {"ensure": "present"}}]}]}})
    )
    until = "while ! dpkg-query -W ccm-slow > /dev/null 2>&1; do sleep 0.02; done"
    done = host.run(f"ccm apply slow.json & {until}; kill -{signal} $!; wait $!", check=False)
    assert "Interrupted, waiting for apt-get to end" in done.stdout
    assert done.returncode != 0
    assert host.run("dpkg-query -W -f '${db:Status-Status}' ccm-slow").stdout == "installed"
    host.run("test -e slow-is-done; ! pgrep apt-get; ! ls /var/lib/dpkg/updates/* 2> /dev/null")


def test_refuses_to_compare_with_what_is_no_version(host):
    install(host, "ccm-a=1.0-1")
    done = runs_of_apt(host)
    reason = 'invalid version "1.0_2": unable to parse "1.0_2" as a debian version identifier'
    assert one(host, "ccm-a", "1.0_2")[0] == ("failed", reason)
    assert runs_of_apt(host) == done


def test_says_that_a_package_is_held(host):
    install(host, "ccm-a=1.0-1")
    host.run("apt-mark hold ccm-a")
    for ensure in ("latest", "2.0-1", "absent"):
        (what, error), _event, _log = one(host, "ccm-a", ensure)
        assert what == "failed"
        assert error == f"ccm-a is held at version 1.0-1, {ensure} would change it"
    assert host.run("dpkg-query -W -f '${Version}' ccm-a").stdout == "1.0-1"


def test_finishes_what_dpkg_was_interrupted_in(host):
    host.run("dpkg --unpack /srv/apt/ccm-b_1.0-1_all.deb")
    host.run("awk '/^Package: ccm-b$/,/^$/' /var/lib/dpkg/status > /var/lib/dpkg/updates/0001")
    outcome, _event, log = one(host, "ccm-a", "present")
    assert outcome == ("changed", "10.0-1")
    assert "dpkg was interrupted, running dpkg --configure -a" in log
    assert host.run("dpkg-query -W -f '${db:Status-Status}' ccm-b").stdout == "installed"


def hold(host, lock, seconds):
    host.run(f"rm -f held; setsid python3 holder.py {lock} {seconds} < /dev/null > /dev/null 2>&1 &")
    host.run("while [ ! -e held ]; do sleep 0.02; done")


@pytest.mark.parametrize("lock", ["/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/cache/apt/archives/lock"])
def test_waits_for_who_holds_a_lock(host, lock):
    hold(host, lock, 1)
    outcome, _event, log = one(host, "ccm-b", "present")
    assert outcome == ("changed", "1.0-1")
    assert log.count("Waiting for python3 (pid ") == 1
    assert f"which holds {lock}, for at most 5m0s" in log


def test_gives_up_waiting_for_a_lock(host):
    hold(host, "/var/lib/dpkg/lock-frontend", 1000)
    wanted = [("ccm-a", "present"), ("ccm-b", "present")]
    events, _log = apply(host, wanted, {"lock_timeout": "300ms"})
    for event in events:
        assert event["error"][0].startswith("python3 (pid ")
        assert event["error"][0].endswith(" still holds /var/lib/dpkg/lock-frontend after 300ms")
    assert sum(event["failed"] for event in events) == len(wanted)
    host.run("pkill -f '[h]older.py'")


def test_says_that_packages_cannot_be_fetched(host):
    host.run("mv /srv/apt/ccm-b_1.0-1_all.deb /root")
    try:
        (what, error), _event, _log = one(host, "ccm-b", "present")
    finally:
        host.run("mv /root/ccm-b_1.0-1_all.deb /srv/apt")
    assert what == "failed"
    assert error.startswith('failed to install package "ccm-b", apt-get exited 100: ')
    assert "/srv/apt/./ccm-b_1.0-1_all.deb" in error


def test_says_that_a_package_is_not_what_the_repository_promised(host):
    host.run("cp /srv/apt/ccm-b_1.0-1_all.deb /root && echo broken > /srv/apt/ccm-b_1.0-1_all.deb")
    try:
        (what, error), _event, _log = one(host, "ccm-b", "present")
    finally:
        host.run("cp /root/ccm-b_1.0-1_all.deb /srv/apt")
    assert what == "failed"
    assert "E: " in error


def test_says_that_the_disk_is_full(host):
    host.run("mkdir -p /srv/small && mount -t tmpfs -o size=16k none /srv/small")
    try:
        (what, error), _event, _log = one(host, "ccm-big", "present")
    finally:
        host.run("umount /srv/small")
    assert what == "failed"
    assert "No space left on device" in error


def others(event):
    return event["status"]["metadata"]["extended"].get("others")


def test_knows_the_architectures_of_a_package(host):
    install(host, "ccm-multi", "ccm-multi:i386")
    outcome, event, _log = one(host, "ccm-multi", "present")
    assert outcome == ("stable", "1.0-1")
    assert event["status"]["metadata"]["arch"] == "amd64"
    assert others(event) == [{"version": "1.0-1", "arch": "i386", "status": "installed"}]
    assert one(host, "ccm-multi:i386", "absent")[0] == ("changed", "absent")
    assert one(host, "ccm-multi", "present")[0] == ("stable", "1.0-1")
    assert one(host, "ccm-multi:i386", "present")[0] == ("changed", "1.0-1")
    outcome, event, _log = one(host, "ccm-multi", "absent")
    assert outcome == ("changed", "absent")
    assert "ccm-multi" not in host.run("dpkg-query -W").stdout


def test_takes_a_foreign_package_for_the_package(host):
    assert one(host, "ccm-foreign", "present")[0] == ("changed", "1.0-1")
    assert one(host, "ccm-foreign", "absent")[0] == ("changed", "absent")


STRANGE = [
    "ccm-a",
    "ccm-b",
    "ccm-bad-post",
    "ccm-bad-pre",
    "ccm-multi",
    "ccm-multi:i386",
    "ccm-multi:amd64",
    "ccm-multi:all",
    "ccm-multi:any",
    "ccm-a:all",
    "ccm-a:amd64",
    "ccm-foreign",
    "ccm-virtual",
    "ccm-provider",
    "ccm-nobody",
    "ccm-selected",
    "CCM-A",
    ".ccm",
    "ccm-",
    "dpkg",
]
LOOK = """
import json, sys
from ccm.host.machine import Machine
from ccm.resources.package.apt_database import look
from ccm.resources.package.apt_snapshot import AptSnapshot
looks = []
machine = Machine()
for look_at in (lambda name: look(machine, name), AptSnapshot(machine).look):
    found = [look_at(name) for name in sys.argv[1:]]
    plain = lambda package: [package.version, package.arch, package.status, package.is_installed and package.name]
    looks.append([plain(package) + [sorted(map(plain, package.others))] for package in found])
print(json.dumps(looks))
"""


def test_sees_one_by_one_what_it_sees_at_once(host):
    install(host, "ccm-a", "ccm-multi", "ccm-multi:i386", "ccm-foreign:i386")
    host.run("apt-get remove -y -q ccm-a ccm-multi:i386; apt-get install -y -q ccm-bad-post ccm-bad-pre; true")
    host.run("dpkg --unpack /srv/apt/ccm-b_1.0-1_all.deb; echo ccm-selected install | dpkg --set-selections; true")
    one_by_one, at_once = json.loads(host.run(["python3", "-c", LOOK, *STRANGE]).stdout)
    assert dict(zip(STRANGE, at_once, strict=True)) == dict(zip(STRANGE, one_by_one, strict=True))
    assert len({status for _version, _arch, status, *_rest in at_once}) > len(("installed", "unknown", "config-files"))


@pytest.mark.parametrize("release", ["bullseye", "trixie"])
def test_manages_packages_of_other_releases(release):
    with host_with_command(release) as host:
        register(host, DEBS)
        done = runs_of_apt(host)
        for wanted, outcome in (
            ("1.0-1", "changed"),
            ("latest", "changed"),
            ("latest", "stable"),
            ("absent", "changed"),
        ):
            assert one(host, "ccm-a", wanted)[0][0] == outcome
        events, log = apply(host, [("ccm-a", "present"), ("ccm-b", "present"), ("ccm-provider", "present")])
        assert [shown(event)[1] for event in events] == ["changed"] * 3
        assert "Acting on a batch" in log
        assert runs_of_apt(host) == done + 4
