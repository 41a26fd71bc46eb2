# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clones of this checkout with the files that it has now, changed and new ones too."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

from .tools.running import ROOT

PROGRAMS = pathlib.Path(sys.executable).parent


def said_by(*words, folder, **options):
    """The output of a command; a failure has the output in its message."""
    options.setdefault("env", {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"})
    done = subprocess.run(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )
    assert done.returncode == 0, f"{words[0]}: {done.stdout}"
    return done.stdout


def git(folder, *words):
    """The output of git, with an author for its commits."""
    config = ("-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false")
    return said_by("git", *config, *words, folder=folder)


def clone(folder):
    """Make a clone at a path that does not exist; what was changed since the last commit is not committed in it."""
    git(ROOT, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder))
    for name in git(ROOT, "ls-files", "-z", "--deleted").split("\0"):
        if name:
            (folder / name).unlink()
    for name in git(ROOT, "ls-files", "-z", "--modified", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def add_fragment(folder):
    """Give a clone a fragment of the changelog, where a release was made just now and took all of them."""
    fragments = folder / "changelogs/fragments"
    if not list(fragments.glob("*.yml")):
        fragments.mkdir(exist_ok=True)
        text = "# SPDX-License-Identifier: GPL-3.0-or-later\nminor_changes: [ccm - a change]\n"
        (fragments / "news.yml").write_text(text, encoding="utf-8")
