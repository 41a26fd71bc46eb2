# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The apt provider with stand-ins for apt and dpkg that fail: the messages."""

from __future__ import annotations

import pytest
from ccm.host.machine import Machine as Host
from ccm.model.errors import ResourceFailed
from ccm.resources.package import apt_relations

from tests.unit.resources.package.managed import apt_folder, manage

pytestmark = pytest.mark.starts_processes

# The database of dpkg is a file with lines in the format that dpkg-query is called with.
DPKG_QUERY = 'for name; do :; done; case $name in "*") cat {db};; *) grep "^$name " {db};; esac'
# Installs the last package of its arguments unless it simulates, and writes its arguments to the log.
APT_GET = 'case " $* " in *" -s "*) exit 100;; esac; echo "$*" >> {log}; for name; do :; done; {act}'
INSTALLING = 'echo "$name 1.0 amd64 installed" >> {db}'


class Machine:
    """A directory in place of a Debian host: `db` is the database of dpkg, `calls` has the calls of apt-get."""

    def __init__(self, folder, fake_program, recorded_log):
        self.db = folder / "status"
        self.calls = folder / "log"
        self.updates = folder / "updates"
        self.updates.mkdir(parents=True)
        self.db.write_text("", encoding="utf-8")
        self.fake_program = fake_program
        self.log = recorded_log
        for name in ("apt-cache", "apt-mark", "apt-config", "dpkg"):
            fake_program(name)
        fake_program("dpkg-query", DPKG_QUERY.format(db=self.db))
        self.apt_get(INSTALLING.format(db=self.db))

    def has(self, *names):
        self.db.write_text("".join(f"{name} 1.0 amd64 installed\n" for name in names), encoding="utf-8")

    def apt_get(self, act):
        self.fake_program("apt-get", APT_GET.format(log=self.calls, act=act))

    def interrupted(self):
        (self.updates / "0001").write_text("", encoding="utf-8")

    def broken(self, name):
        """Simulate that dpkg was killed while it unpacked this package; apt-get installs it again."""
        entry = "Package: {}\nStatus: install {} {}\nArchitecture: all\nVersion: 1.0\n"
        entries = [entry.format("y", "ok", "installed"), entry.format(name, "reinstreq", "half-installed")]
        (self.updates.parent / "status").write_text("\n".join(entries), encoding="utf-8")

    def error(self, name, ensure):
        (event,) = manage("apt", [(name, ensure)], self.log)
        assert event.failed
        return event.errors[0]


@pytest.fixture
def machine(tmp_path, monkeypatch, fake_program, recorded_log):
    return Machine(apt_folder(tmp_path, monkeypatch), fake_program, recorded_log)


BROKEN = "echo 'E: Sub-process returned an error code' >&2; exit 100"


def test_the_reason_of_a_failed_installation(machine):
    machine.apt_get(BROKEN)
    lead = 'failed to install package "x", apt-get exited 100'
    assert machine.error("x", "present") == f"{lead}: E: Sub-process returned an error code"
    machine.apt_get("echo 'E: Unable to locate package x' >&2; exit 100")
    assert machine.error("x", "present") == f"{lead}: E: Unable to locate package x"


def test_the_reason_of_a_failed_removal(machine):
    machine.has("x")
    machine.apt_get(BROKEN)
    assert machine.error("x", "absent") == "failed to uninstall x: E: Sub-process returned an error code"
    machine.apt_get("echo 'E: Unable to locate package x' >&2; exit 100")
    assert machine.error("x", "absent") == "failed to uninstall x: E: Unable to locate package x"


@pytest.mark.parametrize("name", ["x-", "x+", "x.y", "~nx"])
def test_a_name_with_a_meaning_for_apt_is_not_passed_to_apt(machine, name):
    assert machine.error(name, "present") == f"apt knows no package {name}"
    assert not machine.calls.exists()


def test_a_name_that_looks_like_an_option_is_refused(machine):
    assert machine.error("--autoremove", "absent") == "package name begins with a dash: --autoremove"


@pytest.mark.parametrize(
    ("apt_cache", "message"),
    [
        ("", ""),
        ("echo 'E: The package lists could not be parsed' >&2; exit 100", ": E: The package lists could not be parsed"),
    ],
)
def test_a_missing_candidate_is_reported(machine, apt_cache, message):
    machine.fake_program("apt-cache", apt_cache)
    machine.has("x")
    lead = "could not find Candidate: line in apt-cache policy output for x"
    assert machine.error("x", "latest") == lead + message


@pytest.mark.parametrize("names", [["x"], ["x", "y"]])
def test_an_error_of_dpkg_does_not_mean_absent(machine, names):
    machine.fake_program("dpkg-query", "echo 'dpkg-query: error: parsing file' >&2; exit 2")
    events = manage("apt", [(name, "absent") for name in names], machine.log)
    assert [event.errors for event in events] == [["dpkg-query exited 2: dpkg-query: error: parsing file"]] * len(names)


def test_an_interrupted_dpkg_is_completed_first(machine):
    machine.interrupted()
    machine.fake_program("dpkg", f'echo "dpkg $*" >> {machine.calls}; rm {machine.updates}/*')
    (event,) = manage("apt", [("x", "present")], machine.log)
    assert event.changed
    assert "dpkg was interrupted, running dpkg --configure -a" in machine.log.messages
    assert machine.calls.read_text(encoding="utf-8").startswith("dpkg --force-confold --configure -a\ninstall ")


def test_a_package_that_dpkg_left_half_installed_is_installed_again_first(machine):
    machine.broken("b")
    (event,) = manage("apt", [("x", "present")], machine.log)
    assert event.changed
    assert "packages are half-installed, reinstalling" in machine.log.messages
    first, second = machine.calls.read_text(encoding="utf-8").splitlines()
    assert first.startswith("install ") and first.endswith(" --reinstall b:all")
    assert second.endswith(" x")


def test_a_dpkg_that_cannot_be_completed_is_reported(machine):
    machine.interrupted()
    machine.fake_program("dpkg", "echo 'dpkg: error: no such script' >&2; exit 2")
    message = "dpkg was interrupted, and dpkg --configure -a exited 2: dpkg: error: no such script"
    assert machine.error("x", "present") == message
    assert not machine.calls.exists()


@pytest.mark.parametrize("answer", ["echo 'E: no space left' >&2; exit 100", "echo 'Remv y [1.0]'"])
def test_a_simulation_that_fails_or_removes_packages_predicts_nothing(machine, answer):
    machine.fake_program("apt-get", answer)
    with pytest.raises(ResourceFailed, match=r"^not to be installed together$"):
        apt_relations.simulated_installs(Host(), ["x", "y"])


def test_packages_that_apt_cannot_install_together_are_installed_separately(machine):
    events = manage("apt", [("x", "present"), ("y", "present")], machine.log)
    assert [event.changed for event in events] == [True, True]
    assert [line.split()[-1] for line in machine.calls.read_text(encoding="utf-8").splitlines()] == ["x", "y"]


def test_apt_can_finish_after_a_signal(machine):
    machine.apt_get(f"sleep 0.2; kill -INT $PPID; sleep 0.2; {INSTALLING.format(db=machine.db)}")
    with pytest.raises(KeyboardInterrupt):
        manage("apt", [("x", "present")], machine.log)
    assert "Interrupted, waiting for apt-get to end" in machine.log.messages
    assert machine.db.read_text(encoding="utf-8") == "x 1.0 amd64 installed\n"


def test_only_a_line_feed_ends_a_field_of_a_package(machine):
    machine.fake_program("apt-cache", "printf 'Package: x\\nDepends: a\\nDescription: b\\342\\200\\250Depends: c\\n'")
    relations = apt_relations.candidate_relations(Host(), ["x"])
    assert relations["x"].needs == [("a",)]


def test_a_partly_removed_package_is_reported(machine):
    machine.db.write_text("x 1.0 amd64 half-configured\n", encoding="utf-8")
    machine.apt_get(":")
    assert machine.error("x", "absent").endswith("absent: package is half-configured, expected absent")
