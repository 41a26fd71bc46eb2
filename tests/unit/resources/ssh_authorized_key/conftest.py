# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user who exists only in these tests."""

from __future__ import annotations

import os
import pwd

import pytest
from ccm.host import user_files
from ccm.resources.ssh_authorized_key import facets, posix


class Home:
    """The home of a user who has the number of who runs the tests."""

    def __init__(self, folder):
        self.path = folder / "alice"
        self.keys = self.path / ".ssh/authorized_keys"
        self.number = os.getuid()

    def account(self, name):
        if name == "homeless":
            return pwd.struct_passwd((name, "x", self.number, os.getgid(), "", "", ""))
        known = name == "alice"
        return pwd.struct_passwd((name, "x", self.number, os.getgid(), "", str(self.path), "")) if known else None

    def write(self, content):
        self.keys.parent.mkdir(mode=0o700, exist_ok=True)
        self.keys.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.keys.chmod(0o600)

    def read(self):
        return self.keys.read_bytes()


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home below a directory that others may write to, where sshd would not look any more; no group is private."""
    home = Home(tmp_path)
    home.path.mkdir(mode=0o755)
    for module in (posix, facets):
        monkeypatch.setattr(module, "user", home.account)
    monkeypatch.setattr(user_files, "os_family", lambda: "")
    return home
