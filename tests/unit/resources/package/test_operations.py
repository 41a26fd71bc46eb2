# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What surrounds a change of packages, with stand-ins: proxies, other packages that go, scripts that hang, reasons."""

from __future__ import annotations

import pytest
from ccm.ansible_tasks.messages import failure_of
from ccm.engine.session import Session
from ccm.host.machine import Machine
from ccm.host.results import Result
from ccm.resources.package import dnf_reasons, removals

from tests.patience import wait_until
from tests.unit.engine.recorder import Recorder
from tests.unit.manifest.runs import loaded, run_manifest
from tests.unit.processes import is_running
from tests.unit.resources.package import test_apt, test_dnf

pytestmark = pytest.mark.starts_processes

debian = test_apt.machine
fedora = test_dnf.machine


def manage(machine, resources, provider, *, noop=False, engine=""):
    """Return the events of packages by name, and the lines of the log, [(message, fields)]."""
    recorder = Recorder()
    manifest = loaded("".join(f"- package: {{provider: {provider}, {each}}}\n" for each in resources), engine=engine)
    run_manifest(manifest, Session(), Machine(), log=machine.log, user_log=machine.log, sinks=[recorder], noop=noop)
    return {event.name: event for event in recorder.events}, [
        (message, fields) for _level, message, fields in machine.log.lines
    ]


# Proxies

NAMES = ("http_proxy", "https_proxy", "ftp_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "NO_PROXY")


@pytest.fixture
def proxies(monkeypatch):
    """Variables of proxies that differ in upper and lower case, one of them empty, and one that is none."""
    variables = {name: f"http://{number}.test:1" for number, name in enumerate(NAMES)} | {"no_proxy": ""}
    for name, value in {**variables, "ftp_password": "x"}.items():
        monkeypatch.setenv(name, value)
    return [f"{name}={value}" for name, value in sorted(variables.items())]


def proxies_in(path):
    return sorted(line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] in "fhnFHN")


@pytest.mark.parametrize(
    ("ensure", "advice"),
    [
        ("latets", "write ensure: latest"),
        ("installed", "write ensure: present"),
        ("held", "write mark: hold"),
        ("1:9", ""),
    ],
)
@pytest.mark.parametrize("installed", [False, True])
def test_a_failure_says_that_a_version_is_a_word(debian, fedora, ensure, advice, installed):
    """Validation and noop take any word as a version, as recorded."""
    if installed:
        debian.has("x")
    debian.apt_get("echo 'E: no such version' >&2; exit 100")
    fedora.fake_program("dnf", "echo 'Error: no such version' >&2; exit 1")
    wanted = [f"name: x, ensure: '{ensure}'"]
    for machine, provider in ((debian, "apt"), (fedora, "dnf")):
        events, _lines = manage(machine, wanted, provider)
        assert [cause.advice for cause in events["x"].causes] == [advice]
        assert advice not in "".join(events["x"].errors) or not advice
        assert failure_of(events["x"]).endswith(f"; {advice}" if advice else "no such version")
    if not installed:
        events, _lines = manage(debian, wanted, "apt", noop=True)
        assert events["x"].noop_message == f"Would have installed version {ensure}"


def test_apt_gets_the_proxies_of_its_caller(debian, proxies, tmp_path):
    debian.apt_get(f"env > {tmp_path}/env; {test_apt.INSTALLING.format(db=debian.db)}")
    events, _lines = manage(debian, ["name: x, ensure: present"], "apt")
    assert events["x"].changed
    assert proxies_in(tmp_path / "env") == proxies


@pytest.mark.parametrize("wanted", ["name: x, ensure: present", "name: base, ensure: latest"])
def test_dnf_gets_the_proxies_of_its_caller(fedora, proxies, tmp_path, wanted):
    fedora.fake_program("dnf", f"env > {tmp_path}/env")
    manage(fedora, [wanted], "dnf")
    assert proxies_in(tmp_path / "env") == proxies


@pytest.mark.parametrize(
    ("proxy", "said", "shown"),
    [
        ("http://ann:s3c%20ret@h:1", "in 'http://ann:s3c%20ret@h:1'", "in 'http://REDACTED@h:1'"),
        ("http://ann:s3c%20ret@h:1", "ann:s3c ret is wrong", "REDACTED is wrong"),
        ("ann:s3cret@h:1", "no proxy ann:s3cret@h", "no proxy REDACTED@h"),
        ("http://s3cret@h:1", "no proxy s3cret@h of s3crets", "no proxy REDACTED@h of s3crets"),
        ("http://ann:s3cret@h:1/a@b", "no proxy ann:s3cret@h", "no proxy REDACTED@h"),
        ("http://@h:1", "no package x@y", "no package x@y"),
        ("http://h:1", "no proxy h", "no proxy h"),
    ],
)
def test_credentials_of_proxies_are_not_shown(debian, fedora, monkeypatch, proxy, said, shown):
    monkeypatch.setenv("https_proxy", proxy)
    debian.apt_get(f'echo "E: {said}" >&2; exit 100')
    assert debian.error("x", "present") == f'failed to install package "x", apt-get exited 100: E: {shown}'
    fedora.fake_program("dnf", f'echo "Error: {said}" >&2; exit 1')
    assert fedora.error("base", "latest") == f"could not find the candidate of base, dnf exited 1: Error: {shown}"


# Packages that go with others


def test_packages_that_apt_removed_are_named_also_when_it_fails(debian):
    removing = "echo 'Removing y (1.0) ...'; echo 'Removing obsolete conffile /etc/y ...'; "
    debian.apt_get(removing + test_apt.INSTALLING.format(db=debian.db))
    events, lines = manage(debian, ["name: x, ensure: present"], "apt")
    assert events["x"].changed
    assert ("Removed other packages", {"resource": "package#x", "packages": "y"}) in lines
    debian.apt_get("echo 'Removing z:i386 (1.0) ...'; echo 'Removing x (1.0) ...'; exit 100")
    events, lines = manage(debian, ["name: x, ensure: absent"], "apt")
    assert events["x"].failed
    assert ("Removed other packages", {"resource": "package#x", "packages": "z:i386"}) in lines


SIMULATING = 'echo "$*" >> {}; echo "Remv y [1.0]"; echo "Remv x [1.0]"'


def test_a_group_is_simulated_once_in_noop(debian, tmp_path):
    debian.has("a", "b", "c", "stays")
    debian.fake_program("apt-get", SIMULATING.format(tmp_path / "log"))
    wanted = ["a, ensure: absent", "gone, ensure: absent", "b, ensure: absent", "stays, ensure: present"]
    wanted += ["c, ensure: absent"]
    events, lines = manage(debian, [f"name: {each}" for each in wanted], "apt", noop=True)
    assert [event.noop_message for event in events.values()] == [
        *(["Would have uninstalled", ""] * 2),
        "Would have uninstalled",
    ]
    told = [fields for message, fields in lines if message == "Would have removed other packages"]
    assert told == [{"resource": f"package#{each}", "packages": "y, x"} for each in ("a, b", "c")]
    simulated = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert [line.partition(" remove ")[2] for line in simulated] == ["a b", "c"]
    assert all(" -s " in f" {line} " for line in simulated)


@pytest.mark.parametrize(
    ("ensure", "installed", "argument"),
    [("present", "", "x"), ("latest", "", "x"), ("'2.0'", "x", "x=2.0"), ("'0.5'", "x", "x=0.5")],
)
def test_what_would_be_installed_is_simulated(debian, tmp_path, ensure, installed, argument):
    debian.has(*installed)
    debian.fake_program("apt-cache", "printf 'x:\\n  Candidate: 2.0\\n'")
    debian.fake_program("apt-get", SIMULATING.format(tmp_path / "log"))
    _events, lines = manage(debian, [f"name: x, ensure: {ensure}"], "apt", noop=True)
    assert ("Would have removed other packages", {"resource": "package#x", "packages": "y"}) in lines
    assert (tmp_path / "log").read_text(encoding="utf-8").split()[-1] == argument


@pytest.mark.parametrize(
    ("wanted", "option"),
    [
        ("name: x, ensure: purged", "--purge"),
        ("name: x, ensure: absent, mark: none", "--allow-change-held-packages"),
    ],
)
def test_what_would_be_removed_is_simulated(debian, tmp_path, wanted, option):
    """apt-get has another word for what is purged."""
    debian.has("x")
    debian.fake_program("apt-get", SIMULATING.format(tmp_path / "log").replace("Remv y", "Purg y"))
    _events, lines = manage(debian, [wanted], "apt", noop=True)
    told = [fields["packages"] for message, fields in lines if message == "Would have removed other packages"]
    assert told == ["y"]
    assert option in (tmp_path / "log").read_text(encoding="utf-8").split()


def test_nothing_is_simulated_when_nothing_would_change(debian, fedora, tmp_path):
    debian.has("x")
    debian.fake_program("apt-get", SIMULATING.format(tmp_path / "log"))
    fedora.fake_program("dnf", SIMULATING.format(tmp_path / "log"))
    manage(debian, ["name: x, ensure: present", "name: y, ensure: absent"], "apt", noop=True)
    manage(fedora, ["name: base, ensure: present"], "dnf", noop=True)
    assert not (tmp_path / "log").exists()


def test_a_simulation_of_a_group_that_fails_is_repeated_for_each_package(debian):
    debian.fake_program("apt-get", "case $* in *bad*) echo 'E: Unable to locate package bad' >&2; exit 100;; esac")
    wanted = ["name: a, ensure: present", "name: bad, ensure: present", "name: b, ensure: present"]
    events, lines = manage(debian, wanted, "apt", noop=True)
    assert not any(event.failed for event in events.values())
    reason = "apt-get exited 100: E: Unable to locate package bad"
    told = [fields for message, fields in lines if message == "The package manager would fail now"]
    assert told == [{"resource": "package#bad", "reason": reason}]


TABLE = """\
Dependencies resolved.
================================================================================
 Package           Architecture     Version            Repository          Size
================================================================================
Installing:
 x                 noarch           1.0-1              all                6.0 k
     replacing  python3.9-old.noarch 1.0-1
Removing dependent packages:
 an-extremely-long-package-name-that-wraps-the-columns
                   noarch           1.0-1              @all                14
Removing unused dependencies:
 unused            noarch           1.0-1              @all                14

Transaction Summary
================================================================================
Remove  2 Packages
"""
GONE = "python3.9-old, an-extremely-long-package-name-that-wraps-the-columns, unused"
TABLE_OF_DNF_5 = """\
Package            Arch    Version         Repository      Size
Upgrading:
 x                 noarch  0:2.0-1         all         14.0   B
   replacing x     noarch  0:1.0-1         <unknown>   14.0   B
   replacing y     noarch  0:1.0-1         <unknown>   14.0   B
Removing dependent packages:
 python3.9-z       noarch  0:1.0-1         <unknown>   14.0   B

Transaction Summary:
 Upgrading:       1 package
 Replacing:       2 packages
"""


# The query before an installation finds nothing.
NO_OFFERS = 'case " $* " in *" repoquery "*) exit 0;; esac\n'


def test_packages_that_dnf_removes_are_named(fedora):
    tell = f"cat << EOF\n{TABLE}EOF\n"
    fedora.fake_program("dnf", f"{NO_OFFERS}{tell}echo x 0 1.0 1 noarch >> {fedora.db}")
    events, lines = manage(fedora, ["name: x, ensure: present"], "dnf")
    assert events["x"].changed
    assert ("Removed other packages", {"resource": "package#x", "packages": GONE}) in lines
    fedora.fake_program("dnf", f"{tell}echo 'Operation aborted.' >&2; exit 1")
    for name, wanted in (("a", "present"), ("b", "'2.0'"), ("c", "latest")):
        _events, lines = manage(fedora, [f"name: {name}, ensure: {wanted}"], "dnf", noop=True)
        assert ("Would have removed other packages", {"resource": f"package#{name}", "packages": GONE}) in lines


def test_a_simulation_of_dnf_that_fails_is_a_warning(fedora):
    _events, lines = manage(fedora, ["name: x, ensure: present"], "dnf", noop=True)
    told = {"resource": "package#x", "reason": "dnf exited 1: Error: disk full"}
    assert ("The package manager would fail now", told) in lines


def test_dnf_5_also_names_the_older_version_as_replaced():
    assert removals.removed_by_dnf(TABLE_OF_DNF_5.encode()) == ["y", "python3.9-z"]


# Scripts that hang


def hanging(path, trap=""):
    """Write a maintainer script that hangs; return the shell text that runs it as dpkg or rpm does."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{trap}\necho $$ >> {path}.pids\nsleep 1000 &\necho $! >> {path}.pids\nwait $!\nwait $!\n")
    return f"sh {path}"


def ended(path):
    """Wait until the script and what it started have ended."""
    pids = (path.parent / f"{path.name}.pids").read_text(encoding="utf-8").split()
    assert len(pids) == 2
    wait_until(lambda: not any(is_running(pid) for pid in pids))


LATE = "was not done within its timeout of 500ms: the maintainer "
ENDED = " did not end in time, and had to be ended"


@pytest.mark.parametrize("trap", ["", "trap '' TERM"])
def test_a_script_of_dpkg_that_hangs_is_ended_and_named(debian, tmp_path, trap):
    script = tmp_path / "info/x:amd64.postinst"
    debian.fake_program("dpkg", f"{hanging(script, trap)}; echo 'dpkg goes on' >> {tmp_path}/done")
    debian.apt_get("${0%/*}/dpkg --configure --pending; " + f"echo 'apt goes on' >> {tmp_path}/done; exit 100")
    events, lines = manage(debian, ["name: x, ensure: present, meta: {timeout: 500ms}"], "apt")
    assert events["x"].errors == [f"{LATE}script x:amd64.postinst{ENDED}"]
    assert ("The time is over, ending a maintainer script", {"script": "x:amd64.postinst"}) in lines
    assert (tmp_path / "done").read_text(encoding="utf-8") == "dpkg goes on\napt goes on\n"
    ended(script)


def test_each_script_that_hangs_is_ended(debian, tmp_path):
    """A script of a package that is being unpacked has its name in a file beside it."""
    early, late = tmp_path / "tmp.ci/preinst", tmp_path / "info/x.postinst"
    texts = [hanging(early), hanging(late)]
    (tmp_path / "tmp.ci/control").write_text("Package: x\nVersion: 1.0\n")
    debian.fake_program("dpkg", "; ".join(texts))
    debian.apt_get("${0%/*}/dpkg --install; exit 100")
    events, _lines = manage(debian, ["name: x, ensure: present, meta: {timeout: 500ms}"], "apt")
    assert events["x"].errors == [f"{LATE}scripts x.preinst, x.postinst{ENDED}"]
    for script in (early, late):
        ended(script)


def test_a_script_that_waits_for_another_package_manager_is_ended_without_this(debian, tmp_path):
    """The nested one waits for a lock in vain; the package of a script which runs another one would be completed."""
    outer = tmp_path / "info/x.postinst"
    outer.parent.mkdir()
    waits = f"trap 'touch {tmp_path}/signal' TERM; until test -e {tmp_path}/go; do sleep 0.01; done"
    (tmp_path / "rpm").write_text(f"#!/bin/sh\n{waits}\n")
    (tmp_path / "rpm").chmod(0o755)
    outer.write_text(f"{tmp_path}/rpm\ntrue\n")
    debian.fake_program("dpkg", f"sh {outer}; touch {tmp_path}/go")
    debian.apt_get("${0%/*}/dpkg --install; exit 100")
    events, _lines = manage(debian, ["name: x, ensure: present, meta: {timeout: 500ms}"], "apt")
    assert events["x"].errors == [f"{LATE}script x.postinst{ENDED}"]
    assert not (tmp_path / "signal").exists()


def test_a_script_of_rpm_that_hangs_is_ended_and_named_in_the_words_of_rpm(fedora, tmp_path):
    script = tmp_path / "tmp/rpm-tmp.aB3xYz"
    said = "warning: %post(x-1.0-1.noarch) scriptlet failed, signal 15"
    fedora.fake_program("dnf", f"{NO_OFFERS}{hanging(script)}; echo '{said}'; echo x 0 1.0 1 noarch >> {fedora.db}")
    events, _lines = manage(fedora, ["name: x, ensure: present, meta: {timeout: 500ms}"], "dnf")
    assert events["x"].errors == [f"{LATE}script %post(x-1.0-1.noarch){ENDED}"]
    assert events["x"].causes[0].advice.startswith("rpm takes a package whose %post was ended for installed")
    ended(script)


def test_what_is_no_script_is_not_ended(debian, tmp_path):
    """A package manager that only takes long is waited for, and what it did counts."""
    debian.fake_program("dpkg", "sleep 1.5")
    debian.apt_get("${0%/*}/dpkg --install; " + f"{test_apt.INSTALLING.format(db=debian.db)}")
    events, _lines = manage(debian, ["name: x, ensure: present, meta: {timeout: 500ms}"], "apt")
    assert events["x"].changed


def test_apt_runs_dpkg_without_a_terminal(debian):
    manage(debian, ["name: x, ensure: present"], "apt")
    debian.apt_get("exit 100")
    manage(debian, ["name: x, ensure: absent"], "apt")
    calls = debian.calls.read_text(encoding="utf-8").splitlines()
    assert [" -o Dpkg::Use-Pty=0 " in call for call in calls] == [True, True]


def test_the_words_of_dpkg_are_found_without_a_terminal(debian):
    said = "dpkg: error processing package x (--configure):\\n installed x package post-installation script failed"
    debian.apt_get(f"printf '{said}\\nE: Sub-process returned an error code\\n' >&2; exit 100")
    lead = 'failed to install package "x", apt-get exited 100: '
    assert debian.error("x", "present") == lead + said.replace("\\n", "") + " / E: Sub-process returned an error code"


# Reasons of dnf

KEYS = """\
You have enabled checking of packages via GPG keys. This is a good thing.
However, you do not have any GPG public keys installed. You need to download
the keys for packages you wish to install and install them.

Problem repository: [all]
type: rpm
user_agent: libdnf
username:
"""
DISK = """\
Error: Transaction test error:
  installing package x-1.0-1.noarch needs 4KB more space on the /srv filesystem

Error Summary
-------------
Disk Requirements:
   At least 1MB more space needed on the /srv filesystem.
"""
PROBLEM = """\
Error:
 Problem: package x-1.0-1.noarch requires y, but none of the providers can be installed
  - conflicting requests
  - package y-1.0-1.noarch is filtered out by exclude filtering
"""
UNSIGNED = "Package x.rpm is not signed\nError: GPG check FAILED\n"
UNREACHABLE = """\
Errors during downloading metadata for repository 'net':
  - Curl error (7): Couldn't connect to server for http://h/repodata/repomd.xml [Failed to connect]
Error: Failed to download metadata for repo 'net': Cannot download repomd.xml
"""
DNF_5 = """\
Failed to resolve the transaction:
Argument 'x' matches only excluded packages.
You can try to add to command line:
  --skip-unavailable to skip unavailable packages
"""


@pytest.mark.parametrize(
    ("stdout", "stderr", "reason"),
    [
        ("", KEYS, "However, you do not have any GPG public keys installed. You need to download"),
        (
            "",
            "Package x.rpm is not signed\nError: GPG check FAILED\n",
            "Package x.rpm is not signed / Error: GPG check FAILED",
        ),
        (
            "All matches were filtered out by exclude filtering for argument: x\n",
            "Error: Unable to find a match: x\n",
            "All matches were filtered out by exclude filtering for argument: x / Error: Unable to find a match: x",
        ),
        (
            "",
            PROBLEM,
            "Problem: package x-1.0-1.noarch requires y, but none of the providers can be installed / "
            "- package y-1.0-1.noarch is filtered out by exclude filtering",
        ),
        ("", DISK, "installing package x-1.0-1.noarch needs 4KB more space on the /srv filesystem"),
        ("", UNREACHABLE, " / ".join(line.strip() for line in UNREACHABLE.splitlines())),
        (
            "  Running scriptlet: x\nerror: %prein(x-1.0-1.noarch) scriptlet failed, exit status 3\n\n",
            "Error in PREIN scriptlet in rpm package x\nError: Transaction failed\n",
            "error: %prein(x-1.0-1.noarch) scriptlet failed, exit status 3 / Error: Transaction failed",
        ),
        ("", DNF_5, "Argument 'x' matches only excluded packages."),
        ("Complete!\n", "", "Complete!"),
    ],
)
def test_the_reason_of_dnf_is_what_explains_it(stdout, stderr, reason):
    assert dnf_reasons.reason(Result(1, stdout.encode(), stderr.encode())) == f": {reason}"


def test_a_removal_in_which_dnf_removes_nothing_has_its_reason(fedora):
    filtered = "All matches were filtered out by exclude filtering for argument: base"
    fedora.fake_program("dnf", f"echo '{filtered}'; echo 'No packages marked for removal.' >&2")
    assert fedora.error("base", "absent") == f"failed to Uninstall base, dnf exited 0: {filtered}"
    _events, lines = manage(fedora, ["name: base, ensure: absent"], "dnf", noop=True)
    told = {"resource": "package#base", "reason": f"dnf exited 0: {filtered}"}
    assert ("The package manager would fail now", told) in lines
