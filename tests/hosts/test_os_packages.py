# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of the command on booted hosts: in the place of the original's, used, upgraded, removed, and back."""

from __future__ import annotations

import pathlib

import pytest
from ccm.version import VERSION

from extensions.molecule.hosts.host import booted_host
from tests.patience import wait_until

from .conftest import RELEASES
from .os_packages import AGENT, GONE, LATER, WithApt, WithDnf

FILES = """
ccm:
  resources:
    - file:
        - /srv/managed: {ensure: present, content: "{{ Facts.ccm.site }}", owner: root, group: root, mode: "0644"}
"""
MANIFEST = f"""{FILES}
    - package:
        - ccm-other: {{ensure: present}}
        - ccm-core: {{ensure: %s}}
    - service:
        - ccm-other: {{ensure: running, enable: true}}
"""
#: Paths that differ after a transaction of any package, and what the manifest manages.
CHANGING = (
    "/dev /proc /run /sys /tmp /var/tmp /var/lib/dpkg /var/lib/apt /var/lib/rpm /var/lib/dnf /var/cache /var/log"
    " /srv /root /etc/ld.so.cache /var/lib/systemd /etc/machine-id"
)


@pytest.fixture(params=[*RELEASES, "dnf"])
def system(request):
    """A host of each kind in turn, without the command."""
    kind, packages = (WithDnf, "rpms") if request.param == "dnf" else (WithApt, "debs")
    ours = request.getfixturevalue(packages)
    with booted_host(request.param) as host:
        yield kind(host, ours)


def paths(host):
    """All paths of a host that a transaction of any package leaves alone."""
    pruned = " -o ".join(f"-path {path}" for path in CHANGING.split())
    return set(host.run(f"find / -xdev \\( {pruned} \\) -prune -o -print").stdout.splitlines())


def compiled(system):
    """The paths of all compiled code of the package."""
    return system.host.run(f"find {system.modules} -path '*ccm*' -name '*.pyc'", check=False).stdout.splitlines()


def version(host):
    return host.run("ccm --version").stderr.strip()


def check_files(system):
    """The manual page, the completions and the unit are where the system looks for them."""
    host = system.host
    assert host.run("zcat /usr/share/man/man1/ccm.1.gz | head -n 1").stdout.startswith(".TH CCM 1")
    complete = "COMP_WORDS=(ccm wat) COMP_CWORD=1; _ccm_complete; echo $COMPREPLY"
    assert host.run(["bash", "-c", f". /usr/share/bash-completion/completions/ccm; {complete}"]).stdout == "watch\n"
    assert host.read(system.zsh).startswith("#compdef ccm\n")
    assert "complete -c ccm" in host.read("/usr/share/fish/vendor_completions.d/ccm.fish")
    assert host.run("systemctl is-enabled ccm-watch", check=False).stdout == "disabled\n"
    assert host.run("systemctl is-active ccm-watch", check=False).stdout == "inactive\n"
    assert host.run("systemctl cat ccm-watch").stdout.count("ExecStart=") == 1


def check_compiled(system):
    """Each module is compiled, for this Python and for none other; no file but configuration was changed."""
    tag = system.host.run("python3 -c 'import sys; print(sys.implementation.cache_tag)'").stdout.strip()
    sources = system.host.run(f"find {system.modules}/ccm -name '*.py' -printf '%h/__pycache__/%f\\n'").stdout.split()
    assert len(sources) > 500
    assert sorted(compiled(system)) == sorted(f"{source[:-3]}.{tag}.pyc" for source in sources)
    assert [line for line in system.verify().splitlines() if not line.endswith(".env")] == []


def test_a_package_from_the_first_to_the_last_day(system):
    host = system.host
    system.offer(0)
    before = paths(host)
    system.install("ccm")
    host.write(AGENT, "interval: 1m\n")

    system.install("ccm-core")
    assert (system.installed("ccm-core", "ccm"), version(host)) == (["ccm-core"], VERSION)
    assert host.read(AGENT + system.saved) == "interval: 1m\n"
    check_files(system)
    check_compiled(system)

    host.write("/etc/choria/ccm/manifest.yaml", MANIFEST % "present")
    host.write("/etc/choria/ccm/facts.yaml", "ccm: {site: ams}\n")
    apply = "ccm apply --detailed-exitcodes /etc/choria/ccm/manifest.yaml"
    assert host.run(apply, check=False).returncode == 2
    assert host.run(apply).returncode == 0
    assert (host.read("/srv/managed"), host.run("systemctl is-active ccm-other").stdout) == ("ams", "active\n")

    # The watch that the unit runs upgrades its own package, and goes on with the code of the later version.
    host.run("echo CCM_WATCH_FLAGS=--no-read-env >> /etc/choria/ccm/watch.env")
    host.run("systemctl enable --now ccm-watch")
    first = host.run("systemctl show -p MainPID --value ccm-watch").stdout
    assert "--no-read-env" in host.run("systemctl status ccm-watch").stdout
    system.offer(0, 1)
    host.write("/etc/choria/ccm/manifest.yaml", MANIFEST % "latest")
    wait_until(lambda: host.run("systemctl show -p MainPID --value ccm-watch").stdout not in (first, "0\n"))
    wait_until(lambda: host.run("systemctl is-active ccm-watch", check=False).stdout == "active\n")
    assert version(host) == LATER
    assert host.run("systemctl is-enabled ccm-watch").stdout == "enabled\n"
    assert host.read("/etc/choria/ccm/watch.env").endswith("CCM_WATCH_FLAGS=--no-read-env\n")
    check_compiled(system)
    assert not [path for path in compiled(system) if pathlib.Path(GONE).stem in path]
    host.write("/etc/choria/ccm/manifest.yaml", FILES)
    host.run("systemctl restart ccm-watch; systemctl disable ccm-other")

    system.take_back()
    assert (system.installed("ccm-core", "ccm"), host.run("ccm").stdout) == (["ccm"], "original\n")
    assert compiled(system) == []
    assert host.run("systemctl is-active ccm-watch", check=False).stdout == "inactive\n"
    assert host.read(AGENT + system.saved) == "interval: 1m\n"
    assert host.read(f"/etc/choria/ccm/watch.env{system.saved}").endswith("CCM_WATCH_FLAGS=--no-read-env\n")

    system.purge()
    mine = {"/etc/choria", *(f"/etc/choria/ccm{name}" for name in ("", "/manifest.yaml", "/facts.yaml"))}
    assert paths(host) - before - mine == set()
    assert before - paths(host) == set()


def test_an_upgrade_of_python_leaves_no_code_of_the_last_one(debs):
    """Debian 12 becomes 13 as far as Python goes: dist-packages is for both versions."""
    with booted_host("bookworm", network=True) as host:
        system = WithApt(host, debs)
        system.offer(0)
        system.install("ccm-core")
        host.run("sed -i s/bookworm/trixie/ /etc/apt/sources.list && apt-get update -q")
        system.install("python3")
        assert host.run("python3 -c 'import sys; print(*sys.version_info[:2])'").stdout == "3 13\n"
        assert version(host) == VERSION
        host.write("/root/m.yaml", MANIFEST % "present")
        host.write("/etc/choria/ccm/facts.yaml", "ccm: {site: ams}\n")
        apply = "ccm apply --detailed-exitcodes m.yaml"
        assert host.run(apply, check=False).returncode == 2
        assert host.run(apply).returncode == 0
        host.run("apt-get purge -y -q --auto-remove 'python3.11*' 'libpython3.11*'")
        check_compiled(system)


def test_an_upgrade_of_python_by_dnf_leaves_no_code_of_the_last_one(rpms):
    with booted_host("dnf") as host:
        system = WithDnf(host, rpms)
        system.offer(0)
        system.install("ccm-core")
        host.write(f"{system.modules}/ccm/__pycache__/version.cpython-310.pyc", "")
        system.offer(0, python="3.12-1")
        host.run("dnf upgrade -y -q python3")
        check_compiled(system)


def test_two_builds_of_an_rpm_are_the_same_bytes(rpms):
    first, _later, again = rpms
    assert first.name == again.name == f"ccm-core-{VERSION}-1.noarch.rpm"
    assert first.read_bytes() == again.read_bytes()
