# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of packages when apt and dpkg, which only pretend here, do not do what they should."""

from __future__ import annotations

import pytest
from ccm.model.errors import ResourceFailed
from ccm.resources.package import apt_get, apt_relations, apt_snapshot

from .managed import manage

# dpkg's database is a file of lines as dpkg-query is asked to print them.
DPKG_QUERY = 'for name; do :; done; case $name in "*") cat {db};; *) grep "^$name " {db};; esac'
# Installs what is named last, for real only; notes what it was asked to do.
APT_GET = 'case " $* " in *" -s "*) exit 100;; esac; echo "$*" >> {log}; for name; do :; done; {act}'
INSTALLING = 'echo "$name 1.0 amd64 installed" >> {db}'


class Machine:
    """A Debian that is a folder: `db` is dpkg's database, `log` what apt-get was called with."""

    def __init__(self, folder, pretend, lines):
        self.db = folder / "status"
        self.log = folder / "log"
        self.updates = folder / "updates"
        self.updates.mkdir(parents=True)
        self.db.write_text("", encoding="utf-8")
        self.pretend = pretend
        self.lines = lines
        for name in ("apt-cache", "apt-mark", "apt-config", "dpkg"):
            pretend(name)
        pretend("dpkg-query", DPKG_QUERY.format(db=self.db))
        self.apt_get(INSTALLING.format(db=self.db))

    def has(self, *names):
        self.db.write_text("".join(f"{name} 1.0 amd64 installed\n" for name in names), encoding="utf-8")

    def apt_get(self, act):
        self.pretend("apt-get", APT_GET.format(log=self.log, act=act))

    def interrupted(self):
        (self.updates / "0001").write_text("", encoding="utf-8")

    def broken(self, name):
        """dpkg was killed while it unpacked this package, until apt-get installs it again."""
        entry = "Package: {}\nStatus: install {} {}\nArchitecture: all\nVersion: 1.0\n"
        entries = [entry.format("y", "ok", "installed"), entry.format(name, "reinstreq", "half-installed")]
        (self.updates.parent / "status").write_text("\n".join(entries), encoding="utf-8")

    def error(self, name, ensure):
        (event,) = manage("apt", [(name, ensure)], self.lines)
        assert event.failed
        return event.errors[0]


@pytest.fixture
def machine(tmp_path, monkeypatch, pretend, lines):
    folder = tmp_path / "dpkg"
    for module in (apt_get, apt_snapshot):
        monkeypatch.setattr(module, "ADMIN", str(folder))
    monkeypatch.setattr(apt_get, "_ARCHIVES_LOCK", str(folder / "archives-lock"))
    return Machine(folder, pretend, lines)


BROKEN = "echo 'E: Sub-process returned an error code' >&2; exit 100"


def test_why_a_package_was_not_installed(machine):
    machine.apt_get(BROKEN)
    lead = 'failed to install package "x", apt-get exited 100'
    assert machine.error("x", "present") == f"{lead}: E: Sub-process returned an error code"
    machine.apt_get("echo 'E: Unable to locate package x' >&2; exit 100")
    assert machine.error("x", "present") == f"{lead}: E: Unable to locate package x"


def test_why_a_package_was_not_removed(machine):
    machine.has("x")
    machine.apt_get(BROKEN)
    assert machine.error("x", "absent") == "failed to uninstall x: E: Sub-process returned an error code"
    machine.apt_get("echo 'E: Unable to locate package x' >&2; exit 100")
    assert machine.error("x", "absent") == "failed to uninstall x: E: Unable to locate package x"


@pytest.mark.parametrize("name", ["x-", "x+", "x.y", "~nx"])
def test_a_name_that_apt_would_take_for_something_else_is_not_handed_to_it(machine, name):
    assert machine.error(name, "present") == f"apt knows no package {name}"
    assert not machine.log.exists()


def test_a_name_that_is_an_option_is_refused(machine):
    assert machine.error("--autoremove", "absent") == "package name begins with a dash: --autoremove"


@pytest.mark.parametrize(
    ("apt_cache", "said"),
    [
        ("", ""),
        ("echo 'E: The package lists could not be parsed' >&2; exit 100", ": E: The package lists could not be parsed"),
    ],
)
def test_a_candidate_that_is_not_told(machine, apt_cache, said):
    machine.pretend("apt-cache", apt_cache)
    machine.has("x")
    lead = "could not find Candidate: line in apt-cache policy output for x"
    assert machine.error("x", "latest") == lead + said


@pytest.mark.parametrize("names", [["x"], ["x", "y"]])
def test_what_dpkg_cannot_tell_is_not_taken_for_absent(machine, names):
    machine.pretend("dpkg-query", "echo 'dpkg-query: error: parsing file' >&2; exit 2")
    events = manage("apt", [(name, "absent") for name in names], machine.lines)
    assert [event.errors for event in events] == [["dpkg-query exited 2: dpkg-query: error: parsing file"]] * len(names)


def test_what_dpkg_was_interrupted_in_is_finished_first(machine):
    machine.interrupted()
    machine.pretend("dpkg", f'echo "dpkg $*" >> {machine.log}; rm {machine.updates}/*')
    (event,) = manage("apt", [("x", "present")], machine.lines)
    assert event.changed
    assert "dpkg was interrupted, running dpkg --configure -a" in machine.lines.seen
    assert machine.log.read_text(encoding="utf-8").startswith("dpkg --force-confold --configure -a\ninstall ")


def test_what_dpkg_was_killed_in_the_middle_of_is_installed_again_first(machine):
    machine.broken("b")
    (event,) = manage("apt", [("x", "present")], machine.lines)
    assert event.changed
    assert "packages are half-installed, reinstalling" in machine.lines.seen
    first, second = machine.log.read_text(encoding="utf-8").splitlines()
    assert first.startswith("install ") and first.endswith(" --reinstall b:all")
    assert second.endswith(" x")


def test_what_dpkg_cannot_finish_is_told(machine):
    machine.interrupted()
    machine.pretend("dpkg", "echo 'dpkg: error: no such script' >&2; exit 2")
    said = "dpkg was interrupted, and dpkg --configure -a exited 2: dpkg: error: no such script"
    assert machine.error("x", "present") == said
    assert not machine.log.exists()


@pytest.mark.parametrize("answer", ["echo 'E: no space left' >&2; exit 100", "echo 'Remv y [1.0]'"])
def test_an_apt_that_would_fail_or_remove_something_foresees_nothing(machine, answer):
    machine.pretend("apt-get", answer)
    with pytest.raises(ResourceFailed, match=r"^not to be installed together$"):
        apt_relations.foreseen(["x", "y"])


def test_what_apt_would_not_install_together_is_installed_one_by_one(machine):
    events = manage("apt", [("x", "present"), ("y", "present")], machine.lines)
    assert [event.changed for event in events] == [True, True]
    assert [line.split()[-1] for line in machine.log.read_text(encoding="utf-8").splitlines()] == ["x", "y"]


def test_apt_is_let_end_when_we_are_told_to_end(machine):
    machine.apt_get(f"sleep 0.2; kill -INT $PPID; sleep 0.2; {INSTALLING.format(db=machine.db)}")
    with pytest.raises(KeyboardInterrupt):
        manage("apt", [("x", "present")], machine.lines)
    assert "Interrupted, waiting for apt-get to end" in machine.lines.seen
    assert machine.db.read_text(encoding="utf-8") == "x 1.0 amd64 installed\n"


def test_only_a_line_feed_ends_a_field_of_a_package(machine):
    machine.pretend("apt-cache", "printf 'Package: x\\nDepends: a\\nDescription: b\\342\\200\\250Depends: c\\n'")
    relations = apt_relations.candidate_relations(["x"])
    assert relations["x"].needs == [("a",)]


def test_what_stays_in_part_is_said(machine):
    machine.db.write_text("x 1.0 amd64 half-configured\n", encoding="utf-8")
    machine.apt_get(":")
    assert machine.error("x", "absent").endswith("absent: package is half-configured, expected absent")
