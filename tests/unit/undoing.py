# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest whose changes are undone, and a tree of files that it changes."""

from __future__ import annotations

import json
import os
import re

REVERSE = {"meta": {"reverse": True}}


class Site:
    """A directory with a manifest, and a tree of files that the manifest changes."""

    def __init__(self, ccm, directory, me):
        self.ccm = ccm
        self.manifest = directory / "m.yaml"
        self.tree = directory / "tree"
        self.tree.mkdir()
        self.owner = {"owner": me[0], "group": me[1], "mode": "0600", "ensure": "present"}

    def path(self, name):
        return self.tree / name

    def file(self, name, **properties):
        """Return a file of the tree whose change can be undone."""
        content = {} if "source" in properties or properties.get("ensure") else {"content": "new\n"}
        return {"file": [{str(self.path(name)): {**self.owner, **content, **REVERSE, **properties}}]}

    def write(self, *resources, **others):
        self.manifest.write_text(json.dumps({"ccm": {"resources": list(resources), **others}}))

    def apply(self, *resources, words=(), **others):
        """Write the manifest, unless there are no resources, and apply it; return the lines without times."""
        if resources:
            self.write(*resources, **others)
        return lines(self.ccm("apply", self.manifest, "--no-report", *words))

    def undo(self, *words):
        return self.ccm("undo", self.manifest, *words)

    def snapshot(self):
        found = {}
        for path in sorted(self.tree.rglob("*")):
            status = path.lstat()
            content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
            found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, content)
        return found


def lines(ran):
    assert ran.status == 0, ran
    return [re.sub(r" runtime=\S+| since \S+Z", "", line).strip() for line in ran.out.splitlines()][1:]


NOOP = ({"exec": [{"true": {"creates": "/"}}]},)


def directory_of(site):
    (directory,) = (site.manifest.parent / "home/state/manifests").iterdir()
    return directory


def write_child(site, name, *resources):
    (site.manifest.parent / name).write_text(json.dumps({"ccm": {"resources": [*resources, *NOOP]}}))
