# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Root manages files below a directory of a user who replaces a directory by a link again and again.

CCM_RACES is the number of replacements, 25 by default. The test prints how many resources succeeded and were refused.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.unit.host.archives.test_unpack import tar
from tests.unit.host.test_http import server

__all__ = ["server"]  # a fixture
pytestmark = [pytest.mark.needs("root", "http")]

RACES = int(os.environ.get("CCM_RACES", "25"))
USER = 54321
# The two names are exchanged atomically (RENAME_EXCHANGE), so each of them always exists.
ATTACK = """import ctypes, os, sys
exchange = ctypes.CDLL(None).renameat2
os.chdir(sys.argv[1]); os.setgroups([]); os.setgid(int(sys.argv[2])); os.setuid(int(sys.argv[2]))
print("begun", flush=True)
while True:
    assert exchange(-100, b"app", -100, b"evil", 2) == 0
"""


class Home:
    """The home of the user, the managed files, and a similar directory of root, which must not change."""

    def __init__(self, directory, url):
        self.path, self.system = directory / "home", directory / "system"
        self.path.mkdir()
        self.system.mkdir()
        (self.path / "app").mkdir()
        (self.path / "evil").symlink_to(self.system)
        for name in ("", "app", "evil"):
            os.chown(self.path / name, USER, USER, follow_symlinks=False)
        self.app = os.open(self.path / "app", os.O_PATH)
        self.manifest = directory / "m.yaml"
        (directory / "templates").mkdir()
        (directory / "templates/f").write_text("rendered")
        app = self.path / "app"
        owner = "owner: root, group: root"
        entries = [
            f"file: [{{{app}/f: {{ensure: present, content: new, mode: '0600', {owner}}}}}]",
            f"file: [{{{app}/attributes: {{ensure: present, mode: '0604', owner: '{USER}', group: root}}}}]",
            f"file: [{{{app}/d/deep: {{ensure: directory, mode: '0705', {owner}}}}}]",
            f"file: [{{{app}/gone: {{ensure: absent}}}}]",
            f"file: [{{{app}/empty: {{ensure: absent}}}}]",
            f"file: [{{{app}/tree: {{ensure: absent, force: true}}}}]",
            f"scaffold: [{{{app}/s: {{ensure: present, source: {directory}/templates, purge: true}}}}]",
            f"scaffold: [{{{app}/absent: {{ensure: absent, source: {directory}/templates}}}}]",
            f"archive: [{{{app}/a.tar: {{ensure: present, url: '{url}', extract_parent: {app}/x, {owner}}}}}]",
            f"archive: [{{{app}/b.tar: {{ensure: present, url: '{url}', extract_parent: {app}/y, cleanup: true,"
            f" creates: {app}/y/f, {owner}}}}}]",
            f"archive: [{{{app}/c.tar: {{ensure: absent, url: '{url}', {owner}}}}}]",
        ]
        self.count = len(entries)
        self.manifest.write_text(f"ccm: {{resources: [{', '.join('{' + entry + '}' for entry in entries)}]}}\n")
        self.fill(self.system)
        self.before = self.snapshot()

    def reset(self):
        real = f"/proc/self/fd/{self.app}"
        for name in os.listdir(real):
            path = f"{real}/{name}"
            shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
        self.fill(real)

    @staticmethod
    def fill(place):
        for name in ("empty", "tree/deep", "s", "absent"):
            os.makedirs(f"{place}/{name}")
        for name in ("attributes", "gone", "tree/f", "s/purged", "absent/f", "c.tar"):
            with open(f"{place}/{name}", "w", encoding="utf-8") as file:
                file.write("old")

    def snapshot(self):
        found = []
        for path in sorted(self.system.rglob("*")):
            state = path.lstat()
            found.append((str(path), state.st_mode, state.st_uid, state.st_gid, path.is_dir() or path.read_text()))
        return found


@pytest.fixture
def home(server, tmp_path):
    with open(tar(tmp_path / "served.tar", [("f", "x"), ("d/g", "y")]), "rb") as file:
        server.paths["/a.tar"] = file.read()
    for place in (tmp_path, *tmp_path.parents[:-1]):
        place.chmod(place.stat().st_mode | 0o111)
    found = Home(tmp_path, server.url("/a.tar"))
    yield found
    os.close(found.app)


@pytest.mark.starts_processes
@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * RACES)
def test_root_does_not_follow_the_link(ccm, home):
    succeeded = 0
    begin = time.monotonic()
    command = [sys.executable, "-c", ATTACK, str(home.path), str(USER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as attacker:
        try:
            attacker.stdout.readline()
            for _race in range(RACES):
                home.reset()
                succeeded += sum(line.startswith(" WARN ") for line in ccm("apply", home.manifest).out.splitlines())
                assert home.snapshot() == home.before
            assert attacker.poll() is None
        finally:
            attacker.kill()
    print(f"{RACES} runs, {succeeded} of {home.count * RACES} changed, {time.monotonic() - begin:.1f} s")
    assert 0 < succeeded < home.count * RACES


def test_releases_that_a_user_links_to_are_managed(ccm, home):
    """The same manifest with a link to a directory of the same user."""
    home.reset()
    os.rename(home.path / "app", home.path / "release-7")
    (home.path / "app").symlink_to("release-7")
    os.chown(home.path / "app", USER, USER, follow_symlinks=False)
    ran = ccm("apply", home.manifest)
    assert "ERROR" not in ran.out + ran.err
    assert (home.path / "release-7/y/f").read_text() == "x"
    assert os.listdir(home.path / "release-7/s") == ["f"]


def test_a_link_to_another_owner_is_named(ccm, home):
    os.rename(home.path / "app", home.path / "real")
    os.rename(home.path / "evil", home.path / "app")
    ran = ccm("apply", home.manifest)
    refusal = f"{home.path}/app is a symbolic link of {USER} and leads to {home.system}"
    assert ran.out.count(refusal) == home.count, ran.out
    assert home.snapshot() == home.before
