# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The four package managers: their commands, and the meaning of their outputs."""

from __future__ import annotations

import pytest
from ccm.host import init_system, installed
from ccm.host.machine import Machine

PROGRAMS = {
    "dpkg": ("dpkg-query", "install ok installed 1:1.2-3\nhold ok installed 2.0\ndeinstall ok config-files 1.0"),
    "rpm": ("rpm", "1:1.2-3\n2.0-1"),
    "apk": ("apk", "Installed:                Available:\nbusybox-1.36.1-r2 = 1.36.1-r2"),
    "pacman": ("pacman", "bash 5.2.021-1"),
}
VERSIONS = {"dpkg": ["1:1.2-3", "2.0"], "rpm": ["1:1.2-3", "2.0-1"], "apk": ["1.36.1-r2"], "pacman": ["5.2.021-1"]}
DISTRIBUTIONS = {"dpkg": "debian", "rpm": "redhat", "apk": "alpine", "pacman": "arch"}


def place(directory, name, script):
    program = directory / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """A host with only the programs that a test creates, and without os-release."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(installed, "distribution", lambda: "")
    monkeypatch.setattr(init_system, "distribution", lambda: "")
    return tmp_path


@pytest.mark.starts_processes
@pytest.mark.parametrize("manager", PROGRAMS)
def test_versions(alone, monkeypatch, manager):
    program, answer = PROGRAMS[manager]
    place(alone, program, f"/bin/cat << 'END'\n{answer}\nEND")
    monkeypatch.setattr(installed, "distribution", lambda: DISTRIBUTIONS[manager])
    assert installed.versions(Machine(), "busybox") == VERSIONS[manager]
    place(alone, program, "exit 1")
    assert installed.versions(Machine(), "busybox") == []


def test_without_a_known_distribution_the_first_existing_manager_is_used(alone):
    assert installed.package_manager() == "rpm"
    assert installed.versions(Machine(), "x") == []
    place(alone, "apk", "")
    assert installed.package_manager() == "apk"
    place(alone, "dpkg", "")
    assert installed.package_manager() == "dpkg"


@pytest.mark.starts_processes
def test_services_of_init_scripts(alone):
    place(alone, "service", '[ "$1 $2" = "ssh status" ]')
    assert init_system.is_running(Machine(), "ssh")
    assert not init_system.is_running(Machine(), "cron")
    assert not init_system.is_running(Machine(), "a/b")
    assert not init_system.is_enabled(Machine(), "no-such-service")
    assert init_system.runlevels("no-such-service") == []
