# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What unit tests share: programs that only pretend, logs that are kept, and being nobody special."""

from __future__ import annotations

import errno
import importlib
import os

import pytest
from ccm.model.log import Log

from .layout import parts_of, sources


class Lines(Log):
    """A log that keeps its lines: the messages in `seen`, their fields in `fields`."""

    def __init__(self):
        self.seen = []
        self.fields = []

    def write(self, level, message, fields):
        self.seen.append(message)
        self.fields.append(dict(fields))


@pytest.fixture
def lines():
    """A log that keeps its lines."""
    return Lines()


@pytest.fixture
def pretend(tmp_path, monkeypatch):
    """Put a program of the shell before all others: pretend("dnf", "exit 1"); `$0` is a path in a folder of its own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(name, text=""):
        program = folder / name
        program.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        program.chmod(0o755)
        return program

    return make


def import_all():
    """Import what the package imports only when needed: a user who may not read the checkout cannot do it later."""
    importlib.import_module("jinja2.sandbox")
    for path in sources():
        if path.stem != "__main__":
            importlib.import_module(".".join(("ccm", *parts_of(path))))


@pytest.fixture
def as_nobody(tmp_path):
    """Call to be nobody special for the rest of a test, who may reach tmp_path: root may do anything anywhere."""
    former = os.geteuid()

    def become():
        if former == 0:
            import_all()
            for folder in (tmp_path, *tmp_path.parents[:-1]):
                folder.chmod(folder.stat().st_mode | 0o111)
            os.seteuid(65534)

    yield become
    os.seteuid(former)


@pytest.fixture
def other_file_systems(monkeypatch):
    """Every directory is on a file system of its own: nothing can be renamed into another one but to one above."""
    rename = os.rename

    def elsewhere(source, target, *, src_dir_fd=None, dst_dir_fd=None):
        places = [os.readlink(f"/proc/self/fd/{fd}") for fd in (src_dir_fd, dst_dir_fd)]
        if os.path.commonpath(places) != places[1]:
            raise OSError(errno.EXDEV, "")
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", elsewhere)


@pytest.fixture
def renaming_gives_away(monkeypatch):
    """Renaming gives files to the caller and changes their modes, as some file systems do."""
    rename = os.rename

    def given(source, target, *, src_dir_fd=None, dst_dir_fd=None):
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        os.chown(target, os.geteuid(), os.getegid(), dir_fd=dst_dir_fd, follow_symlinks=False)
        if not os.path.islink(target if dst_dir_fd is None else f"/proc/self/fd/{dst_dir_fd}/{os.fsdecode(target)}"):
            os.chmod(target, 0o640, dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", given)
