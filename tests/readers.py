# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who types the commands of the guides for developers, and the clone in which they run."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

from .clones import PROGRAMS, add_fragment, clone, git
from .tools import environment


class Reader:
    """A user with a home directory of its own, who has Ansible and molecule behind the programs of the system."""

    def __init__(self, home):
        self.home = home
        home.mkdir()
        (home / "bin").mkdir()
        (home / ".gitconfig").write_text("[user]\nname = a\nemail = a@localhost\n", encoding="utf-8")
        if not shutil.which("sudo"):
            (home / "bin/sudo").write_text('#!/bin/sh\n[ "$1" != -E ] || shift\nexec "$@"\n', encoding="utf-8")
            (home / "bin/sudo").chmod(0o755)
        kept = environment.clean(os.environ)
        self.environ = {name: value for name, value in kept.items() if not name.startswith("CCM_")}
        self.environ |= {name: os.environ[name] for name in ("CCM_TEST_ROOTS",) if name in os.environ}
        system = [place for place in os.environ["PATH"].split(":") if pathlib.Path(place) != PROGRAMS]
        self.environ |= {"HOME": str(home), "PATH": ":".join([*system, str(PROGRAMS), str(home / "bin")])}
        self.environ["DEBIAN_FRONTEND"] = "noninteractive"

    def run(self, script):
        """Run a script as its commands are typed, with answers to apt's questions; the output is in the failure."""
        (self.home / "apt.conf").write_text('APT::Get::Assume-Yes "true";\n', encoding="utf-8")
        done = subprocess.run(
            ["bash", "-c", script],
            env={**self.environ, "APT_CONFIG": str(self.home / "apt.conf")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def reader(tmp_path_factory):
    return Reader(tmp_path_factory.mktemp("reader") / "home")


@pytest.fixture(scope="session")
def own_clone(tmp_path_factory, reader):
    """A clone with its environments, a fragment of the changelog, and an origin to which nothing was pushed."""
    folder = clone(tmp_path_factory.mktemp("clone") / "ccm.core")
    add_fragment(folder)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "what was changed")
    git(folder, "init", "--quiet", "--bare", f"{folder}.git")
    git(folder, "remote", "set-url", "origin", f"{folder}.git")
    reader.run(f"cd {folder} && make .venv/.stamp .venv-run/.stamp")
    return folder
