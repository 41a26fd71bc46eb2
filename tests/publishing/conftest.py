# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clone of this checkout whose last commit is a release."""

from __future__ import annotations

import dataclasses
import pathlib
import sys

import pytest

from tests.clones import PROGRAMS, add_fragment, clone, git, said_by

VERSION = "9.8.7"


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
    clone(folder)
    said_by(sys.executable, "tests/tools/version.py", VERSION, folder=folder)
    add_fragment(folder)
    said_by("antsibull-changelog", "release", "--update-existing", folder=folder)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", f"release: {VERSION}")
    git(folder, "tag", f"v{VERSION}")
    return Clone(folder)
