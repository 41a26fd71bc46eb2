# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of shadow: their input, and what is said when they fail."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from ccm.host import shadow_programs
from ccm.host.errors import HostError
from ccm.host.lock_holders import named
from ccm.host.machine import Machine

pytestmark = pytest.mark.starts_processes

LOCKER = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.lockf(file, fcntl.LOCK_EX)
print("locked", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """`program(script)` makes a program, and returns its path."""
    monkeypatch.setattr(shadow_programs, "DIRECTORY", str(tmp_path))

    def make(script):
        path = tmp_path / "useradd"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return make


def failure(argv, stdin=b""):
    with pytest.raises(HostError) as caught:
        shadow_programs.change_accounts(Machine(), argv, stdin)
    return str(caught.value)


def test_it_reads_its_input_and_has_dates_in_utc(program, tmp_path):
    path = program(f'cat > {tmp_path}/in; echo "$TZ $LC_ALL $*" > {tmp_path}/seen')
    machine = Machine()
    shadow_programs.change_accounts(machine, [path, "--", "u"], b"u:hash\n")
    assert (tmp_path / "in").read_text() == "u:hash\n"
    assert (tmp_path / "seen").read_text() == "UTC0 C -- u\n"
    assert machine.generation == 1


def test_what_it_says_is_in_one_line(program):
    path = program("echo one >&2; echo; echo two >&2; exit 6")
    assert failure([path]) == f"one / two (exit code 6 of {path})"
    assert failure([program("echo only here; exit 1")]) == f"only here (exit code 1 of {path})"
    assert failure([program("exit 10")]) == f"{path} failed with exit code 10"


def test_a_lock_and_its_holder_are_named(program, tmp_path):
    path = program("echo 'useradd: cannot lock /etc/passwd; try again later.' >&2; exit 1")
    said = f"useradd: cannot lock /etc/passwd; try again later. (exit code 1 of {path})"
    assert failure([path]) == said
    lock = tmp_path / "group.lock"
    lock.write_text(f"{os.getpid()}\0")
    assert failure([path]) == f"{said}; {lock} is the lock of {named(os.getpid())}"
    for content in ("", "none", "4194304000"):
        lock.write_text(content)
        assert failure([path]) == (
            f"{said}; {lock} is the lock of a process that has ended, or of an unknown one: "
            "remove it where no program writes"
        )
    lock.unlink()
    library_lock = tmp_path / ".pwd.lock"
    with subprocess.Popen(
        [sys.executable, "-c", LOCKER, str(library_lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as locker:
        assert locker.stdout.readline() == b"locked\n"
        assert failure([path]) == f"{said}; {library_lock} is locked by {named(locker.pid)}"
        locker.stdin.close()
    assert failure([path]) == said
