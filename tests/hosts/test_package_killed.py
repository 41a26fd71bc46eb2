# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that manage packages, killed or ended by a signal alone or with all that they started: the next run converges.

How many left packages that are there only in part is printed.
"""

from __future__ import annotations

import json
import time

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.kills import KILLS

from .aptrepo import Deb, register

COUNT = KILLS // 4 + 1
CONTENT = {f"/srv/ccm-large/{number}": "large" * 20000 for number in range(60)}
DEBS = [
    *(Deb("ccm-conf", version, conffiles={"/etc/ccm.conf": f"{version}\n"}) for version in ("1.0-1", "2.0-1")),
    *(Deb("ccm-large", version, files=CONTENT) for version in ("1.0-1", "2.0-1")),
    *(Deb("ccm-slow", version, depends="ccm-conf", postinst="sleep 0.2") for version in ("1.0-1", "2.0-1")),
]
NAMES = sorted({deb.name for deb in DEBS})
#: What is wanted of all packages, in this order; and the version that is there then. `present` follows `absent`.
WANTED = [("absent", None), ("1.0-1", "1.0-1"), ("latest", "2.0-1"), ("absent", None), ("present", "2.0-1")]
#: What the run after a killed one may want instead: either leads to the same packages from anywhere.
OTHERS = [("latest", "2.0-1"), ("absent", None)]
SIGNALS = ["KILL", "TERM", "INT", "HUP", "QUIT"]
# $1 the signal, $2 whom: "alone", or "all" that runs in the scope; $3 how many seconds after $4: "start", or "unpack",
# when dpkg has written to its log. Prints the status of ccm.
ENDED = """
import os, subprocess, sys, time
number, whom, seconds, begin = sys.argv[1:]
logged = os.path.getsize("/var/log/dpkg.log")
command = ["ccm", "apply", "packages.json", "--no-report"]
if whom == "all":
    command = ["systemd-run", "--scope", "--quiet", "--unit=killed", "--collect", *command]
process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while begin == "unpack" and process.poll() is None and os.path.getsize("/var/log/dpkg.log") == logged:
    time.sleep(0.001)
time.sleep(float(seconds))
if whom == "all":
    subprocess.run(["systemctl", "kill", "--signal", number, "killed.scope"], stderr=subprocess.DEVNULL)
elif process.poll() is None:
    subprocess.run(["kill", "-" + number, str(process.pid)])
print(process.wait())
while subprocess.run(["pgrep", "-x", "apt-get|dpkg"], stdout=subprocess.DEVNULL).returncode == 0:
    time.sleep(0.01)  # a package manager goes on without ccm, and what comes of it is not there before it ends
"""


def versions(host):
    """The version of each package that dpkg has heard of and that is not removed, by name; its state if it is odd."""
    found = host.run("dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n' 'ccm-*'", check=False).stdout
    states = [line.split(" ") for line in found.splitlines()]
    odd = [state for state in states if state[-1] not in ("installed", "config-files", "not-installed")]
    return {name: version for name, version, status in states if status == "installed"}, odd


def write(host, ensure):
    """Write the manifest that wants this of all packages."""
    resources = [{"package": [{name: {"ensure": ensure}}]} for name in NAMES]
    host.write("/root/packages.json", json.dumps({"ccm": {"resources": resources}}))


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
def test_no_moment_keeps_the_next_run_from_converging(bookworm):
    register(bookworm, DEBS)
    bookworm.write("/root/ended.py", ENDED)
    drawn = chance("packages")
    turn = ended = partial = 0
    longest = 2.0
    while ended < COUNT:
        ensure, version = WANTED[turn % len(WANTED)]
        turn += 1
        write(bookworm, ensure)
        number, whom = drawn.choice(SIGNALS), drawn.choice(["alone", "all"])
        since, seconds = ("start", drawn.uniform(0.1, longest)) if turn % 2 else ("unpack", drawn.uniform(0, 0.3))
        done = bookworm.run(["python3", "ended.py", number, whom, f"{seconds:.3f}", since])
        ended += done.stdout != "0\n"
        partial += bool(versions(bookworm)[1])
        if drawn.random() < 0.3:
            ensure, version = drawn.choice(OTHERS)
            write(bookworm, ensure)
        begin = time.monotonic()
        bookworm.run(["ccm", "apply", "packages.json", "--no-report"])
        longest = max(0.5, (longest + time.monotonic() - begin) / 2)
        wanted = dict.fromkeys(NAMES, version) if version else {}
        assert versions(bookworm) == (wanted, []), (ensure, number, whom)
        assert bookworm.run("dpkg --audit; find /srv /etc /usr/share -name '*.dpkg-*'").stdout == ""
        again = bookworm.run(["ccm", "apply", "packages.json", "--no-report"])
        assert again.stdout.count("stable") == len(NAMES), again.stdout
    print(f"{ended} ended in {turn} runs, {partial} left packages that are there only in part")
