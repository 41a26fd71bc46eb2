# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes to open files of which the system takes only a part."""

from __future__ import annotations

import os

import pytest
from ccm.host.descriptors import write_all, write_bytes
from ccm.host.errors import SystemCallError

DATA = bytes(range(10))


@pytest.mark.parametrize("data", [DATA, memoryview(b"--" + DATA)[2:]], ids=["bytes", "view"])
def test_all_is_written_in_pieces_that_are_not_copied(tmp_path, monkeypatch, data):
    def write_short(fd, piece):
        pieces.append(piece)
        return write(fd, piece[:4])

    pieces, write = [], os.write
    monkeypatch.setattr(os, "write", write_short)
    fd = os.open(tmp_path / "x", os.O_WRONLY | os.O_CREAT)
    try:
        write_bytes(fd, data)
    finally:
        os.close(fd)
    assert (tmp_path / "x").read_bytes() == DATA
    assert [len(piece) for piece in pieces] == [10, 6, 2]
    assert {id(piece.obj) for piece in pieces} == {id(memoryview(data).obj)}


@pytest.mark.parametrize("place", ["/var/cache/ccm/sources/ab.json", "standard input"])
def test_what_cannot_be_written_is_named(tmp_path, place):
    (tmp_path / "x").touch()
    fd = os.open(tmp_path / "x", os.O_RDONLY)
    try:
        with pytest.raises(SystemCallError, match=rf"^write {place}: bad file descriptor$"):
            write_all(fd, DATA, place)
    finally:
        os.close(fd)
