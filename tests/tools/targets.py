# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Say what a target of make will do to this system, and about how long it takes: targets.py [TARGET]

Without a target, say what each is for. Needs nothing but Python.
"""

from __future__ import annotations

import shutil
import subprocess
import sys

from tests.blocks import changed, pages_with
from tests.seed import SEED

from .running import ROOT
from .steps import TARGETS, names_of

# The programs that install packages of Debian, by the step that runs them: with --missing they print which.
INSTALLERS = {
    "roots": "extensions/molecule/hosts/base",
    "sanity": "tests/tools/sanity",
    "fresh-machine": "tests/fresh/run",
}
# Programs that the commands of the guides for developers install, each with its package of Debian.
IN_GUIDES = {"rpmbuild": "rpm"}
# Targets that run no steps.
OTHERS = {
    "format": "lay the Python files out as the lint wants them",
    "docs": "write what comes from the declarations: pages and schemas in docs/, the documentation of modules",
    "packages": "build the packages of the command, .deb and .rpm, in dist/",
    "changelog": "gather the fragments of the changelog into CHANGELOG.rst, for the version that make version wrote",
    "release": "build what a release publishes from the last commit into dist/ (docs/releasing.md)",
    "version": "make version VERSION=1.2.3 writes it where it stands",
    "clean": "remove everything that make made",
}


def missing(target: str) -> list[str]:
    """The packages of Debian that a target would install into this system."""
    steps = [name for name in names_of([target]) if name in INSTALLERS]
    found: dict[str, None] = {}
    for name in steps:
        asked = subprocess.run(
            [ROOT / INSTALLERS[name], "--missing"], capture_output=True, text=True, check=True, cwd=ROOT
        )
        found.update(dict.fromkeys(asked.stdout.split()))
    if runs_guides(target):
        found.update(dict.fromkeys(package for program, package in IN_GUIDES.items() if not shutil.which(program)))
    return list(found)


def runs_guides(target: str) -> bool:
    """Whether the commands of the guides for developers are run: all of them, or where a page was changed."""
    names = names_of([target])
    return "blocks" in names or ("tests-on-hosts" in names and any(map(changed, pages_with("sh clone"))))


def announced(target: str) -> str:
    """What is said before a target is made."""
    if target not in TARGETS:
        sys.exit(f"no such target: {target}; there are {', '.join(TARGETS)}")
    about = TARGETS[target]
    packages = missing(target)
    lines = [
        f"make {target}: {about['does']}.",
        f"Time on two quiet cores: {about['time']}. What is done once on a machine: {about['first']}.",
        f"Installed into this system, by apt-get: {', '.join(packages)}."
        if packages
        else "Nothing is installed into this system.",
    ]
    if target == "soak":
        lines.append(f"To repeat its choices: make soak SEED={SEED}")
    return "".join(line + "\n" for line in lines)


def overview() -> str:
    """What each target is for, with its time."""
    lines = [f"make {name:<12} {about['does']} ({about['time']})\n" for name, about in TARGETS.items()]
    return "".join(lines + [f"make {name:<12} {does}\n" for name, does in OTHERS.items()])


if __name__ == "__main__":
    sys.stdout.write(announced(sys.argv[1]) if len(sys.argv) > 1 else overview())
