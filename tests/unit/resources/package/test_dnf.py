# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The dnf provider with stand-ins for dnf and rpm: output, failures, and the choice of the provider."""

from __future__ import annotations

import pytest
from ccm.engine.context import Context
from ccm.engine.provider_selection import choose_provider
from ccm.host import programs
from ccm.model.resource import Properties, Resource, complete
from ccm.resources.package import dnf_locks
from ccm.resources.package.type import TYPE as PACKAGE

from tests.unit.resources.package.managed import manage


@pytest.mark.parametrize(
    ("family", "chosen"), [("debian", "apt"), ("rhel", "dnf"), ("fedora", "dnf"), ("suse", "dnf"), ("arch", "apt")]
)
def test_the_platform_decides_between_apt_and_dnf(monkeypatch, family, chosen):
    monkeypatch.setattr(programs, "find_program", lambda name, path="": f"/usr/bin/{name}")
    resource = Resource(PACKAGE, Properties(complete(PACKAGE, {"name": "nginx", "ensure": "present"})))
    context = Context(resources=[resource], facts=lambda: {"host": {"info": {"platformFamily": family}}})
    assert choose_provider(resource, context).name == chosen


# The database is a file with lines in the format that rpm is called with: name, epoch, version, release,
# architecture.
RPM = """case $1 in
--eval) echo {folder};;
-q) grep "^$2 " {db};;
-qa) case $3 in
    @*) sed 's/^\\([^ ]*\\) .*/@\\1\\n=provides\\n\\1/' {db};;
    '['*) sed 's/^\\([^ ]*\\) .*/\\1/' {db};;
    *) cat {db};;
    esac;;
esac"""


# Fails in all changes, and offers each queried name as a package without dependencies.
DNF = """case "$*" in
*repoquery*) shift 5; for name; do printf '@%s 1\\n=provides\\n%s\\n' "$name" "$name"; done;;
*) echo 'Error: disk full' >&2; exit 1;;
esac"""


class Machine:
    """A directory in place of a Fedora host: `db` is the database of rpm."""

    def __init__(self, folder, fake_program, recorded_log):
        folder.mkdir()
        self.db = folder / "Packages"
        self.fake_program = fake_program
        self.log = recorded_log
        self.has("base")
        fake_program("rpm", RPM.format(folder=folder, db=self.db))
        fake_program("dnf", DNF)

    def has(self, *names):
        self.db.write_text("".join(f"{name} 0 2.0 1 noarch\n" for name in names), encoding="utf-8")

    def error(self, name, ensure):
        (event,) = manage("dnf", [(name, ensure)], self.log)
        assert event.failed
        return event.errors[0]


@pytest.fixture
def machine(tmp_path, monkeypatch, fake_program, recorded_log):
    monkeypatch.setattr(dnf_locks, "PID_FILES", ())
    monkeypatch.setattr(dnf_locks, "LOCKED_FILES", ())
    return Machine(tmp_path / "rpm", fake_program, recorded_log)


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("name", "ensure", "message"),
    [
        ("x", "present", 'failed to Install package "x", dnf exited 1: Error: disk full'),
        ("base", "1.0", "failed to Downgrade base, dnf exited 1: Error: disk full"),
        ("base", "absent", "failed to Uninstall base, dnf exited 1: Error: disk full"),
        ("base", "latest", "could not find the candidate of base, dnf exited 1: Error: disk full"),
        ("-x", "present", "package name begins with a dash: -x"),
    ],
)
def test_the_reason_of_a_failed_change(machine, name, ensure, message):
    assert machine.error(name, ensure) == message


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("rpm", "message"),
    [
        ("echo x 0 1.0", "failed to parse rpm -q output for x"),
        ("echo 'error: cannot open Packages index' >&2; exit 1", "failed to query x, rpm exited 1: error: cannot open"),
    ],
)
def test_errors_of_rpm_are_reported(machine, rpm, message):
    machine.fake_program("rpm", rpm)
    assert machine.error("x", "present").startswith(message)


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    ("ensure", "installed", "message"),
    [
        ("present", (), "failed to install x, y, z, dnf exited 1: Error: disk full"),
        ("absent", ("x", "y", "z"), "failed to remove x, y, z, dnf exited 1: Error: disk full"),
    ],
)
def test_the_reason_of_a_failed_group_is_logged_before_each_package_is_tried(machine, ensure, installed, message):
    machine.has("base", *installed)
    events = manage("dnf", [(name, ensure) for name in "xyz"], machine.log)
    assert all(event.failed for event in events)
    assert [fields["reason"] for fields in machine.log.fields if "reason" in fields] == [message]


@pytest.mark.starts_processes
def test_dnf_can_finish_after_a_signal(machine):
    act = f"sleep 0.2; kill -INT $PPID; sleep 0.2; echo x 0 1.0 1 noarch >> {machine.db}"
    machine.fake_program("dnf", f'case "$*" in install*) {act};; esac')
    with pytest.raises(KeyboardInterrupt):
        manage("dnf", [("x", "present")], machine.log)
    assert "Interrupted, waiting for dnf to end" in machine.log.messages
    assert machine.db.read_text(encoding="utf-8").endswith("x 0 1.0 1 noarch\n")
