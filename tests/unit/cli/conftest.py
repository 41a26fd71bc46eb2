# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as people call it, in this process: `ccm("apply", "m.yaml")`."""

from __future__ import annotations

import io
import os
import sys

import pytest
from ccm.cli.main import main


class Ran:
    """What one call left: exit status and both outputs as text."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err


@pytest.fixture
def ccm(capsys, monkeypatch, tmp_path):
    """Call the command in a directory of its own, without the caller's variables."""
    for name in list(os.environ):
        if name.startswith(("CCM_", "HIERA_", "NATS_", "NO_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        status = main([str(word) for word in words])
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def me():
    """The names of the user and the group that run the tests."""
    import grp
    import pwd

    return pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
