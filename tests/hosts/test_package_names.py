# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of packages that others provide, names with an architecture, pins, purged packages and holds, with apt."""

from __future__ import annotations

import pytest

from .aptrepo import Deb, register
from .packages import Saved, apply, apply_manifest, runs_of_apt, shown

DEBS = [
    *(Deb("ccm-a", version, conffiles={"/etc/ccm-a.conf": "a\n"}) for version in ("1.0-1", "2.0-1")),
    Deb("ccm-b"),
    *(Deb("ccm-one", version, provides="ccm-lib (= 3), ccm-own") for version in ("1.0-1", "2.0-1")),
    Deb("ccm-first", provides="ccm-many"),
    Deb("ccm-second", provides="ccm-many"),
    Deb("ccm-lost", "1.0-1", provides="ccm-former"),
    Deb("ccm-lost", "2.0-1"),
    Deb("ccm-own"),
    Deb("ccm-native", arch="amd64"),
    Deb("ccm-foreign", arch="i386"),
]
PIN = "Package: ccm-a\nPin: version 1*\nPin-Priority: 1001\n"


@pytest.fixture(scope="module")
def clean(host):
    host.run("dpkg --add-architecture i386")
    register(host, DEBS)
    return Saved(host)


@pytest.fixture(autouse=True)
def _restored(host, clean):
    clean.restore()
    host.run("rm -f /etc/apt/preferences.d/ccm /etc/ccm-a.conf")


def install(host, *wanted):
    host.run(["apt-get", "install", "-y", "-q", "--allow-downgrades", *wanted])


def one(host, name, ensure, *flags, **properties):
    """What becomes of a package, its event, and the log."""
    events, log = apply_manifest(host, [{"package": [{name: {"ensure": ensure, **properties}}]}], flags=flags)
    return shown(events[0])[1:], events[0], log


def installed(host):
    return host.run("dpkg-query -W -f '${Package} ${Version} ${db:Status-Abbrev}\\n' 'ccm-*'", check=False).stdout


@pytest.mark.parametrize("ensure", ["present", "latest"])
def test_a_name_that_one_package_provides_means_this_package(host, ensure):
    _outcome, event, _log = one(host, "ccm-lib", ensure, "--noop")
    assert event["noop_message"].startswith("Would have installed ")
    assert one(host, "ccm-lib", "absent")[0] == ("stable", "absent")
    for what in ("changed", "stable"):
        outcome, event, log = one(host, "ccm-lib", ensure)
        assert outcome == (what, "2.0-1")
        assert event["status"]["metadata"]["name"] == "ccm-one"
        assert log.count("ccm-lib is provided by ccm-one") == 1


def test_an_installed_package_is_enough_and_latest_is_its_latest(host):
    install(host, "ccm-one=1.0-1")
    assert one(host, "ccm-lib", "present")[0] == ("stable", "1.0-1")
    assert one(host, "ccm-lib", "latest", "--noop")[1]["noop_message"] == "Would have upgraded to latest"
    assert one(host, "ccm-lib", "latest")[0] == ("changed", "2.0-1")
    assert one(host, "ccm-lib", "latest")[0] == ("stable", "2.0-1")


@pytest.mark.parametrize("ensure", ["absent", "purged"])
def test_what_provides_a_name_is_not_removed(host, ensure):
    install(host, "ccm-one")
    for others in ([], [("ccm-b", ensure)]):
        events, log = apply(host, [("ccm-lib", ensure), *others])
        assert shown(events[0]) == ("ccm-lib", "stable", "absent")
        assert "ccm-lib is not installed, it is provided by ccm-one" in log
    assert "ccm-one 2.0-1 ii" in installed(host)


@pytest.mark.parametrize("ensure", ["present", "latest"])
def test_a_name_that_several_packages_provide_is_refused_and_the_others_are_installed(host, ensure):
    events, _log = apply(host, [(name, ensure) for name in ("ccm-a", "ccm-many", "ccm-b")])
    assert [shown(event)[1] for event in events] == ["changed", "failed", "changed"]
    assert events[1]["error"] == ["ccm-many is provided by several packages: ccm-first, ccm-second"]
    assert "ccm-first" not in installed(host)
    install(host, "ccm-second")
    assert one(host, "ccm-many", "present")[0] == ("stable", "1.0-1")
    install(host, "ccm-first")
    assert one(host, "ccm-many", "present")[0] == ("stable", "1.0-1")
    (what, error), _event, _log = one(host, "ccm-many", "latest")
    assert (what, error) == ("failed", "ccm-many is provided by several packages: ccm-first, ccm-second")


def test_a_name_with_a_package_or_a_version_means_the_package_of_that_name(host):
    install(host, "ccm-one")
    assert one(host, "ccm-own", "present")[0] == ("changed", "1.0-1")
    assert one(host, "ccm-lib", "3")[0][0] == "failed"
    (what, error), _event, _log = one(host, "ccm-former", "present")
    assert what == "failed"
    assert error.startswith('failed to install package "ccm-former", apt-get exited 100: ')


QUALIFIED = ["ccm-a:any", "ccm-a:native", "ccm-a:all", "ccm-a:amd64", "ccm-native:any", "ccm-native:native"]


@pytest.mark.parametrize("name", [*QUALIFIED, "ccm-foreign:any", "ccm-lib:any"])
def test_a_name_with_an_architecture_is_found_again(host, name):
    final = "1.0-1" if "native:" in name or "foreign" in name else "2.0-1"
    assert one(host, name, "present")[0] == ("changed", final)
    for others in ([], [("ccm-b", "present")]):
        events, _log = apply(host, [(name, "present"), (name.partition(":")[0], "present"), *others])
        assert shown(events[0])[1:] == ("stable", final)
        assert shown(events[1])[1:] == ("stable", final)
    assert one(host, name, "latest")[0] == ("stable", final)
    if "lib" not in name:
        assert one(host, name, "absent")[0] == ("changed", "absent")
        assert one(host, name, "absent")[0] == ("stable", "absent")


def test_a_package_for_all_architectures_is_not_one_of_another(host):
    install(host, "ccm-a")
    assert one(host, "ccm-a:i386", "present")[0][0] == "failed"
    assert one(host, "ccm-a:i386", "absent")[0] == ("stable", "absent")


@pytest.mark.parametrize("others", [[], [("ccm-b", "latest")]])
def test_latest_is_an_older_version_when_a_pin_says_so(host, others):
    install(host, "ccm-a=2.0-1")
    host.write("/etc/apt/preferences.d/ccm", PIN)
    wanted = [("ccm-a", "latest"), *others]
    events, _log = apply(host, wanted, flags=["--noop"])
    assert events[0]["noop_message"] == "Would have downgraded to 1.0-1"
    assert shown(apply(host, wanted)[0][0]) == ("ccm-a", "changed", "1.0-1")
    assert shown(apply(host, wanted)[0][0]) == ("ccm-a", "stable", "1.0-1")


def test_purged_removes_the_configuration_too(host):
    assert one(host, "ccm-a", "purged")[0] == ("stable", "absent")
    for leave in ("", "apt-get remove -y -q ccm-a"):
        install(host, "ccm-a")
        host.run(leave)
        _outcome, event, _log = one(host, "ccm-a", "purged", "--noop")
        assert event["noop_message"] == "Would have purged"
        assert one(host, "ccm-a", "purged")[0] == ("changed", "absent")
        assert host.run("ls /etc/ccm-a.conf", check=False).returncode
        done = runs_of_apt(host)
        assert one(host, "ccm-a", "purged")[0] == ("stable", "absent")
        assert runs_of_apt(host) == done


def held(host):
    return host.run("apt-mark showhold").stdout.split()


def test_a_mark_holds_a_package_and_ends_the_hold(host):
    _outcome, event, _log = one(host, "ccm-a", "1.0-1", "--noop", mark="hold")
    assert event["noop_message"] == "Would have installed version 1.0-1, would have held"
    for what in ("changed", "stable"):
        outcome, event, _log = one(host, "ccm-a", "1.0-1", mark="hold")
        assert outcome == (what, "1.0-1")
        assert event["status"]["metadata"]["extended"]["mark"] == "hold"
        assert held(host) == ["ccm-a"]
    assert one(host, "ccm-a", "present")[0] == ("stable", "1.0-1")
    _outcome, event, _log = one(host, "ccm-a", "latest", "--noop", mark="none")
    assert event["noop_message"] == "Would have removed the hold, would have upgraded to latest"
    for what in ("changed", "stable"):
        assert one(host, "ccm-a", "latest", mark="none")[0] == (what, "2.0-1")
        assert held(host) == []
    assert one(host, "ccm-native:native", "present", mark="hold")[0] == ("changed", "1.0-1")
    assert one(host, "ccm-native:native", "absent", mark="none")[0] == ("changed", "absent")
    assert one(host, "ccm-lib", "present", mark="hold")[0] == ("changed", "2.0-1")
    assert held(host) == ["ccm-one"]


@pytest.mark.parametrize("flags", [(), ("--noop",)])
@pytest.mark.parametrize("ensure", ["latest", "2.0-1", "absent", "purged"])
def test_a_held_package_is_not_changed(host, ensure, flags):
    install(host, "ccm-a=1.0-1")
    host.run("apt-mark hold ccm-a")
    for others in ([], [("ccm-b", ensure)]):
        events, _log = apply(host, [("ccm-a", ensure), *others], flags=flags)
        assert events[0]["error"] == [f"ccm-a is held at version 1.0-1, {ensure} would change it"]
    assert one(host, "ccm-a", "1.0-1")[0] == ("stable", "1.0-1")
