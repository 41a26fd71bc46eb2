# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scaffold killed at random moments: nobody ever sees half a file, and the next run makes all of it good.

CCM_KILLS is how often, 12 when it is not set. How many of them came between the first and the last file is printed.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

import pytest

KILLS = int(os.environ.get("CCM_KILLS", "12"))
FILES = 150
FILLER = "all work and no play\n" * 1500


class Tree:
    """A scaffold of many files, of which every other one is there already, with other content and another mode."""

    def __init__(self, directory, post):
        self.target = directory / "out"
        self.manifest = directory / "m.yaml"
        source = directory / "src"
        for folder in (source / "sub", directory / "tmp"):
            folder.mkdir(parents=True)
        self.wanted = {}
        for number in range(FILES):
            name = f"sub/f{number:03}" if number % 3 == 0 else f"f{number:03}"
            (source / name).write_text(f"[[ data.word ]] {number}\n{FILLER}end")
            self.wanted[name] = f"new {number}\n{FILLER}end"
        extra = ", post: [{'f000': 'chmod 0600'}]" if post else ""
        entry = f"{{ensure: present, source: {source}, purge: true, data: {{word: new}}{extra}}}"
        self.manifest.write_text(f"ccm: {{resources: [{{scaffold: [{{{self.target}: {entry}}}]}}]}}\n")
        self.environment = {**os.environ, "TMPDIR": str(directory / "tmp")}

    def reset(self):
        subprocess.run(["rm", "-rf", str(self.target)], check=True)
        (self.target / "sub").mkdir(parents=True)
        for number, name in enumerate(self.wanted):
            if number % 2:
                (self.target / name).write_text("old")

    def command(self):
        return [sys.executable, "-m", "ccm.cli", "apply", str(self.manifest), "--no-report"]

    def start(self):
        return subprocess.Popen(self.command(), env=self.environment, stdout=subprocess.DEVNULL)

    def outcome(self):
        done = subprocess.run(self.command(), env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1].split()[2]

    def new(self):
        """How many files are as they will be. Every file under its own name is whole: the old one or the new one."""
        new = 0
        for name, text in self.wanted.items():
            path = self.target / name
            if path.exists():
                found = path.read_text()
                assert found in ("old", text), f"{name} is cut at {len(found)} characters"
                assert path.stat().st_mode & 0o777 in (0o644, 0o600)
                new += found == text
        return new

    def leftovers(self):
        folders = (self.target, self.target / "sub")
        return [name for folder in folders for name in os.listdir(folder) if name.startswith(".scaffold-tmp-")]

    def has_begun(self):
        return bool(self.leftovers()) or (self.target / "f001").stat().st_size > 3


@pytest.mark.timeout(60 + 20 * KILLS)
@pytest.mark.parametrize("post", [False, True])
def test_no_moment_leaves_half_a_file(tmp_path, post):
    tree = Tree(tmp_path, post)
    tree.reset()
    begin = time.monotonic()
    tree.start().wait()
    whole = time.monotonic() - begin
    assert tree.new() == FILES
    chance = random.Random(FILES)
    between = killed = 0
    for turn in range(KILLS):
        tree.reset()
        process = tree.start()
        if turn % 3 == 0:
            time.sleep(chance.uniform(0, whole))
        else:
            while process.poll() is None and not tree.has_begun():
                time.sleep(0.0005)
            time.sleep(chance.uniform(0, 0.02))
        process.kill()
        process.wait()
        killed += process.returncode == -9
        new, leftovers = tree.new(), tree.leftovers()
        between += 0 < new < FILES
        assert tree.outcome() == ("stable" if new == FILES and not leftovers else "changed")
        assert tree.new() == FILES
        assert sorted(os.listdir(tree.target / "sub")) == sorted(n[4:] for n in tree.wanted if n.startswith("sub/"))
        assert not tree.leftovers()
        assert tree.outcome() == "stable"
    print(f"{killed} killed, {between} between the first and the last file")
    assert between >= KILLS // 3
