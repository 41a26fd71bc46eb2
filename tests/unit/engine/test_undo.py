# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random manifests are applied and undone: the tree is what it was, byte for byte, with owners and modes.

CCM_REVERSALS is the number of manifests.
"""

from __future__ import annotations

import json
import os
import random
import shutil

import pytest

from tests.patience import LIMIT, PATIENCE
from tests.seed import numbers

pytestmark = pytest.mark.starts_processes

REVERSALS = int(os.environ.get("CCM_REVERSALS", "40"))
MODES = ("0600", "0640", "0644", "0755", "0700")
CONTENTS = ("", "one\n", "two", "three\nlines\n\n", "\0binary\n")


class Trial:
    """A random tree, and manifests that change it."""

    def __init__(self, seed, directory, ccm, me):
        self.chance = random.Random(seed)
        self.ccm = ccm
        self.me = me
        self.directory = directory / str(seed)
        self.tree = self.directory / "tree"
        self.tree.mkdir(parents=True)
        self.source = self.directory / "source"
        (self.source / "sub").mkdir(parents=True)
        self.names = [self.tree / name for name in ("a", "b", "c", "d/e", "d/f/g", "s/one", "s/sub/two", "s/old")]

    def plant(self):
        """Make a tree; some of the paths exist, as files, directories or links."""
        for path in self.names:
            path.parent.mkdir(parents=True, exist_ok=True) if self.chance.random() < 0.8 else None
            if self.chance.random() < 0.6 and path.parent.is_dir():
                self.make(path)
        self.render()

    def make(self, path):
        kind = self.chance.random()
        if kind < 0.7:
            path.write_bytes(self.chance.choice(CONTENTS).encode())
        elif kind < 0.85:
            path.symlink_to(self.chance.choice(["nowhere", "/dev/null", "a"]))
        else:
            (path / "inside").mkdir(parents=True)
            (path / "inside/file").write_text("inside")
        if not path.is_symlink():
            path.chmod(int(self.chance.choice(MODES), 8) | 0o700)
            if os.geteuid() == 0:
                os.chown(path, self.chance.choice([0, 1234]), self.chance.choice([0, 4321]))

    def render(self):
        for name in ("one", "sub/two"):
            (self.source / name).write_text(self.chance.choice(CONTENTS[1:4]))

    def snapshot(self):
        found = {}
        for path in sorted(self.tree.rglob("*")):
            status = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path)] = (oct(status.st_mode), status.st_uid, status.st_gid, content)
        return found

    def resource(self, path):
        """Return a resource for a path that can be reversed."""
        if path.is_relative_to(self.tree / "s"):
            purge = self.chance.random() < 0.5
            properties = {"ensure": self.chance.choice(["present", "present", "absent"]), "purge": purge}
            return "scaffold", self.tree / "s", {**properties, "source": str(self.source)}
        kind = self.chance.random()
        if kind < 0.2:
            return "file", path, {"ensure": "absent", "force": True}
        owner = {"owner": self.me[0], "group": self.me[1], "mode": self.chance.choice(MODES)}
        if kind < 0.4:
            return "file", path, {"ensure": "directory", **owner}
        if kind < 0.5:
            return "file", path, {"ensure": "present", **owner}
        if kind < 0.6:
            made = f"{path}-made"
            command = {"command": f"touch {made}", "creates": made, "cwd": str(self.tree)}
            return "exec", path, {**command, "meta": {"undo": f"rm {made}"}}
        return "file", path, {"ensure": "present", "content": self.chance.choice(CONTENTS[:4]), **owner}

    def write(self, paths):
        resources = []
        for type, path, properties in {str(path): self.resource(path) for path in paths}.values():
            meta = {"meta": {"reverse": True}} if "meta" not in properties else {}
            resources.append({type: [{str(path): {**properties, **meta}}]})
        resources.append({"exec": [{"true": {"creates": "/"}}]})
        (self.directory / "m.yaml").write_text(json.dumps({"ccm": {"resources": resources}}))

    def run(self, *words):
        done = self.ccm(*words[:1], self.directory / "m.yaml", *words[1:])
        assert "Traceback" not in done.out + done.err
        return done

    def change(self):
        """Apply some manifests, and take some resources out."""
        paths = [path for path in self.names if self.chance.random() < 0.7]
        for _run in range(self.chance.randint(1, 3)):
            self.write(paths)
            self.run("apply", *self.chance.choice([(), ("--parallel", "2")]))
            self.render()
            paths = [path for path in paths if self.chance.random() < 0.8]

    def undo(self):
        """Undo all, by the command or because the manifest has nothing of it any more."""
        if self.chance.random() < 0.5:
            return self.run("undo")
        self.write([])
        return self.run("apply")


@pytest.mark.soak
@pytest.mark.timeout(LIMIT + PATIENCE * REVERSALS)
def test_all_is_as_before(ccm, tmp_path, me):
    wrong = []
    for seed in numbers(REVERSALS):
        trial = Trial(seed, tmp_path, ccm, me)
        trial.plant()
        before = trial.snapshot()
        trial.change()
        done = trial.undo()
        after = trial.snapshot()
        if before != after:
            differing = {path: (before.get(path), after.get(path)) for path in {*before, *after}}
            wrong.append((seed, {path: both for path, both in differing.items() if both[0] != both[1]}, done.out))
        shutil.rmtree(tmp_path / "home", ignore_errors=True)
        shutil.rmtree(trial.directory)
    assert wrong == []
