# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hosts themselves: what boots, what it is, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from ccm.version import VERSION

from extensions.molecule.hosts.host import STATE, Host, HostError, identity, init_of, sweep
from tests.unit.layout import ROOT

from . import rpmrepo
from .aptrepo import Deb, register, unregister
from .rpmrepo import Rpm

PYTHONS = {"11": "3.9", "12": "3.11", "13": "3.13"}


def test_a_host_is_a_running_debian_with_the_command(host):
    release = host.run(". /etc/os-release; echo $VERSION_ID").stdout.strip()
    assert host.run(["systemctl", "is-system-running"]).stdout == "running\n"
    version = host.run(["python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).stdout
    assert version.strip() == PYTHONS[release]
    said = host.run(["ccm", "--version"]).stderr
    assert said == f"{VERSION}\n"


def test_the_yaml_of_every_release_is_new_enough_for_the_command(host):
    show = "import importlib.metadata as m; print(*m.requires('ccm-core'), sep='\\n'); print(m.version('PyYAML'))"
    *required, version = host.run(["python3", "-c", show]).stdout.splitlines()
    (least,) = [line.partition(">=")[2] for line in required if line.startswith("PyYAML>=")]
    assert [int(part) for part in version.split(".")] >= [int(part) for part in least.split(".")]


def test_commands_have_a_clean_environment_and_files_arrive(bookworm, tmp_path):
    assert bookworm.run("env; pwd", env={"A": "1"}).stdout.count("\n") == 8
    assert bookworm.run(["cat"], input="hé").stdout == "hé"
    bookworm.write("/srv/a b/c", "text", 0o600)
    assert bookworm.run(["stat", "--format=%a %U", "/srv/a b/c"]).stdout == "600 root\n"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/x").write_bytes(b"\xff")
    bookworm.copy_in(tmp_path, "/srv/tree")
    assert (bookworm.root / "srv/tree/sub/x").read_bytes() == b"\xff"
    with pytest.raises(HostError, match="exit status 3\nout\nerr"):
        bookworm.run("echo out; echo err >&2; exit 3")
    with pytest.raises(HostError, match="takes longer than"):
        bookworm.run("sleep 41 & sleep 42", timeout=0.2)
    assert "sleep 4" not in bookworm.run("ps ax").stdout.replace("ps ax", "")


def test_a_reload_runs_only_the_generators_that_hosts_need(host):
    host.run(
        "mkdir /srv/mounted && echo 'tmpfs /srv/mounted tmpfs noauto 0 0' >> /etc/fstab && systemctl daemon-reload"
    )
    assert host.run("systemctl show srv-mounted.mount -p LoadState").stdout == "LoadState=loaded\n"
    has = host.run("cd /lib/systemd/system-generators && ls").stdout.split()
    masked = host.run("find /etc/systemd/system-generators -lname /dev/null -printf '%f\\n'").stdout.split()
    kept = {f"systemd-{name}-generator" for name in ("fstab", "rc-local", "sysv")}
    assert ("systemd-getty-generator" in masked, set(has) - set(masked)) == (True, kept)


def test_services_of_two_hosts_are_apart(booted):
    first, second = booted("bookworm"), booted("bookworm")
    for host in (first, second):
        host.write("/etc/systemd/system/ccm-t.service", "[Service]\nExecStart=/bin/sleep infinity\n")
        host.run(["systemctl", "start", "ccm-t"])
    first.run(["systemctl", "kill", "--signal=KILL", "ccm-t"])
    first.run(["systemctl", "stop", "ccm-t"])
    assert second.run(["systemctl", "is-active", "ccm-t"]).stdout == "active\n"


def test_a_repository_of_our_own(host):
    log = "echo $1 >> /var/log/ccm-a"
    packages = [Deb("ccm-a", f"{n}.0-1", depends="ccm-b (>= 1)", postinst=log) for n in (1, 2)]
    register(host, [*packages, Deb("ccm-b", "1:1.0", conffiles={"/etc/ccm-b": "b"}, recommends="x")])
    host.run("apt-get install -y -q ccm-a=1.0-1")
    assert host.read("/usr/share/ccm-a/version") == "ccm-a 1.0-1\n"
    assert (host.read("/etc/ccm-b"), host.read("/var/log/ccm-a")) == ("b", "configure\n")
    assert "Candidate: 2.0-1" in host.run(["apt-cache", "policy", "ccm-a"]).stdout
    register(host, [*packages, Deb("ccm-a", "10.0-1")])
    assert "Candidate: 10.0-1" in host.run(["apt-cache", "policy", "ccm-a"]).stdout
    host.run("apt-get purge -y -q ccm-a ccm-b")
    unregister(host)
    assert host.run(["apt-cache", "policy", "ccm-a"]).stdout == ""


def by_hand(*words, **options):
    program = ROOT / "extensions/molecule/hosts/host.py"
    return subprocess.run([sys.executable, program, *words], capture_output=True, text=True, check=False, **options)


def test_a_host_by_hand():
    name = f"by-hand-{os.getpid()}"
    try:
        assert by_hand("up", "--network", name, "bookworm").stdout == "booted now\n"
        assert by_hand("up", name, "bookworm").stdout == "booted before\n"
        kept = by_hand(
            "shell", name, "sh", "-c", "cat > /root/kept && cat /root/kept /etc/apt/sources.list", input="kept\n"
        )
        assert kept.stdout.startswith("kept\ndeb "), kept
    finally:
        assert by_hand("down", name).stderr == ""
    assert "no host" in by_hand("shell", name).stderr


def test_who_boots_the_first_host_by_hand_sees_that_its_root_is_built(tmp_path):
    """The root is built once on a machine; here its builder fails at once."""
    builder = tmp_path / "bin/debootstrap"
    builder.parent.mkdir()
    builder.write_text("#!/bin/sh\necho no mirror answers; exit 1\n", encoding="utf-8")
    builder.chmod(0o755)
    environment = {**os.environ, "CCM_TEST_ROOTS": str(tmp_path), "PATH": f"{builder.parent}:{os.environ['PATH']}"}
    done = by_hand("up", "first", "trixie", env=environment)
    first, rest = done.stderr.split("\n", 1)
    assert (done.returncode, first) == (1, "base trixie: building"), done
    assert "no mirror answers" in rest and f"all of it in {tmp_path}/trixie.log" in rest
    assert "Traceback" not in rest


def test_nothing_stays_of_a_host():
    host = Host("bookworm").boot()
    init, groups = host.leader, json.loads((STATE / host.name / "state.json").read_text("utf-8"))["cgroups"]
    assert groups and all(map(os.path.isdir, groups))
    host.stop()
    assert identity(init) is None
    assert not (STATE / host.name).exists()
    assert not any(map(os.path.exists, groups))


def test_what_a_killed_run_left_is_swept():
    program = "import os, signal; from extensions.molecule.hosts.host import Host; host = Host('bookworm').boot(); "
    program += "print(host.name, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    name = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False
    ).stdout.strip()
    assert init_of(STATE / name)
    sweep()
    assert not (STATE / name).exists()


def test_a_host_that_does_not_boot_says_what_it_said():
    host = Host("bookworm", layers=["/nowhere"])
    with pytest.raises(HostError, match=r"does not boot:\n.*mount"):
        host.boot()
    assert not (STATE / host.name).exists()


def test_dnf_with_a_repository_of_our_own(dnf_host):
    def versions(*names):
        return dnf_host.run(["rpm", "-q", "--queryformat=%{EPOCH} %{VERSION} %{RELEASE}\n", *names]).stdout

    assert dnf_host.run("command -v apt-get dpkg-query", check=False).returncode
    noted = {"post": "echo installed $1 >> /var/log/ccm-a", "configs": {"/etc/ccm-a": "50% of \\ a 'b'\n"}}
    offered = [Rpm("ccm-a", version, requires="ccm-b", **noted) for version in ("1.0-1", "1.0-2", "1:0.5-1")]
    rpmrepo.register(dnf_host, [*offered, Rpm("ccm-b")])
    dnf_host.run("dnf install -y ccm-a-1.0-1")
    assert versions("ccm-a", "ccm-b") == "(none) 1.0 1\n(none) 1.0 1\n"
    dnf_host.run("dnf upgrade -y ccm-a")
    assert versions("ccm-a") == "1 0.5 1\n"
    assert dnf_host.read("/etc/ccm-a") == "50% of \\ a 'b'\n"
    assert dnf_host.read("/var/log/ccm-a") == "installed 1\ninstalled 2\n"
    assert dnf_host.read("/usr/share/ccm-b/version") == "ccm-b 1.0-1\n"
    rpmrepo.unregister(dnf_host)
    assert dnf_host.run("dnf -q install -y ccm-a-1.0-2", check=False).returncode
