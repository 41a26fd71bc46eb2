# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Root keeps its state in a directory of a user who exchanges it with a link again and again: no write follows it.

What is below the state belongs to root, so the user can exchange nothing there. CCM_LINK_SWAPS is the number of rounds,
each with an apply and an undo. The test prints how many runs had their state to the end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.unit.cli.state_attack.site import Site

pytestmark = [pytest.mark.needs("root"), pytest.mark.starts_processes]

SWAPS = int(os.environ.get("CCM_LINK_SWAPS", "4"))
PAUSES = [0, 0.001]
ROUNDS = -(-SWAPS // len(PAUSES))
USER = 65534
# Both names are exchanged by one call (RENAME_EXCHANGE), so each of them always exists. After two exchanges the state
# is in its place for $3 seconds.
ATTACK = """import ctypes, os, sys, time
exchange = ctypes.CDLL(None).renameat2
os.chdir(sys.argv[1]); os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
print("begun", flush=True)
while True:
    for _there_and_back in range(2):
        assert exchange(-100, b"state", -100, b"link", 2) == 0
    time.sleep(float(sys.argv[3]))
"""


def stamped(root):
    """Return what is below a directory, with what changes when anything is written."""
    found = {}
    for path in sorted([root, *root.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else None
        found[str(path)] = (status.st_ino, status.st_mode, status.st_uid, status.st_mtime_ns, content)
    return found


@pytest.mark.soak
@pytest.mark.parametrize("pause", PAUSES)
@pytest.mark.timeout(LIMIT + PATIENCE * SWAPS)
def test_no_write_follows_the_link(ccm, tmp_path, pause):
    for place in (tmp_path, *tmp_path.parents[:-1]):
        place.chmod(place.stat().st_mode | 0o111)
    site = Site(ccm, tmp_path / "site", 20)
    site.write(0)
    site.apply()
    # State of the same manifest, which a wrong write would change most easily.
    system = tmp_path / "system"
    shutil.copytree(site.state, system)
    (site.disk / "link").symlink_to(system)
    for path in (site.disk, site.disk / "link"):
        os.chown(path, USER, USER, follow_symlinks=False)
    before, usable = stamped(system), 0
    command = [sys.executable, "-c", ATTACK, str(site.disk), str(USER), str(pause)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as attacker:
        try:
            attacker.stdout.readline()
            for generation in range(1, ROUNDS + 1):
                site.write(generation)
                for words in (("apply", site.manifest), ("undo", site.manifest)):
                    _status, said = site.ccm(*words)
                    usable += not ("Going on without state" in said or "ccm: error" in said)
                    assert stamped(system) == before
            assert attacker.poll() is None
        finally:
            attacker.kill()
    print(f"{2 * ROUNDS} runs, {usable} of them had their state to the end")
