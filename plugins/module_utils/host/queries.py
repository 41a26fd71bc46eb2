# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that change nothing, run to their end for their output.

They need none of the precautions of `commands`: when they are not ended they do no harm.
"""

from __future__ import annotations

import _signal
import os

from .errors import WrongCommand
from .machine import OF_THREAD
from .programs import PATH, find_program
from .results import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Sequence

    from .command_errors import CommandError
    from .running_commands import RunningCommands


def query(argv: Sequence[str], environment: Iterable[str] = ()) -> Result:
    """Run a command of PATH with empty stdin, in PATH, LANG=C, LC_ALL=C and the given `NAME=value`.

    Raises CommandError or one of its subclasses when there is no exit code.
    """
    if isinstance(argv, str):
        raise WrongCommand
    program = find_program(argv[0])
    if not program:
        raise _failure(argv)
    variables = {"PATH": PATH, "LANG": "C", "LC_ALL": "C"}
    variables.update(entry.partition("=")[::2] for entry in environment)
    pid = 0
    files = [os.memfd_create(name, os.MFD_CLOEXEC) for name in ("stdout", "stderr")]
    try:
        actions: list[tuple[int | str, ...]] = [
            (os.POSIX_SPAWN_DUP2, file, number) for number, file in enumerate(files, 1)
        ]
        actions.append((os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0))
        # In a process group of its own Ctrl-C does not reach it.
        pid = os.posix_spawn(program, list(argv), variables, file_actions=actions, setpgroup=0)
        status = os.waitpid(pid, 0)[1] if OF_THREAD.commands is None else _status_of(pid, OF_THREAD.commands)
        output = [os.pread(file, os.fstat(file).st_size, 0) for file in files]
    except (OSError, ValueError) as error:
        raise _failure(argv, program, error) from None
    except BaseException:
        if pid:
            os.kill(pid, _signal.SIGKILL)
        raise
    finally:
        for file in files:
            os.close(file)
    if not os.WIFEXITED(status):
        raise _failure(argv, program, status=status)
    return Result(os.WEXITSTATUS(status), *output)


def _status_of(pid: int, commands: RunningCommands) -> int:
    """Wait for a process that may be ended meanwhile, and return its wait status."""
    commands.add(pid, may_be_ended=True)
    try:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    finally:
        commands.remove(pid)
    return os.waitpid(pid, 0)[1]


def _failure(
    argv: Sequence[str], program: str = "", cause: OSError | ValueError | None = None, *, status: int = 0
) -> CommandError:
    """Return the error for a command without an exit code.

    Without a `program` it was not found, with a `cause` not started; otherwise `status` has the signal that ended it.
    """
    from .command_errors import killed, not_found, not_started

    if not program:
        return not_found(argv)
    return killed(status, argv) if cause is None else not_started(program, cause, argv)
