# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The copy that is kept of a replaced file."""

from __future__ import annotations

import errno
import os
import stat

import pytest
from ccm.host.machine import Machine
from ccm.model.errors import ResourceFailed
from ccm.resources.file.replacement import Replacement
from ccm.resources.file.type import FileProperties, FileState


@pytest.mark.parametrize(
    ("name", "number", "text"),
    [
        ("open", errno.EROFS, "open {}: read-only file system"),
        ("close", errno.EDQUOT, "could not close temporary file: close {}: disk quota exceeded"),
        ("chmod", errno.EPERM, "chmod {}: operation not permitted"),
        pytest.param("chown", errno.EPERM, "chown {}: operation not permitted", marks=pytest.mark.needs("root")),
    ],
)
def test_a_failed_copy_is_reported_and_removed(tmp_path, monkeypatch, name, number, text):
    path, real = tmp_path / "managed", getattr(os, name)
    path.write_text("old", encoding="utf-8")
    if name == "chown":
        os.chown(path, 54321, 54321)

    def failing(target, *arguments, **options):
        if name == "open" and not str(target).endswith(".ccm-new"):
            return real(target, *arguments, **options)
        if name == "close":
            found = os.fstat(target)
            real(target)
            if not stat.S_ISREG(found.st_mode) or os.path.samestat(found, path.stat()):
                return None
        raise OSError(number, "")

    properties = FileProperties({"name": str(path), "ensure": "present", "validation": "", "backup": True})
    state = FileState(str(path), "present")
    with monkeypatch.context() as patch, pytest.raises(ResourceFailed) as caught:
        patch.setattr(os, name, failing)
        Replacement(Machine(), properties, state).prepare(str(tmp_path / "new"))
    said = str(caught.value)
    moment = said.rpartition("~")[0].rpartition(".")[2]
    assert "backup could not be made: " + text.format(f"{path}.{os.getpid()}.{moment}~") in said
    assert (state.backup_file, os.listdir(tmp_path)) == ("", ["managed"])
