# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scaffold killed at any step: no file is partial, and the next run completes all files.

The test prints how many kills came between the first and the last file. Two runs at once are tested half as often.
"""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import chance
from tests.unit.kills import ARE_MANY, KILLS, KilledRun, kill_before, spread, steps_of

pytestmark = pytest.mark.starts_processes

FILES = 150 if ARE_MANY else 24
# More than is written at once.
FILLER = "all work and no play\n" * 1500


class Tree(KilledRun):
    """A scaffold of many files; every second file exists with other content and another mode."""

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

    def outcome(self):
        return self.last_line().split()[2]

    def new(self):
        """Return the number of complete new files. Each visible file must be complete: the old one or the new one."""
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
        return [name for folder in folders for name in os.listdir(folder) if ".ccm-" in name]


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
@pytest.mark.parametrize("post", [False, True])
def test_a_kill_at_any_moment_leaves_no_partial_file(tmp_path, post):
    tree = Tree(tmp_path, post)
    tree.reset()
    begin = time.monotonic()
    steps = steps_of(tree.words, env=tree.environment)
    whole = time.monotonic() - begin
    assert tree.new() == FILES
    first = steps.index("os.rename") + 1
    last = len(steps) - steps[::-1].index("os.rename")
    drawn = chance("scaffold", post)
    # A third of them anywhere, the others between the first and the last file.
    anywhere = spread(drawn, KILLS - KILLS * 2 // 3, 1, len(steps))
    between = 0
    for turn, step in enumerate([*anywhere, *spread(drawn, KILLS * 2 // 3, first + 1, last)]):
        tree.reset()
        if ARE_MANY and turn % 3 == 0:
            tree.kill_after(drawn.uniform(0, whole))
        else:
            kill_before(step, tree.words, env=tree.environment)
        new, leftovers = tree.new(), tree.leftovers()
        between += 0 < new < FILES
        assert tree.outcome() == ("stable" if new == FILES and not leftovers else "changed")
        assert tree.new() == FILES
        assert sorted(os.listdir(tree.target / "sub")) == sorted(n[4:] for n in tree.wanted if n.startswith("sub/"))
        assert not tree.leftovers()
        assert tree.outcome() == "stable"
    print(f"{KILLS} killed, {between} between the first and the last file")
    assert between >= KILLS // 3


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * KILLS)
def test_two_runs_that_purge_do_not_remove_files_of_each_other(tmp_path):
    tree = Tree(tmp_path, post=False)
    for _round in range(KILLS // 2 + 1):
        tree.reset()
        (tree.target / "purged").write_text("old")
        runs = [tree.start(subprocess.PIPE) for _run in range(2)]
        outputs = [run.communicate()[0] for run in runs]
        assert ["ERROR" in output for output in outputs] == [False, False], outputs
        assert (tree.new(), tree.leftovers(), (tree.target / "purged").exists()) == (FILES, [], False)
