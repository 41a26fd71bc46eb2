# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the files of the repository are in the site."""

from __future__ import annotations

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
BUILD = ROOT / "build/site"
SOURCE = BUILD / "source"
NAMES = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
    "CHANGELOG.rst": "changelog.rst",
}


def tracked(*patterns: str) -> list[str]:
    """The files of the repository, and those that will be: the ones that git does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def pages_of_the_repository() -> dict[str, str]:
    """The paths in the site of the files that are pages of it, by their paths in the repository."""
    places = dict(NAMES)
    for name in tracked("docs/*.md"):
        if not name.startswith("docs/examples/"):
            places[name] = name.removeprefix("docs/")
    for name in tracked("roles/*/README.md"):
        places[name] = f"roles/{name.split('/')[1]}.md"
    return places
