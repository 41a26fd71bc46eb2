# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of packages when dnf and rpm, which only pretend here, do not do what they should."""

from __future__ import annotations

import pytest
from ccm.resources.package import dnf_locks

from .managed import manage

# The database is a file of lines as rpm is asked to print them: name, epoch, version, release, architecture.
RPM = """case $1 in
--eval) echo {folder};;
-q) grep "^$2 " {db};;
-qa) case $3 in
    @*) sed 's/^\\([^ ]*\\) .*/@\\1\\n=provides\\n\\1/' {db};;
    '['*) sed 's/^\\([^ ]*\\) .*/\\1/' {db};;
    *) cat {db};;
    esac;;
esac"""
# Fails at what it is to do, and offers whatever is asked for as a package that needs nothing.
DNF = """case "$*" in
*repoquery*) shift 5; for name; do printf '@%s 1\\n=provides\\n%s\\n' "$name" "$name"; done;;
*) echo 'Error: disk full' >&2; exit 1;;
esac"""


class Machine:
    """A Fedora that is a folder: `db` is rpm's database."""

    def __init__(self, folder, pretend, lines):
        folder.mkdir()
        self.db = folder / "Packages"
        self.pretend = pretend
        self.lines = lines
        self.has("base")
        pretend("rpm", RPM.format(folder=folder, db=self.db))
        pretend("dnf", DNF)

    def has(self, *names):
        self.db.write_text("".join(f"{name} 0 2.0 1 noarch\n" for name in names), encoding="utf-8")

    def error(self, name, ensure):
        (event,) = manage("dnf", [(name, ensure)], self.lines)
        assert event.failed
        return event.errors[0]


@pytest.fixture
def machine(tmp_path, monkeypatch, pretend, lines):
    monkeypatch.setattr(dnf_locks, "PID_FILES", ())
    monkeypatch.setattr(dnf_locks, "LOCKED_FILES", ())
    return Machine(tmp_path / "rpm", pretend, lines)


@pytest.mark.parametrize(
    ("name", "ensure", "said"),
    [
        ("x", "present", 'failed to Install package "x", dnf exited 1: Error: disk full'),
        ("base", "1.0", "failed to Downgrade base, dnf exited 1: Error: disk full"),
        ("base", "absent", "failed to Uninstall base, dnf exited 1: Error: disk full"),
        ("base", "latest", "could not find the candidate of base, dnf exited 1: Error: disk full"),
        ("-x", "present", "package name begins with a dash: -x"),
    ],
)
def test_why_dnf_failed(machine, name, ensure, said):
    assert machine.error(name, ensure) == said


@pytest.mark.parametrize(
    ("rpm", "said"),
    [
        ("echo x 0 1.0", "failed to parse rpm -q output for x"),
        ("echo 'error: cannot open Packages index' >&2; exit 1", "failed to query x, rpm exited 1: error: cannot open"),
    ],
)
def test_what_rpm_does_not_tell(machine, rpm, said):
    machine.pretend("rpm", rpm)
    assert machine.error("x", "present").startswith(said)


@pytest.mark.parametrize(
    ("ensure", "there", "said"),
    [
        ("present", (), "failed to install x, y, z, dnf exited 1: Error: disk full"),
        ("absent", ("x", "y", "z"), "failed to remove x, y, z, dnf exited 1: Error: disk full"),
    ],
)
def test_why_all_at_once_failed_is_told_before_each_has_its_own_reason(machine, ensure, there, said):
    machine.has("base", *there)
    events = manage("dnf", [(name, ensure) for name in "xyz"], machine.lines)
    assert all(event.failed for event in events)
    assert [fields["reason"] for fields in machine.lines.fields if "reason" in fields] == [said]


def test_dnf_is_let_end_when_we_are_told_to_end(machine):
    machine.pretend("dnf", f"sleep 0.2; kill -INT $PPID; sleep 0.2; echo x 0 1.0 1 noarch >> {machine.db}")
    with pytest.raises(KeyboardInterrupt):
        manage("dnf", [("x", "present")], machine.lines)
    assert "Interrupted, waiting for dnf to end" in machine.lines.seen
    assert machine.db.read_text(encoding="utf-8").endswith("x 0 1.0 1 noarch\n")
