# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of all unit tests: stand-ins for programs, recorded logs, unprivileged users, and the command."""

from __future__ import annotations

import errno
import grp
import importlib
import io
import os
import pwd
import subprocess
import sys

import pytest
from ccm.cli.main import main
from ccm.host.machine import OF_THREAD
from ccm.testing import fake_program, recorded_log

from ..tools.no_processes import starts_processes
from .layout import parts_of, sources
from .nats_servers import nats, own_nats_server, shared_nats_server
from .watching import Watching

__all__ = ["fake_program", "nats", "own_nats_server", "recorded_log", "shared_nats_server"]  # fixtures


def import_all():
    """Import all modules of the package: a user who cannot read the checkout cannot import them later."""
    # The second is imported by time.strptime when it is called.
    for name in ("jinja2.sandbox", "_strptime"):
        importlib.import_module(name)
    for path in sources():
        if path.stem != "__main__":
            importlib.import_module(".".join(("ccm", *parts_of(path))))


@pytest.fixture(autouse=True)
def without_deadline():
    """The deadline of this thread ends with each test."""
    yield
    OF_THREAD.deadline = None


@pytest.fixture
def as_unprivileged_user(tmp_path):
    """Call it to be an unprivileged user for the rest of a test, with access to tmp_path: root can do everything."""
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
def separate_file_systems(monkeypatch):
    """Each directory is on its own file system: a rename to another one fails, except to a parent directory."""
    rename = os.rename

    def rename_within_file_system(source, target, *, src_dir_fd=None, dst_dir_fd=None):
        places = [os.readlink(f"/proc/self/fd/{fd}") for fd in (src_dir_fd, dst_dir_fd)]
        if os.path.commonpath(places) != places[1]:
            raise OSError(errno.EXDEV, "")
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", rename_within_file_system)


@pytest.fixture
def rename_changes_owner(monkeypatch):
    """A rename gives files to the caller and changes their modes, as on some file systems."""
    rename = os.rename

    def rename_and_change(source, target, *, src_dir_fd=None, dst_dir_fd=None):
        rename(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        os.chown(target, os.geteuid(), os.getegid(), dir_fd=dst_dir_fd, follow_symlinks=False)
        if not os.path.islink(target if dst_dir_fd is None else f"/proc/self/fd/{dst_dir_fd}/{os.fsdecode(target)}"):
            os.chmod(target, 0o640, dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", rename_and_change)


@pytest.fixture
def listed_mounts(monkeypatch, tmp_path_factory):
    """Let the kernel's table list mounts at these points, where nothing is mounted. The last one is mounted last."""
    table = tmp_path_factory.mktemp("proc") / "mountinfo"
    monkeypatch.setattr("ccm.host.mounts._TABLE", str(table))

    def write(*points):
        lines, mounted = [b"1 0 8:1 / / rw - ext4 /dev/a rw\n"], {b"": 1}
        for number, point in enumerate(map(os.fsencode, points), 2):
            parent = mounted[max((above for above in mounted if (point + b"/").startswith(above + b"/")), key=len)]
            mounted[point] = number
            escaped = point.replace(b"\\", rb"\134").replace(b" ", rb"\040").replace(b"\n", rb"\012")
            lines.append(b"%d %d 8:2 /at%d %s rw - ext4 /dev/b rw\n" % (number, parent, number, escaped))
        table.write_bytes(b"".join(lines))

    write()
    return write


@pytest.fixture
@starts_processes
def mount():
    """Mount something, with the words of mount; it is unmounted after the test. The test needs mounts."""
    points = []

    def run(*words):
        subprocess.run(["mount", *map(str, words)], check=True)
        points.append(words[-1])

    yield run
    for point in reversed(points):
        subprocess.run(["umount", str(point)], check=True)


class CommandResult:
    """The result of one call: exit status, and both outputs as text."""

    def __init__(self, status, out, err):
        self.status = status
        self.out = out
        self.err = err


@pytest.fixture
def ccm(capsys, monkeypatch, tmp_path):
    """Call the command in its own directory, without the variables of the caller."""
    for name in list(os.environ):
        if name.startswith(("CCM_", "GITHUB_", "HIERA_", "NATS_", "NO_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("CCM_STATE", str(tmp_path / "home/state"))
    monkeypatch.chdir(tmp_path)

    def run(*words, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        status = main([str(word) for word in words])
        return CommandResult(status, *capsys.readouterr())

    return run


@pytest.fixture
def me():
    """The names of the user and the group that run the tests."""
    return pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name


@pytest.fixture
def watching(tmp_path, me):
    """`ccm watch` for a manifest in a scratch directory."""
    return Watching(tmp_path, me)
