# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clone of this checkout whose last commit is a release."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
VERSION = "9.8.7"
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
    config = ("-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false")
    return said_by("git", *config, *words, folder=folder)


@dataclasses.dataclass(frozen=True)
class Clone:
    """A clone with the files of this checkout, whose version was made as docs/releasing.md says."""

    folder: pathlib.Path

    def make_release(self, *options, umask=0o022, **variables):
        """Run what `make release` runs, with the Python of the tests."""
        program = [sys.executable, "-I", "tests/tools/environment.py", sys.executable, "-m", "tests.tools.release"]
        environ = {
            "PATH": f"{PROGRAMS}:/usr/bin:/bin",
            "HOME": str(self.folder),
            **variables,
        }
        said_by(*program, *options, folder=self.folder, env=environ, umask=umask)
        return {path.name: path.read_bytes() for path in (self.folder / "dist").iterdir()}


@pytest.fixture(scope="session")
def released(tmp_path_factory):
    """The clone, with its tag."""
    folder = tmp_path_factory.mktemp("released") / "ccm.core"
    git(ROOT, "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder))
    for name in git(ROOT, "ls-files", "-z", "--deleted").split("\0"):
        if name:
            (folder / name).unlink()
    for name in git(ROOT, "ls-files", "-z", "--modified", "--others", "--exclude-standard").split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    said_by(sys.executable, "tests/tools/version.py", VERSION, folder=folder)
    fragments = folder / "changelogs/fragments"
    if not list(fragments.glob("*.yml")):  # a release was made just now
        fragments.mkdir(exist_ok=True)
        (fragments / "news.yml").write_text("minor_changes: [ccm - a change]\n", encoding="utf-8")
    said_by("antsibull-changelog", "release", "--update-existing", folder=folder)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", f"release: {VERSION}")
    git(folder, "tag", f"v{VERSION}")
    return Clone(folder)
