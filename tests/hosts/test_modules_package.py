# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ccm.core.package in plays against booted hosts: lists of names, versions, check mode, differences, mistakes."""

from __future__ import annotations

import pytest

from . import rpmrepo
from .aptrepo import Deb, register

REPOSITORY = [
    *(Deb(f"m-{name}", version) for name in ("one", "two", "three") for version in ("1.0-1", "2.0-1")),
    Deb("m-broken", preinst="exit 3"),
]


@pytest.fixture(scope="module")
def packages(bookworm):
    register(bookworm, REPOSITORY)
    return bookworm


def transactions(host):
    """How often apt has changed the host."""
    return host.run("grep -c ^Start-Date: /var/log/apt/history.log || :").stdout.strip() or "0"


def installed(host):
    printed = host.run("dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\\n' 'm-*' || :").stdout
    found = [line.split(" ") for line in printed.splitlines()]
    return {name: version for status, name, version in found if status == "installed"}


LIST = "- name: list\n  ccm.core.package: {name: [m-one, m-two, m-three], ensure: %s}\n"


def test_a_list_is_one_transaction(packages, ansible):
    """Check, run and run again; one look is enough to see that nothing is left to do."""
    there = ansible.on(packages)
    packages.run("apt-get install -y -q m-two=1.0-1")
    before = int(transactions(packages))
    preview = there.play(LIST % "present", "--check", "--diff")["list"]
    assert (preview.outcome, preview.msg) == ("changed", "2 of 3 packages would change")
    assert [event.get("noop_message") for event in preview.result["events"]] == [
        "Would have installed version present",
        None,
        "Would have installed version present",
    ]
    (diff,) = preview.result["diff"]
    assert (diff["before"], diff["after"]) == ("m-one absent\nm-three absent\n", "m-one present\nm-three present\n")
    assert (installed(packages), int(transactions(packages))) == ({"m-two": "1.0-1"}, before)
    run = there.play(LIST % "present", "--diff")["list"]
    assert (run.outcome, run.msg) == ("changed", "2 of 3 packages changed")
    assert [event["changed"] for event in run.result["events"]] == [True, False, True]
    (diff,) = run.result["diff"]
    assert (diff["before"], diff["after"]) == ("m-one absent\nm-three absent\n", "m-one 2.0-1\nm-three 2.0-1\n")
    assert installed(packages) == {"m-one": "2.0-1", "m-two": "1.0-1", "m-three": "2.0-1"}
    assert int(transactions(packages)) == before + 1
    again = there.play(LIST % "present")["list"]
    assert (again.outcome, again.msg) == ("ok", "0 of 3 packages changed")
    assert int(transactions(packages)) == before + 1


def test_versions_up_and_down_and_away(packages, ansible):
    packages.run("apt-get install -y -q m-one=1.0-1 m-two=2.0-1 m-three=2.0-1 --allow-downgrades")
    before = int(transactions(packages))
    tasks = """
    - name: latest
      ccm.core.package: {name: "m-one,m-two", ensure: latest}
    - name: still latest
      ccm.core.package: {name: m-one, ensure: latest}
    - name: down
      ccm.core.package: {name: m-one, ensure: "1.0-1", provider: apt, lock_timeout: 30s}
    - name: removed
      ccm.core.package: {name: [m-one, m-two, m-three], ensure: absent}
    """
    run = ansible.on(packages).play(tasks)
    assert [(task.outcome, task.msg) for task in run.tasks] == [
        ("changed", "1 of 2 packages changed"),
        ("ok", "Nothing to do"),
        ("changed", "Downgraded to 1.0-1"),
        ("changed", "3 of 3 packages changed"),
    ]
    assert run["down"].event["final_ensure"] == "1.0-1"
    assert int(transactions(packages)) == before + 3
    assert installed(packages) == {}


def test_what_is_wrong_is_told(packages, ansible):
    """Mistakes are found before anything is sent; what fails in the run fails alone."""
    cases = {
        "unknown": ("name: m-unknown, ensure: present", "package#m-unknown: "),
        "broken": ("name: m-broken, ensure: present", "package#m-broken: failed to install package"),
        "among others": (
            "name: [m-one, m-unknown, m-two], ensure: present",
            "1 of 3 packages failed: package#m-unknown",
        ),
        "empty": ("name: [], ensure: present", "name is an empty list"),
        "twice": ("name: [m-one, m-two, m-one], ensure: present", "name has m-one more than once"),
        "number": ("name: m-one, ensure: 5.10", "ensure must be text, but YAML reads the number 5.1"),
        "epoch": ("name: m-one, ensure: 1:30", "ensure must be text, but YAML reads the number 90"),
        "names": ("name: [m-one, 1.5], ensure: present", "name must be text, but YAML reads the number 1.5"),
        "name": ("name: [m-one, 'm;two'], ensure: present", "package#m;two: package name contains dangerous"),
        "wait": ("name: m-one, ensure: present, lock_timeout: soon", 'lock_timeout "soon": invalid duration'),
        "provider": ("name: m-one, ensure: present, provider: yum", "provider not found"),
    }
    tasks = "".join(
        f"- name: {name}\n  ignore_errors: true\n  ccm.core.package: {{{options}}}\n"
        for name, (options, _message) in cases.items()
    )
    run = ansible.on(packages).play(tasks)
    for name, (_options, message) in cases.items():
        assert run[name].outcome == "failed"
        assert message in run[name].msg, run[name]
    assert run["among others"].result["changed"] is True
    assert set(installed(packages)) == {"m-one", "m-two"}
    refused = set(cases) - {"unknown", "broken", "among others"}
    assert [name for name in refused if "events" in run[name].result] == []


def test_ad_hoc(packages, ansible):
    run = ansible.on(packages).ad_hoc("ccm.core.package", "name=m-three ensure=1.0-1")
    assert (run.returncode, run.tasks[0].msg) == (0, "Installed version 1.0-1")
    assert installed(packages)["m-three"] == "1.0-1"


UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
DAEMON = """
- name: install
  ccm.core.package: {name: [m-one, m-daemon], ensure: latest}
  notify: restart
- name: run
  ccm.core.service: {name: m-daemon, enable: true}
"""
RESTART = "- name: restart\n  ccm.core.service: {name: m-daemon, refresh: true}\n"


@pytest.mark.parametrize("release", ["bullseye", "trixie"])
def test_a_package_and_its_service_elsewhere(release, booted, ansible):
    there = booted(release)
    register(there, [*REPOSITORY, Deb("m-daemon", files={"/lib/systemd/system/m-daemon.service": UNIT})])
    run = ansible.on(there).play(DAEMON, handlers=RESTART)
    assert [task.msg for task in run.tasks] == [
        "2 of 2 packages changed",
        "Started, enabled",
        "Restarted via subscribe",
    ]
    assert installed(there) == {"m-one": "2.0-1", "m-daemon": "1.0-1"}
    assert transactions(there) == "1"
    assert there.run("systemctl is-active m-daemon; systemctl is-enabled m-daemon").stdout.split() == [
        "active",
        "enabled",
    ]


def test_a_list_is_one_transaction_of_dnf_as_well(dnf_host, ansible):
    rpmrepo.register(dnf_host, [rpmrepo.Rpm(f"m-{name}", "1.0-1") for name in ("one", "two", "three")])
    run = ansible.on(dnf_host).play(LIST % "present" + LIST.replace("list", "away", 1) % "absent", "--diff")
    assert {name: run[name].msg for name in run.outcomes} == dict.fromkeys(("list", "away"), "3 of 3 packages changed")
    assert {event["provider"] for event in run["list"].result["events"]} == {"dnf"}
    (diff,) = run["list"].result["diff"]
    assert diff["after"] == "m-one 1.0\nm-two 1.0\nm-three 1.0\n"
    history = dnf_host.run("dnf history list").stdout.splitlines()
    assert len([line for line in history if line[:6].strip().isdigit()]) == 2
