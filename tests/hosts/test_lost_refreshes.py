# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs killed at random moments that change files and packages which a service and a command subscribe to.

After one further run the service runs with the configuration that is there, and the command ran after the package was
changed last. Where runs keep no state, refreshes are lost: the same kills show that the test can find them.
"""

from __future__ import annotations

import json

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.kills import KILLS

from .aptrepo import Deb, register

COUNT = KILLS // 4 + 1
VERSIONS = ("1.0-1", "2.0-1")
UNIT = """
[Service]
ExecStartPre=/bin/sh -c 'cat /etc/kit.conf >> /var/log/kit.log'
ExecStart=/bin/sleep infinity
[Install]
WantedBy=multi-user.target
"""
NOTE = "sh -c 'dpkg-query -W ccm-kit >> /var/log/version.log'"
# $1 how many seconds after its start ccm is killed, the rest its arguments. Prints the status and how long it ran.
KILLED = """
import subprocess, sys, time
started = time.monotonic()
process = subprocess.Popen(["ccm", *sys.argv[2:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    process.wait(float(sys.argv[1]))
except subprocess.TimeoutExpired:
    process.kill()
print(process.wait(), time.monotonic() - started)
while subprocess.run(["pgrep", "-x", "apt-get|dpkg"], stdout=subprocess.DEVNULL).returncode == 0:
    time.sleep(0.01)  # a package manager goes on without ccm; the next run would wait for its lock
"""


def write(host, generation):
    """Write the manifest of a generation: another configuration, and another version of the package."""
    conf = {"ensure": "present", "content": f"{generation}\n", "owner": "root", "group": "root", "mode": "0644"}
    noted = {"command": NOTE, "refreshonly": True, "subscribe": ["package#ccm-kit"]}
    resources = [
        {"file": [{"/etc/kit.conf": conf}]},
        {"package": [{"ccm-kit": {"ensure": VERSIONS[generation % 2]}}]},
        {"service": [{"kit": {"ensure": "running", "subscribe": ["file#/etc/kit.conf"]}}]},
        {"exec": [{"note": noted}]},
    ]
    host.write("/root/kit.json", json.dumps({"ccm": {"resources": resources}}))


def last_line(host, path):
    return host.run(["tail", "-n", "1", path]).stdout.strip()


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
@pytest.mark.parametrize("flags", [[], ["--no-state"]], ids=["state", "no state"])
def test_no_kill_loses_the_refresh_of_a_service_or_a_command(booted, flags):
    host = booted("bookworm")
    register(host, [Deb("ccm-kit", version) for version in VERSIONS])
    host.write("/etc/systemd/system/kit.service", UNIT)
    host.write("/root/killed.py", KILLED)
    apply = ["apply", "kit.json", "--no-report", *flags]
    write(host, 0)
    host.run(["ccm", *apply])
    drawn = chance("refreshes of services", *flags)
    killed = lost = 0
    # How many seconds a whole run takes on this machine, the shortest so far: the first one is not killed.
    whole = float("inf")
    for generation in range(1, COUNT + 2):
        write(host, generation)
        moment = drawn.uniform(0.1, 1) * whole if generation > 1 else 60.0
        status, seconds = host.run(["python3", "killed.py", f"{moment:.3f}", *apply]).stdout.split()
        if status == "-9":
            killed += 1
        else:
            whole = min(whole, float(seconds))
        # A service that systemd restarts too often does not start: the test is not about that.
        host.run("systemctl reset-failed kit; true")
        host.run(["ccm", *apply])
        lost += last_line(host, "/var/log/kit.log") != str(generation)
        lost += last_line(host, "/var/log/version.log").split()[-1] != VERSIONS[generation % 2]
        assert host.run("systemctl is-active kit").stdout == "active\n"
    again = host.run(["ccm", *apply])
    assert again.stdout.count(" stable ") == 4, again.stdout
    print(f"{COUNT + 1} runs, {killed} of them killed, {lost} refreshes lost")
    assert killed
    assert lost == 0 if not flags else lost > 0 or killed < 20
