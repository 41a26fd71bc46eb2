# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that other packages provide, names with an architecture, and marks, with stand-ins for apt, dpkg, dnf and rpm.

Decisions are in cases/decisions.yaml, real package managers in tests/hosts/test_package_names.py and
test_package_dnf.py.
"""

from __future__ import annotations

import pytest
from ccm.resources.package import dnf_locks, dnf_marks

from tests.unit.resources.package.managed import apt_folder, manage

pytestmark = pytest.mark.starts_processes

# `db` has lines of package, version, architecture and status, `policy` has candidates, `showpkg` what apt-cache prints.
DPKG_QUERY = """echo "$1" >> {folder}/queries
case $3 in "*") cat {folder}/db;; *) shift 2; for name; do grep "^$name " {folder}/db; done;; esac"""
APT_CACHE = """echo "$1" >> {folder}/queries
case $1 in showpkg) cat {folder}/showpkg; exit;; esac
shift
for name; do sed -n "s/^$name \\(.*\\)/$name:\\n  Candidate: \\1/p" {folder}/policy; done"""
# `lib` is the name of no package, but of what `one` provides.
ONE_PROVIDES = "Package: one\\nStatus: install ok installed\\nProvides: lib\\n\\n"
APT_GET = """case " $* " in *" -s "*) exit 100;; esac
echo "$*" >> {folder}/calls
for name; do :; done
case $name in lib) name=one; printf '{one}' >> {folder}/status;; esac
echo "${{name%=*}} 1.0 amd64 installed" >> {folder}/db"""
REFUSING = """echo "$*" >> {folder}/calls
printf 'Package lib is a virtual package provided by:\\n'
printf '  two 3.0\\n  one 2.0 (= 3.1)\\n  old 1.0 [Not candidate version]\\n'
echo "E: Package 'lib' has no installation candidate" >&2
exit 100"""
APT_MARK = """echo "apt-mark $*" >> {folder}/calls
want=install
case $1 in hold) want=hold;; esac
printf 'Package: %s\\nStatus: %s ok installed\\nArchitecture: %s\\n\\n' ${{2%:*}} $want ${{2#*:}} >> {folder}/marks
cat {folder}/marks | tail -n 4 > {folder}/status"""


class Debian:
    """A directory in place of a Debian host; `status` is the file of dpkg."""

    def __init__(self, folder, fake_program, log):
        self.folder = folder
        self.log = log
        for name in ("policy", "showpkg"):
            (folder / name).touch()
        self.has()
        for name, text in (("dpkg-query", DPKG_QUERY), ("apt-cache", APT_CACHE), ("apt-mark", APT_MARK)):
            fake_program(name, text.format(folder=folder))
        fake_program("apt-get", APT_GET.format(folder=folder, one=ONE_PROVIDES))
        self.fake_program = fake_program

    def has(self, *packages, want="install"):
        """Install packages, each `NAME VERSION ARCHITECTURE` and what it provides."""
        lines, paragraphs = "", ""
        for package in ("dpkg 1.0 amd64", *packages):
            name, version, arch, *provides = package.split(" ", 3)
            lines += f"{name} {version} {arch} installed\n"
            paragraphs += f"Package: {name}\nStatus: {want} ok installed\nArchitecture: {arch}\n"
            paragraphs += f"Provides: {provides[0]}\nDescription: x\n\n" if provides else "\n"
        (self.folder / "db").write_text(lines, encoding="utf-8")
        (self.folder / "status").write_text(paragraphs, encoding="utf-8")

    def policy(self, **candidates):
        text = "".join(f"{name} {version}\n" for name, version in candidates.items())
        (self.folder / "policy").write_text(text, encoding="utf-8")

    def offers(self, *lines):
        text = "Package: x\nReverse Provides: \n" + "".join(f"{line}\n" for line in lines)
        (self.folder / "showpkg").write_text(text, encoding="utf-8")

    def of(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def manage(self, name, ensure, **options):
        (event,) = manage("apt", [(name, ensure)], self.log, **options)
        return event


@pytest.fixture
def debian(tmp_path, monkeypatch, fake_program, recorded_log):
    folder = apt_folder(tmp_path, monkeypatch)
    (folder / "updates").mkdir(parents=True)
    return Debian(folder, fake_program, recorded_log)


SEVERAL = "lib is provided by several packages: one, two"
LIB = "one 2.0 amd64 lib (= 3), x"


@pytest.mark.parametrize("ensure", ["present", "latest"])
def test_an_installed_package_that_provides_a_name_is_enough(debian, ensure):
    debian.has(LIB)
    debian.policy(lib="(none)", one="2.0")
    event = debian.manage("lib", ensure)
    assert (event.changed, event.errors, event.final_ensure) == (False, (), "2.0")
    assert debian.log.messages == ["lib is provided by one"]


def test_a_name_with_a_candidate_means_the_package_of_that_name(debian):
    debian.has(LIB)
    debian.policy(x="1.0")
    assert debian.manage("x", "present").changed
    assert debian.of("calls")[0].endswith(" x")
    assert debian.log.messages == ["Acting"]


def test_the_only_package_that_provides_a_name_is_installed(debian):
    debian.policy(lib="(none)", one="2.0", two="3.0")
    debian.offers("one 2.0 (= 3)", "one 1.0 (= )", "two 1.0 (= )")
    event = debian.manage("lib", "present")
    assert (event.changed, event.status.metadata["name"]) == (True, "one")
    assert debian.log.messages.count("lib is provided by one") == 1
    debian.has()
    assert debian.manage("lib", "latest").errors == [
        "failed to reach desired state: latest: version 1.0 is below the candidate 2.0"
    ]
    assert [line.split()[-1] for line in debian.of("calls")] == ["lib", "one=2.0"]


def test_a_name_that_several_packages_provide_is_refused(debian):
    debian.policy(lib="(none)", one="2.0", two="3.0")
    debian.offers("two 3.0 (= )", "one 2.0 (= 3)")
    debian.fake_program("apt-get", REFUSING.format(folder=debian.folder))
    for ensure in ("present", "latest"):
        event = debian.manage("lib", ensure)
        assert event.errors == [SEVERAL]
        assert event.causes[0].advice == "name one of them"
    assert len(debian.of("calls")) == 1


@pytest.mark.parametrize("ensure", ["absent", "purged"])
def test_what_provides_a_name_is_not_removed_and_costs_no_query(debian, ensure):
    debian.has(LIB)
    event = debian.manage("lib", ensure)
    assert (event.changed, event.errors) == (False, ())
    assert debian.log.messages == ["lib is not installed, it is provided by one"]
    assert debian.of("queries") == ["-W"]


@pytest.mark.parametrize(
    ("name", "arch", "is_there"),
    [
        ("x:any", "i386", True),
        ("x:native", "all", True),
        ("x:all", "amd64", True),
        ("x:amd64", "all", True),
        ("x:i386", "all", False),
        ("x:native", "i386", False),
    ],
)
@pytest.mark.parametrize("other", [[], ["dpkg"]])
def test_the_architecture_of_a_name(debian, name, arch, is_there, other):
    debian.has(f"x 1.0 {arch}")
    events = manage("apt", [(each, "present") for each in (name, *other)], debian.log, noop=True)
    assert events[0].changed is not is_there


def test_a_hold_is_set_after_the_installation_and_ended_before_the_change(debian):
    for _run in range(2):
        event = debian.manage("x", "present", mark="hold")
        assert event.errors == ()
        assert event.status.metadata["extended"]["mark"] == "hold"
    assert [line.split()[0] for line in debian.of("calls")] == ["install", "apt-mark"]
    assert debian.of("calls")[1] == "apt-mark hold x:amd64"
    assert debian.manage("x", "present", mark="none").changed
    assert debian.of("calls")[2:] == ["apt-mark unhold x:amd64"]


@pytest.mark.parametrize("noop", [True, False])
@pytest.mark.parametrize("ensure", ["2.0", "absent", "purged"])
def test_a_held_package_is_not_changed(debian, ensure, noop):
    debian.has("x 1.0 amd64", want="hold")
    for mark in ("", "hold") if ensure == "2.0" else ("",):
        event = debian.manage("x", ensure, mark=mark, noop=noop)
        assert event.errors == [f"x is held at version 1.0, {ensure} would change it"]
        assert event.causes[0].advice == "write mark: none, or end the hold with the package manager"
    assert debian.of("calls") == []


def test_a_mark_that_apt_does_not_set_is_a_failure(debian):
    debian.has("x 1.0 amd64")
    debian.fake_program("apt-mark", "echo 'E: no space' >&2; exit 100")
    assert debian.manage("x", "present", mark="hold").errors == ["failed to hold x, apt-mark exited 100: E: no space"]
    debian.has("x 1.0 amd64", want="hold")
    for said, words in (("echo 'E: no space' >&2; ", ": E: no space"), ("", "")):
        debian.fake_program("apt-mark", f"{said}exit 100")
        error = f"failed to unhold x, apt-mark exited 100{words}"
        assert debian.manage("x", "present", mark="none").errors == [error]
    debian.has("x 1.0 amd64")
    debian.fake_program("apt-mark", "")
    reason = "failed to reach desired state: present: package has the mark none, expected hold"
    assert debian.manage("x", "present", mark="hold").errors == [reason]


def test_an_older_candidate_is_installed(debian):
    debian.has("x 2.0 amd64")
    debian.policy(x="1.0")
    assert debian.manage("x", "latest", noop=True).noop_message == "Would have downgraded to 1.0"
    debian.manage("x", "latest")
    assert debian.of("calls")[0].endswith(" --allow-downgrades x=1.0")


# `db` is the database of rpm, `provides` and `obsoletes` have what rpm prints for these, `offered`, `whatprovides` and
# `whatobsoletes` what dnf prints.
RPM = """case $1 in
--eval) echo {folder};;
-qa) cat {folder}/Packages;;
*) case $2 in
    --what*) cat {folder}/${{2#--what}};;
    *) grep "^$2 " {folder}/Packages;;
    esac;;
esac"""
DNF = """printf '%s\\n' "$*" >> {folder}/calls
case "$*" in
*--whatprovides*) cat {folder}/whatprovides;;
*--whatobsoletes*) cat {folder}/whatobsoletes;;
*repoquery*) cat {folder}/offered;;
*"versionlock list") cat {folder}/locked;;
"versionlock add"*) echo "$3-0:1.0-1.*" >> {folder}/locked;;
"versionlock delete"*) > {folder}/locked;;
*) for name; do :; done; echo "$name 0 1.0 1 noarch" >> {folder}/Packages;;
esac"""
FILES = ("provides", "obsoletes", "offered", "whatprovides", "whatobsoletes", "locked")


class Fedora:
    """A directory in place of a Fedora host."""

    def __init__(self, folder, fake_program, log):
        self.folder = folder
        self.log = log
        self.fake_program = fake_program
        self.give("Packages", "base 0 1.0 1 noarch")
        for name in FILES:
            self.give(name)
        fake_program("rpm", RPM.format(folder=folder))
        fake_program("dnf", DNF.format(folder=folder))

    def give(self, name, *lines):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def changes(self):
        path = self.folder / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [line for line in lines if not line.startswith("-q ")]

    def manage(self, name, ensure, **options):
        (event,) = manage("dnf", [(name, ensure)], self.log, **options)
        return event


@pytest.fixture
def fedora(tmp_path, monkeypatch, fake_program, recorded_log):
    monkeypatch.setattr(dnf_locks, "PID_FILES", ())
    monkeypatch.setattr(dnf_locks, "LOCKED_FILES", ())
    monkeypatch.setattr(dnf_marks, "SETTINGS", (str(tmp_path),))
    folder = tmp_path / "rpm"
    folder.mkdir()
    return Fedora(folder, fake_program, recorded_log)


ONE = "one 0 1.0 1 noarch"


def test_an_installed_package_that_provides_or_obsoletes_a_name_is_enough_for_dnf(fedora):
    fedora.give("Packages", ONE)
    fedora.give("provides", "one one", "one lib")
    assert fedora.manage("lib", "present").final_ensure == "1.0"
    fedora.give("provides", "no package provides lib")
    fedora.give("obsoletes", "one lib < 2")
    for offered, is_enough in (([], True), (["@lib 1.0-1 noarch"], True), (["@lib 2.0-1 noarch"], False)):
        fedora.give("offered", *offered)
        assert fedora.manage("lib", "present", noop=True).changed is not is_enough
    assert set(fedora.log.messages) == {"lib is provided by one", "Skipping as noop"}


def test_the_only_package_that_provides_a_name_is_installed_with_dnf(fedora):
    fedora.give("whatprovides", "@one 1.0-1 noarch")
    fedora.give("provides", "no package provides lib")
    assert fedora.manage("lib", "present").changed
    assert fedora.changes() == ["install -y one"]
    assert "lib is provided by one" in fedora.log.messages


def test_a_name_that_several_packages_provide_is_refused_with_dnf(fedora):
    fedora.give("whatobsoletes", "@two 1.0-1 noarch", "@one 1.0-1 noarch")
    for ensure in ("present", "latest"):
        assert fedora.manage("lib", ensure).errors == [SEVERAL]
    fedora.give("provides", "one lib", "two lib")
    assert fedora.manage("lib", "latest").errors == [SEVERAL]
    assert fedora.changes() == []


def test_what_provides_a_name_is_not_removed_with_dnf(fedora):
    fedora.give("provides", "one")
    fedora.give("Packages", f"{ONE} one lib lib(x)")
    for names in (["lib"], ["lib", "other"]):
        events = manage("dnf", [(name, "absent") for name in names], fedora.log)
        assert [(event.changed, event.errors) for event in events] == [(False, ())] * len(names)
    assert fedora.log.messages == ["lib is not installed, it is provided by one"] * 2


def test_an_error_of_rpm_does_not_mean_absent(fedora):
    fedora.fake_program("rpm", "echo 'error: cannot open Packages' >&2; exit 1")
    error = "failed to query lib, rpm exited 1: error: cannot open Packages"
    assert fedora.manage("lib", "absent").errors == [error]


@pytest.mark.parametrize("locked", [["base-0:1.0-1.*"], ["# Added", "Package name: base", "evr = 0:1.0-1"]])
def test_a_package_that_versionlock_holds_is_not_changed(fedora, locked):
    fedora.give("locked", *locked)
    for ensure in ("2.0", "absent"):
        for noop in (True, False):
            error = f"base is held at version 1.0-1, {ensure} would change it"
            assert fedora.manage("base", ensure, noop=noop).errors == [error]
    assert fedora.changes() == []
    fedora.give("locked", "!base-0:1.0-1.*")
    assert fedora.manage("base", "absent", noop=True).errors == ()


def test_versionlock_holds_a_package_and_ends_the_hold(fedora):
    assert [fedora.manage("base", "present", mark="hold").changed for _run in range(2)] == [True, False]
    assert [fedora.manage("base", "present", mark="none").changed for _run in range(2)] == [True, False]
    assert fedora.changes() == ["versionlock add base", "versionlock delete base"]


def test_what_versionlock_cannot_do_is_a_failure(fedora):
    fedora.fake_program("dnf", "case $* in *list*) ;; *) echo 'Error: full' >&2; exit 1;; esac")
    assert fedora.manage("base", "present", mark="hold").errors == ["failed to hold base, dnf exited 1: Error: full"]
    fedora.fake_program("dnf", "case $* in *list*) echo base-0:1.0-1.x;; *) echo 'Error: full' >&2; exit 1;; esac")
    assert fedora.manage("base", "present", mark="none").errors == ["failed to unhold base, dnf exited 1: Error: full"]
    fedora.fake_program("dnf", "echo 'No such command: versionlock.' >&2; exit 1")
    event = fedora.manage("base", "present", mark="none")
    reason = "mark needs the plugin versionlock of dnf, dnf exited 1: No such command: versionlock."
    assert event.errors == [reason]
    assert event.causes[0].advice == "install it, or leave mark out"
    # Without `mark` dnf decides: it refuses the change of a held package itself.
    assert fedora.manage("base", "absent", noop=True).errors == ()
