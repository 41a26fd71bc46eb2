# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm watch` on a booted host: services, packages, and files are repaired, with and without the bus of systemd."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import statistics
import time

import pytest

from tests.patience import LIMIT, PATIENCE, wait_until
from tests.unit.layout import ROOT
from tests.unit.processes import loop_sleeps_for
from tests.unit.watching import SOON

from .aptrepo import Deb, register
from .command import CHECKOUT
from .test_timer import BLOCK, wait_for

ROUNDS = int(os.environ.get("CCM_ROUNDS", "10"))
#: None is repaired so often that it flaps.
UNITS = max(10, ROUNDS // 5)


def unit(number):
    return f"[Service]\nExecStart=/bin/sleep {1000000 + number}\n[Install]\nWantedBy=multi-user.target\n"


WATCHER = """
[Service]
Type=notify
ExecStart=/usr/local/bin/ccm watch /root/m.json {words}
ExecReload=/bin/kill -HUP $MAINPID
WatchdogSec=10s
NotifyAccess=main
"""
# Kills the unit of the number $1, waits until another process of it runs, and prints for how many seconds.
TIMED = """
import glob, os, signal, sys, time
wanted = b"/bin/sleep\\0" + str(1000000 + int(sys.argv[1])).encode()

def running():
    found = set()
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if file.read().startswith(wanted):
                    found.add(int(path.split("/")[2]))
        except OSError:
            continue
    return found

before = running()
begin = time.monotonic()
for pid in before:
    os.kill(pid, signal.SIGKILL)
assert before
while not running() - before:
    time.sleep(0.001)
print(time.monotonic() - begin)
"""


def settle(host):
    """Wait until all that happened on a host was looked at, and nothing is due soon."""
    pid = host.run("systemctl show --property=MainPID --value watcher").stdout.strip()
    wait_until(lambda: (loop_sleeps_for(host.root / "proc" / pid) or 0) >= SOON)


def kill(host, name):
    """Kill the process of a service, and wait until another one runs."""
    shown = f"systemctl show --property=MainPID --value {name}"
    before = host.run(shown).stdout
    host.run(f"systemctl kill -s KILL {name}")
    wait_until(lambda: host.run(shown).stdout not in ("0\n", before))


def install_jeepney(host):
    """Copy the package that the extra `watch` needs from the environment of the tests."""
    package = pathlib.Path(importlib.util.find_spec("jeepney").origin).parent
    for path in package.rglob("*.py"):
        if "tests" not in path.parts:
            host.write(f"/usr/lib/python3/dist-packages/jeepney/{path.relative_to(package)}", path.read_bytes())


def start(host, resources, words=""):
    host.write("/root/m.json", json.dumps({"ccm": {"resources": resources}}))
    host.write("/etc/systemd/system/watcher.service", WATCHER.format(words=words))
    host.run("systemctl daemon-reload && systemctl start watcher")


def services():
    return [{"service": [{f"w{number}": {"ensure": "running", "enable": True}} for number in range(UNITS)]}]


@pytest.fixture
def watched(booted):
    """A host with ten services that are watched."""
    host = booted("bookworm")
    install_jeepney(host)
    for number in range(UNITS):
        host.write(f"/etc/systemd/system/w{number}.service", unit(number))
    host.write("/root/timed.py", TIMED)
    start(host, services())
    assert host.run("systemctl is-active w0 w9").stdout == "active\nactive\n"
    return host


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * ROUNDS)
def test_services_that_are_killed_run_again(watched):
    times = [float(watched.run(["python3", "timed.py", str(turn % UNITS)]).stdout) for turn in range(ROUNDS)]
    print(f"{ROUNDS} killed: median {1000 * statistics.median(times):.0f} ms, max {1000 * max(times):.0f} ms")


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * ROUNDS)
def test_files_of_a_booted_host_are_restored(booted):
    host = booted("bookworm")
    for name in ("__init__.py", "__main__.py", "watch.py"):
        host.write(f"/root/tests/bench/{name}", (ROOT / "tests/bench" / name).read_bytes())
    idle = 60 if ROUNDS >= 200 else 2
    words = f"--ccm /usr/local/bin/ccm --files 1000 --rounds {ROUNDS} --idle {idle}"
    # Its status is about ratios of times, which a busy machine exceeds.
    done = host.run(f"cd /root && python3 -m tests.bench.watch {words}", check=False)
    print(done.stdout)
    named = [line.partition(",")[0] for line in done.stdout.splitlines()[1:7]]
    assert named == ["ccm watch"] * 6, done.stdout + done.stderr


def test_the_service_of_the_guide_repairs_and_lets_a_command_finish(booted):
    host = booted("bookworm")
    section = (CHECKOUT / "docs/watch.md").read_text("utf-8").partition("## As a service\n")[2]
    for name, text in BLOCK.findall(section):
        host.write(f"/root/{name}", text)
    attributes = {"owner": "root", "group": "root", "mode": "0644"}
    managed = {"file": [{"/srv/managed": {"ensure": "present", "content": "managed\n", **attributes}}]}
    slow = "sh -c 'touch /srv/begun; sleep 3; touch /srv/done'"
    command = {"exec": [{"slow": {"command": slow, "refreshonly": True, "subscribe": ["file#/srv/managed"]}}]}
    host.write("/etc/ccm/manifest.yaml", json.dumps({"ccm": {"resources": [managed, command]}}))
    host.run("sh -e install-watch.sh")
    assert host.run("systemctl is-enabled ccm-watch; systemctl is-active ccm-watch").stdout == "enabled\nactive\n"
    host.run("rm /srv/begun /srv/done /srv/managed")
    wait_for(host, "test -e /srv/begun")
    host.run("systemctl stop ccm-watch")
    assert host.run("cat /srv/managed; ls /srv").stdout == "managed\nbegun\ndone\nmanaged\n"
    assert host.run("systemctl show -p Result --value ccm-watch").stdout == "success\n"
    assert json.loads(host.run("cat /run/ccm-watch.json").stdout)["degraded"] == []


def test_what_is_stopped_or_disabled_or_changed_is_repaired(watched):
    # The first run started all of them, and each is checked again after that: no such check is to repair anything.
    settle(watched)
    watched.run("systemctl stop w1")
    wait_for(watched, "systemctl is-active --quiet w1")
    # The link is removed without systemctl: only the reload is an event.
    watched.run("rm /etc/systemd/system/multi-user.target.wants/w3.service && systemctl daemon-reload")
    wait_for(watched, "systemctl is-enabled --quiet w3")
    # The repair of w3 reloaded systemd, after which all are checked.
    settle(watched)
    watched.run("systemctl disable --no-reload w2")
    wait_for(watched, "systemctl is-enabled --quiet w2")


def test_it_hears_again_of_services_after_the_bus_or_systemd_restarted(watched):
    watched.run("systemctl daemon-reexec")
    # It connects again after a second, and then checks all: the first one may be repaired because of that.
    for _time in range(2):
        kill(watched, "w4")
    watched.run("systemctl restart dbus", check=False)
    kill(watched, "w5")
    wait_for(watched, "journalctl -u watcher | grep -q 'Services are not watched until systemd answers'")
    for _time in range(2):
        kill(watched, "w6")
    assert watched.run("systemctl show -p NRestarts --value watcher").stdout == "0\n"


def test_a_service_that_ends_at_once_does_not_keep_systemd_busy(watched):
    watched.write("/etc/systemd/system/w7.service", unit(7).replace("/bin/sleep", "/bin/false"))
    begin = time.monotonic()
    watched.run("systemctl daemon-reload && systemctl stop w7")
    counted = "journalctl -u w7 | grep -c 'Started w7'"
    wait_for(watched, f"test $({counted}) -ge 5")
    starts = int(watched.run(counted).stdout)
    # The first run started it; then three times at once, and once in two seconds.
    assert starts <= 1 + 3 + (time.monotonic() - begin) / 2
    watched.write("/etc/systemd/system/w7.service", unit(7))
    watched.run("systemctl daemon-reload")
    wait_for(watched, "systemctl is-active --quiet w7")


def test_it_reloads_and_ends_as_a_service(watched):
    watched.write("/root/m.json", json.dumps({"ccm": {"resources": services()[:1]}}))
    watched.run("systemctl reload watcher")
    wait_for(watched, "journalctl -u watcher | grep -q 'The manifest was read again'")
    watched.run("systemctl stop watcher")
    assert watched.run("systemctl show -p Result --value watcher").stdout == "success\n"


def test_without_jeepney_services_are_checked_now_and_then(booted):
    host = booted("bookworm")
    for number in range(UNITS):
        host.write(f"/etc/systemd/system/w{number}.service", unit(number))
    start(host, services())
    wait_for(host, "journalctl -u watcher | grep -q 'Services are checked every 5 s only'")
    kill(host, "w1")


@pytest.mark.parametrize("release", ["bullseye", "trixie"])
def test_packages_that_are_removed_are_installed_again(booted, release):
    host = booted(release)
    register(host, [Deb("ccm-kit", "1.0-1")])
    start(host, [{"package": [{"ccm-kit": {"ensure": "present"}}]}])
    host.run("dpkg --remove ccm-kit")
    wait_for(host, "dpkg-query -W ccm-kit")
