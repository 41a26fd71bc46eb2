# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages and services that a manifest changed are as they were before."""

from __future__ import annotations

import json

import pytest

from .aptrepo import Deb, register

UNIT = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
REVERSE = {"meta": {"reverse": True}}


def write(host, *resources):
    host.write("/root/m.json", json.dumps({"ccm": {"resources": [*resources, {"exec": [{"true": {"creates": "/"}}]}]}}))


def services(host):
    found = {}
    for name in ("one", "two"):
        found[name] = [
            host.run(["sh", "-c", f"systemctl {question} {name} || true"]).stdout.strip()
            for question in ("is-active", "is-enabled")
        ]
    return found


@pytest.fixture
def changed(booted):
    """A host where a manifest installed and upgraded packages, and started and stopped services."""
    host = booted("bookworm")
    register(host, [Deb("p-new", "1.0-1"), Deb("p-new", "2.0-1"), Deb("p-old", "1.0-1"), Deb("p-old", "2.0-1")])
    host.run("apt-get install -y p-old=1.0-1")
    for name in ("one", "two"):
        host.write(f"/etc/systemd/system/{name}.service", UNIT)
    host.run("systemctl daemon-reload; systemctl enable --now two")
    assert services(host) == {"one": ["inactive", "disabled"], "two": ["active", "enabled"]}
    write(
        host,
        {"package": [{"p-new": {"ensure": "1.0-1", **REVERSE}}, {"p-old": {"ensure": "2.0-1", **REVERSE}}]},
        {"service": [{"one": {"ensure": "running", "enable": True, **REVERSE}}]},
        {"service": [{"two": {"ensure": "stopped", "enable": False, **REVERSE}}]},
    )
    host.run("ccm apply m.json")
    assert services(host) == {"one": ["active", "enabled"], "two": ["inactive", "disabled"]}
    return host


def installed(host, name):
    return host.run(["sh", "-c", f"dpkg-query -W -f '${{Version}} ${{Status}}' {name} || true"]).stdout


def test_packages_and_services_are_as_before(changed):
    noop = changed.run("ccm undo m.json --noop --diff").stdout
    assert noop.endswith("3 of 3 changes would be undone\n")
    write(changed)
    changed.run("ccm apply m.json")
    assert services(changed) == {"one": ["inactive", "disabled"], "two": ["active", "enabled"]}
    assert installed(changed, "p-new") == ""
    # Only what was installed is removed again: an upgrade stays.
    assert installed(changed, "p-old") == "2.0-1 install ok installed"
    assert changed.run("ccm undo m.json").stdout.startswith("Nothing to undo")


def test_what_something_else_changed_is_not_undone(changed):
    changed.run("systemctl stop one")
    changed.run("apt-get install -y p-new")
    undone = changed.run("ccm undo m.json; true").stdout
    assert "errors=not undone: something else changed it since: version is 2.0-1, was 1.0-1; ccm undo" in undone
    assert undone.endswith("\n2 of 3 changes undone\n")
    # What was stopped already needs only to be disabled.
    assert services(changed) == {"one": ["inactive", "disabled"], "two": ["active", "enabled"]}
    assert changed.run("ccm undo m.json --force").stdout.endswith("\n1 of 1 changes undone\n")
    assert installed(changed, "p-new") == ""


def test_orphans_of_packages_and_services(changed):
    write(changed)
    found = changed.run("ccm orphans m.json; true").stdout
    assert found == "package#p-new\npackage#p-old\nservice#one\n3 orphans\n"
