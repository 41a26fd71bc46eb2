# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What surrounds a change of packages: proxies, other packages that go, scripts that hang, what dnf says."""

from __future__ import annotations

import json

import pytest

from tests.patience import PATIENCE

from . import rpmrepo
from .aptrepo import Deb, register, sources
from .packages import Saved, apply, apply_manifest, shown

HANG = "[ -e /root/go ] || sleep 100000"
DEBS = [
    Deb("ccm-lib"),
    Deb("ccm-app", depends="ccm-lib"),
    Deb("ccm-tool"),
    Deb("ccm-rival", conflicts="ccm-lib"),
    Deb("ccm-hang", postinst=HANG),
    Deb("ccm-hang-early", preinst=HANG),
    Deb("ccm-stubborn", postinst=f"trap '' TERM\n{HANG}"),
    Deb("ccm-both", depends="ccm-hang, ccm-stubborn"),
    Deb("ccm-asking", postinst="(exec < /dev/tty) 2> /dev/null && echo terminal > /root/asked; read x || exit 0"),
    Deb("ccm-telling", postinst="env >&2; env; exit 3"),
]
RPMS = [
    rpmrepo.Rpm("ccm-lib"),
    rpmrepo.Rpm("ccm-app", requires="ccm-lib"),
    rpmrepo.Rpm("ccm-old"),
    rpmrepo.Rpm("ccm-heir", obsoletes="ccm-old"),
    rpmrepo.Rpm("ccm-rival", conflicts="ccm-lib"),
    rpmrepo.Rpm("ccm-needy", requires="ccm-nowhere >= 3"),
    rpmrepo.Rpm("ccm-hang", post=HANG),
    rpmrepo.Rpm("ccm-hang-early", pre=HANG),
    rpmrepo.Rpm("ccm-asking", post="(exec < /dev/tty) 2> /dev/null && echo terminal > /root/asked; true"),
    rpmrepo.Rpm("ccm-big", files={"/srv/small/big": "big" * 10000}),
]
# A proxy that serves /srv for every name of a server, and notes what it is asked.
PROXY = """
import http.server, os, urllib.parse
class Proxy(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        with open("/root/proxied", "a") as file:
            print(self.path, file=file)
        self.path = urllib.parse.urlsplit(self.path).path
        super().do_GET()
os.chdir("/srv")
http.server.HTTPServer(("127.0.0.1", 8118), Proxy).serve_forever()
"""
START_PROXY = """
systemctl is-active -q proxy || systemd-run --quiet --unit=proxy python3 /root/proxy.py
for try in $(seq %d); do
    python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8118))' 2> /dev/null && exit
    sleep 0.1
done
exit 1
"""
SIGN = """
gpg --batch --quiet --passphrase '' --quick-gen-key tests@example.org default default never
rpmsign --define '__gpg /usr/bin/gpg' --define '_gpg_name tests@example.org' --addsign /srv/rpm/ccm-lib-*.rpm
createrepo_c --quiet /srv/rpm
"""
SECRET = "s3cret-pw"
DEAD = {"http_proxy": f"http://ann:{SECRET}@127.0.0.1:1"}
WORKING = {"http_proxy": f"http://ann:{SECRET}@127.0.0.1:8118"}
INDEX = {"package_index": "0s"}


def start_proxy(host):
    host.write("/root/proxy.py", PROXY)
    host.run(START_PROXY % (10 * PATIENCE))


def apply_with(host, resources, env, settings=None):
    """Apply with variables in the environment of ccm; what was printed."""
    declared = [{"package": [{name: {"ensure": ensure}}]} for name, ensure in resources]
    manifest = {"ccm": {"resources": declared, **({"engine": settings} if settings else {})}}
    host.write("/root/proxied.json", json.dumps(manifest))
    host.run("rm -rf session; mkdir session")
    done = host.run(["ccm", "apply", "proxied.json", "--session", "session", "--info"], env=env, check=False)
    return done.stdout + done.stderr


def in_time(name, seconds):
    """The resource of a package that has so many seconds."""
    return [{"package": [{name: {"ensure": "present", "meta": {"timeout": f"{seconds}s"}}}]}]


def hangs(host, name, *scripts):
    """The error and the output of the run of a package whose scripts do not end.

    A run on a busy machine may be over before the package manager comes to its scripts: the next one has more time.
    """
    for seconds in (2, 8, 32):
        (event,), said = apply_manifest(host, in_time(name, seconds))
        (error,) = event["error"]
        assert error.startswith(f"was not done within its timeout of {seconds}s"), said
        if all(script in error for script in scripts):
            return error, said
    raise AssertionError(said)


def hanging(host):
    return host.run("pgrep -fx 'sleep 100000'", check=False).stdout.split()


@pytest.fixture(scope="module")
def saved(host):
    register(host, DEBS)
    return Saved(host)


@pytest.fixture
def debian(host, saved):
    saved.restore()
    host.run("rm -f /root/go /root/asked /root/proxied")
    return host


@pytest.fixture
def fedora(dnf_host):
    rpmrepo.register(dnf_host, RPMS)
    dnf_host.run("rm -f /root/go /root/asked /root/proxied")
    yield dnf_host
    dnf_host.run("sed -i /excludepkgs/d /etc/dnf/dnf.conf; dnf remove -y -q 'ccm-*'; rm -f /etc/yum.repos.d/*")
    dnf_host.run("dnf -q clean all")


def over_http(host):
    """Let apt or dnf find the repository at a server that only the proxy finds."""
    if host.base == "dnf":
        host.run("sed -i s,file:///srv/rpm,http://repo.test/rpm, /etc/yum.repos.d/srv-rpm.repo; dnf -q clean all")
    else:
        host.write(sources("/srv/apt"), "deb [trusted=yes] http://repo.test/apt ./\n")
        host.run("apt-get clean; rm -f /var/lib/apt/lists/repo.test*")


@pytest.fixture
def http_debian(debian):
    over_http(debian)
    yield debian
    register(debian, DEBS)


def test_apt_uses_the_proxy_of_its_caller(http_debian):
    start_proxy(http_debian)
    said = apply_with(http_debian, [("ccm-tool", "present")], WORKING, INDEX)
    assert "package#ccm-tool changed" in said
    asked = http_debian.read("/root/proxied").split()
    assert "http://repo.test/apt/./ccm-tool_1.0-1_all.deb" in asked
    assert any("InRelease" in path for path in asked)


def test_a_proxy_that_does_not_answer_is_the_reason_of_apt_and_shows_no_password(http_debian):
    said = apply_with(http_debian, [("ccm-tool", "present"), ("ccm-telling", "present")], DEAD, INDEX)
    assert "package#ccm-tool failed" in said and "127.0.0.1:1" in said
    assert SECRET not in said
    assert http_debian.run(f"grep -r -l {SECRET} session /var/lib/ccm /root", check=False).stdout == ""


def test_a_script_that_tells_its_environment_shows_no_password(debian):
    said = apply_with(debian, [("ccm-telling", "present")], DEAD)
    assert "package#ccm-telling failed" in said
    assert SECRET not in said
    assert debian.run(f"grep -r -l {SECRET} session", check=False).stdout == ""


def test_dnf_uses_the_proxy_of_its_caller(fedora):
    over_http(fedora)
    start_proxy(fedora)
    said = apply_with(fedora, [("ccm-lib", "present"), ("ccm-app", "latest")], WORKING, INDEX)
    assert "package#ccm-lib changed" in said and "package#ccm-app changed" in said
    assert "http://repo.test/rpm/ccm-lib-1.0-1.noarch.rpm" in fedora.read("/root/proxied").split()


@pytest.mark.parametrize("proxy", [DEAD["http_proxy"], f"socks9://ann:{SECRET}@h:1", f"http://ann:{SECRET} x@h:1"])
def test_a_proxy_that_does_not_answer_is_the_reason_of_dnf_and_shows_no_password(fedora, proxy):
    over_http(fedora)
    said = apply_with(fedora, [("ccm-lib", "present")], {"http_proxy": proxy}, INDEX)
    assert "package#ccm-lib failed" in said and "repodata/repomd.xml" in said
    assert SECRET not in said
    assert fedora.run(f"grep -r -l {SECRET} session", check=False).stdout == ""


def test_the_environment_of_a_task_reaches_apt(bookworm, ansible):
    register(bookworm, DEBS)
    over_http(bookworm)
    start_proxy(bookworm)
    task = "- name: tool\n  ccm.core.package: {name: [ccm-tool], ensure: present, update_cache: true}\n"
    bookworm.run("apt-get remove -y -q ccm-tool", check=False)
    there = ansible.on(bookworm)
    failed = there.play(f"{task}  ignore_errors: true\n  environment: {json.dumps(DEAD)}\n")["tool"]
    assert failed.outcome == "failed" and SECRET not in json.dumps(failed.result)
    assert there.play(f"{task}  environment: {json.dumps(WORKING)}\n")["tool"].outcome == "changed"


WOULD_REMOVE = "Would have removed other packages"
REMOVED = "Removed other packages"


def test_packages_that_go_with_others_are_named_by_apt(debian):
    debian.run("apt-get install -y -q ccm-app ccm-tool")
    (event,), said = apply(debian, [("ccm-rival", "present")], flags=["--noop"])
    assert event["noop_message"] == "Would have installed version present"
    assert f"{WOULD_REMOVE} resource=package#ccm-rival packages=ccm-app, ccm-lib" in said
    events, said = apply(debian, [("ccm-lib", "absent"), ("ccm-tool", "absent")], flags=["--noop"])
    assert [event["noop_message"] for event in events] == ["Would have uninstalled"] * 2
    assert f"{WOULD_REMOVE} resource=package#ccm-lib, ccm-tool packages=ccm-app" in said
    (event,), said = apply(debian, [("ccm-rival", "present")])
    assert event["changed"]
    assert f"{REMOVED} resource=package#ccm-rival packages=ccm-app, ccm-lib" in said
    (event,), said = apply(debian, [("ccm-lib", "present")])
    assert f"{REMOVED} resource=package#ccm-lib packages=ccm-rival" in said
    debian.run("apt-get install -y -q ccm-app")
    (event,), said = apply(debian, [("ccm-lib", "absent")])
    assert event["changed"]
    assert f"{REMOVED} resource=package#ccm-lib packages=ccm-app" in said


def test_nothing_is_simulated_without_a_change(debian):
    debian.run("apt-get install -y -q ccm-app ccm-tool")
    debian.run(
        "printf '#!/bin/sh\\necho $* >> /root/apt-get\\nexec /usr/bin/apt-get \"$@\"\\n' > /usr/local/bin/apt-get"
    )
    debian.run("chmod +x /usr/local/bin/apt-get; rm -f /root/apt-get")
    try:
        wanted = [("ccm-app", "present"), ("ccm-tool", "present")]
        apply(debian, wanted, flags=["--noop"])
        assert debian.run("cat /root/apt-get", check=False).stdout == ""
        apply(debian, [(name, "absent") for name, _ensure in wanted], flags=["--noop"])
        assert debian.read("/root/apt-get").count("\n") == 1
    finally:
        debian.run("rm -f /usr/local/bin/apt-get /root/apt-get")


def test_a_simulation_that_fails_is_a_warning_in_noop(debian):
    (event,), said = apply(debian, [("ccm-unknown", "present")], flags=["--noop"])
    assert (event["failed"], event["noop_message"]) == (False, "Would have installed version present")
    assert "The package manager would fail now resource=package#ccm-unknown" in said
    assert "Unable to locate package ccm-unknown" in said


def test_packages_that_go_with_others_are_named_by_dnf(fedora):
    fedora.run("dnf install -y -q ccm-app")
    (event,), said = apply(fedora, [("ccm-lib", "absent")], flags=["--noop"])
    assert event["noop_message"] == "Would have uninstalled"
    assert f"{WOULD_REMOVE} resource=package#ccm-lib packages=ccm-app" in said
    fedora.run("dnf install -y -q ccm-old-1.0-1")
    (event,), said = apply(fedora, [("ccm-heir", "present")], flags=["--noop"])
    assert f"{WOULD_REMOVE} resource=package#ccm-heir packages=ccm-old" in said
    (event,), said = apply(fedora, [("ccm-heir", "present")])
    assert f"{REMOVED} resource=package#ccm-heir packages=ccm-old" in said
    (event,), said = apply(fedora, [("ccm-lib", "absent")])
    assert event["changed"]
    assert f"{REMOVED} resource=package#ccm-lib packages=ccm-app" in said
    (event,), said = apply(fedora, [("ccm-nowhere", "present")], flags=["--noop"])
    assert "The package manager would fail now resource=package#ccm-nowhere" in said


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("ccm-hang", ["ccm-hang.postinst"]),
        ("ccm-hang-early", ["ccm-hang-early.preinst"]),
        ("ccm-stubborn", ["ccm-stubborn.postinst"]),
        ("ccm-both", ["ccm-hang.postinst", "ccm-stubborn.postinst"]),
    ],
)
def test_a_script_that_hangs_is_ended_and_the_next_run_completes_the_installation(debian, name, scripts):
    error, said = hangs(debian, name, *scripts)
    word = "script" if len(scripts) == 1 else "scripts"
    assert f"s: the maintainer {word} " in error
    assert [script for script in scripts if f"ending a maintainer script script={script}" not in said] == []
    assert hanging(debian) == []
    assert debian.run("pgrep -x 'apt-get|dpkg'", check=False).stdout == ""
    debian.write("/root/go", "")
    (event,), said = apply_manifest(debian, in_time(name, 60))
    assert shown(event) == (name, "changed", "1.0-1"), said
    assert debian.run("dpkg --audit").stdout == ""


def test_a_script_of_rpm_that_hangs_is_ended_and_named(fedora):
    hangs(fedora, "ccm-hang-early", "%prein(ccm-hang-early-1.0-1.noarch)")
    assert hanging(fedora) == []
    hangs(fedora, "ccm-hang", "the maintainer script %post(ccm-hang-1.0-1.noarch) did not end in time")
    assert hanging(fedora) == []
    fedora.write("/root/go", "")
    (event,), said = apply_manifest(fedora, in_time("ccm-hang-early", 60))
    assert shown(event) == ("ccm-hang-early", "changed", "1.0"), said


def from_a_login(host):
    """Install a package that asks at the terminal, by a command that has one; what its script noted."""
    host.write("/root/asking.json", json.dumps({"ccm": {"resources": [{"package": [{"ccm-asking": {}}]}]}}))
    said = host.run("script --quiet --return --command 'ccm apply asking.json' /dev/null < /dev/null").stdout
    assert "package#ccm-asking changed" in said
    return host.run("cat /root/asked", check=False).stdout


def test_a_script_of_dpkg_has_no_terminal(debian):
    assert from_a_login(debian) == ""


def test_a_script_of_rpm_has_no_terminal(fedora):
    assert from_a_login(fedora) == ""


def error_of(host, name, ensure="present"):
    (event,), said = apply(host, [(name, ensure)])
    assert event["failed"], said
    return event["error"][0]


def test_the_reasons_of_dnf(fedora):
    lead = 'failed to Install package "{}", dnf exited 1: '.format
    unknown = "Error: Unable to find a match: ccm-unknown"
    assert error_of(fedora, "ccm-unknown") == lead("ccm-unknown") + unknown
    nothing = "nothing provides ccm-nowhere >= 3 needed by ccm-needy-1.0-1.noarch"
    assert error_of(fedora, "ccm-needy") == lead("ccm-needy") + f"- {nothing}"
    fedora.run("dnf install -y -q ccm-lib")
    assert "- package ccm-rival-1.0-1.noarch conflicts with ccm-lib" in error_of(fedora, "ccm-rival")
    fedora.run("echo excludepkgs=ccm-app,ccm-lib >> /etc/dnf/dnf.conf")
    filtered = "All matches were filtered out by exclude filtering for argument: ccm-"
    assert filtered + "app" in error_of(fedora, "ccm-app")
    assert filtered + "lib" in error_of(fedora, "ccm-lib", "absent")


def test_the_reason_of_dnf_for_a_full_disk_is_the_disk(fedora):
    fedora.run(
        "mkdir -p /srv/small; mount -t tmpfs -o size=16k tmpfs /srv/small; cat /dev/zero > /srv/small/x", check=False
    )
    try:
        assert "more space on the /srv/small filesystem" in error_of(fedora, "ccm-big")
    finally:
        fedora.run("umount /srv/small")


def test_the_reason_of_dnf_for_a_wrong_checksum_is_the_checksum(fedora):
    fedora.run("dd if=/dev/zero of=/srv/rpm/ccm-lib-1.0-1.noarch.rpm bs=1 seek=300 count=99 conv=notrunc status=none")
    assert "has incorrect checksum" in error_of(fedora, "ccm-lib")


def test_the_reason_of_dnf_for_a_missing_key_is_the_key(fedora):
    fedora.run("sed -i s/gpgcheck=0/gpgcheck=1/ /etc/yum.repos.d/srv-rpm.repo")
    assert "ccm-lib-1.0-1.noarch.rpm is not signed" in error_of(fedora, "ccm-lib")
    fedora.run(SIGN)
    assert "Public key for ccm-lib-1.0-1.noarch.rpm is not installed" in error_of(fedora, "ccm-lib")
