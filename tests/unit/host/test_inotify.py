# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said where the kernel gives no descriptor for watches."""

from __future__ import annotations

import ctypes
import errno
import types

import pytest
from ccm.host.errors import HostError
from ccm.host.inotify import Inotify


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            errno.EMFILE,
            "cannot watch files: too many open files: no inotify instance or descriptor is left, see"
            " fs.inotify.max_user_instances",
        ),
        (errno.ENOMEM, "cannot watch files: cannot allocate memory"),
    ],
)
def test_why_there_is_no_descriptor(monkeypatch, number, message):
    """The number of instances of a user is counted for all of his processes."""

    def fail(_flags):
        ctypes.set_errno(number)
        return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda *_given, **_more: types.SimpleNamespace(inotify_init1=fail))
    with pytest.raises(HostError, match=f"^{message}$"):
        Inotify()
