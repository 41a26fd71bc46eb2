# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions whose store cannot be used."""

from __future__ import annotations

import os

from ccm.cli.main import main


def test_a_store_that_cannot_be_read(tmp_path, monkeypatch, capsys):
    store = tmp_path / "session"
    store.mkdir()

    def refuse(path):
        raise PermissionError(13, "Permission denied", path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "listdir", refuse)
        main(["session", "report", "--session", str(store)])
    assert f"session store {store} cannot be read: " in capsys.readouterr().err
