# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The programs of shadow, which change the files of accounts: useradd, usermod, groupadd and others."""

from __future__ import annotations

from .account_database import DIRECTORY
from .errors import HostError
from .lock_holders import holder as holder_of
from .lock_holders import named
from .processes import stat_of
from .programs import PATH
from .results import decode, in_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from .machine import Machine

#: The files that the programs make while they write, with the process id in them, and the lock of the C library.
_OWN_LOCKS = ("passwd.lock", "shadow.lock", "group.lock", "gshadow.lock")
_LOCK_OF_LIBRARY = ".pwd.lock"
_CANNOT_LOCK = "cannot lock"


class ProgramFailed(HostError):
    """A program of shadow ended with an `exit_code` other than 0."""

    def __init__(self, text: str, exit_code: int) -> None:
        super().__init__(text)
        self.exit_code = exit_code


def change_accounts(machine: Machine, argv: Sequence[str], stdin: bytes = b"") -> None:
    """Run a program of shadow, which reads `stdin`. It is not interrupted: it changes several files.

    Dates among its arguments are in UTC, as in the files. Raises ProgramFailed with what it said when it fails; where
    it could not lock the files, that names the lock and who holds it.
    """
    done = machine.run(argv, environment=["TZ=UTC0"], path=PATH, on_interruption=_let_finish, stdin=stdin)
    if done.exit_code == 0:
        return
    lines = [line.strip() for line in decode(done.stderr or done.stdout).splitlines() if line.strip()]
    if not lines:
        raise ProgramFailed(f"{argv[0]} failed with exit code {done.exit_code}", done.exit_code)
    said = in_one_line(lines)
    message = f"{said} (exit code {done.exit_code} of {argv[0]})"
    holder = _holder() if _CANNOT_LOCK in said else ""
    raise ProgramFailed(f"{message}; {holder}" if holder else message, done.exit_code)


def _let_finish() -> None:
    """Do nothing: the program ends soon by itself."""


def _holder() -> str:
    """Return which lock is held and by whom, "" when none is held any more."""
    for name in _OWN_LOCKS:
        path = f"{DIRECTORY}/{name}"
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                pid = file.read(20).strip(" \n\0")
        except OSError:
            continue
        if pid.isdigit() and stat_of(pid) is not None:
            return f"{path} is the lock of {named(int(pid))}"
        return (
            f"{path} is the lock of a process that has ended, or of an unknown one: remove it where no program writes"
        )
    path = f"{DIRECTORY}/{_LOCK_OF_LIBRARY}"
    pid_of_lock = holder_of(path)
    return "" if pid_of_lock is None else f"{path} is locked by {named(pid_of_lock)}"
