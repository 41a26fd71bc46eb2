# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of accounts: which of them may be missing, and which error has the others."""

from __future__ import annotations

import errno
import os

import pytest
from ccm.host.account_database import AccountDatabase
from ccm.host.errors import HostError


@pytest.fixture
def failing(monkeypatch):
    """Call it with a path and a number: looking at the path fails with this error."""
    stat = os.stat

    def fail(path, number):
        def stat_or_fail(given, *more, **named):
            if given == path:
                raise OSError(number, os.strerror(number), path)
            return stat(given, *more, **named)

        monkeypatch.setattr("ccm.host.account_database.os.stat", stat_or_fail)

    return fail


def test_a_missing_file(failing):
    failing("/etc/passwd", errno.ENOENT)
    with pytest.raises(HostError, match=r"^open /etc/passwd: no such file or directory$"):
        AccountDatabase().user("root")
    failing("/etc/group", errno.ENOENT)
    assert AccountDatabase().group("root") is None


@pytest.mark.parametrize("name", ["passwd", "group"])
def test_a_file_that_cannot_be_looked_at(failing, name):
    failing(f"/etc/{name}", errno.ELOOP)
    with pytest.raises(HostError, match=rf"^stat /etc/{name}: too many levels of symbolic links$"):
        getattr(AccountDatabase(), {"passwd": "user", "group": "group"}[name])("root")
