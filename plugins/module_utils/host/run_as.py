# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands as another user, in another group, or with another umask (behaviour.md 6.3, decisions.md Q90).

Python changes the directory before the user, and cannot do the rest in Python 3.8 without code that runs between fork
and exec, which other threads may block. So another Python is started. It has the variables of ccm, not the
command's, which might make it load other code. It becomes the user, enters the directory and becomes the command.
"""

from __future__ import annotations

import errno
import marshal
import os
import sys
from subprocess import Popen

from .command_errors import not_started
from .descriptors import write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

# Standard input is what to run. The answer is "+" before the program is executed, then the failed step and its error
# number. The pipes get the user as their owner, as /dev/stdout and /dev/stderr could not be opened otherwise.
_EXECUTOR = """
import _signal, marshal, posix, sys
answer = int(sys.argv[1])
posix.set_inheritable(answer, False)
step = b"start"
try:
    program, words, variables, directory, uid, gid, groups, umask = marshal.load(sys.stdin.buffer)
    posix.dup2(posix.open("/dev/null", posix.O_RDONLY), 0)
    if groups is not None:
        step = b"setgroups"
        posix.setgroups(groups)
    if gid is not None:
        step = b"setgid"
        posix.setresgid(gid, gid, gid)
    if uid is not None:
        step = b"setuid"
        for descriptor in (1, 2):
            posix.fchown(descriptor, uid, -1)
        posix.setresuid(uid, uid, uid)
    if umask is not None:
        posix.umask(umask)
    step = b"chdir"
    posix.chdir(directory)
    for number in (_signal.SIGPIPE, _signal.SIGXFSZ):
        _signal.signal(number, _signal.SIG_DFL)
    step = b"exec"
    posix.write(answer, b"+")
    posix.execve(program, words, variables)
except BaseException as error:
    posix.write(answer, b"%s %d" % (step, getattr(error, "errno", None) or 22))
posix._exit(255)
"""
_STARTED = b"+"


class RunAs:
    """The identity of a command: user, group, supplementary groups, as numbers, and umask; None changes nothing."""

    __slots__ = ("gid", "groups", "uid", "umask")

    def __init__(self, uid: int | None, gid: int | None, groups: Sequence[int] | None, umask: int | None) -> None:
        self.uid = uid
        self.gid = gid
        self.groups = groups
        self.umask = umask


class Executor:
    """The other Python, which becomes the command `words` of the program `executable` as `wanted`, in `cwd`."""

    def __init__(
        self, wanted: RunAs, executable: bytes, words: Sequence[bytes], cwd: str, environment: dict[bytes, bytes]
    ) -> None:
        groups = None if wanted.groups is None else list(wanted.groups)
        self._what = (executable, list(words), environment, os.fsencode(cwd))
        self._who = (wanted.uid, wanted.gid, groups, wanted.umask)
        self._words = words
        self._cwd = cwd
        self._receiver = -1

    def start(self, stdout: int, stderr: int) -> Popen[bytes]:
        """Start it, with these descriptors for its output. Raises OSError."""
        descriptors: list[int] = []
        try:
            request = os.memfd_create("command", os.MFD_CLOEXEC)
            descriptors.append(request)
            write_all(request, marshal.dumps(self._what + self._who), "the command")
            os.lseek(request, 0, os.SEEK_SET)
            self._receiver, sender = os.pipe()
            descriptors.append(sender)
            return Popen(
                [sys.executable, "-I", "-S", "-c", _EXECUTOR, str(sender)],
                stdin=request,
                stdout=stdout,
                stderr=stderr,
                cwd="/",
                pass_fds=(sender,),
                start_new_session=True,
            )
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def error(self) -> Exception | None:
        """Wait until it has become the command, or return the error why it ends, as Popen would raise it."""
        answer = b"".join(iter(lambda: os.read(self._receiver, 64), b""))
        return None if answer == _STARTED else _error(answer.lstrip(_STARTED), self._words, self._cwd)

    def close(self) -> None:
        """Close what it has open."""
        if self._receiver >= 0:
            os.close(self._receiver)


def _error(answer: bytes, words: Sequence[bytes], cwd: str) -> Exception:
    """Return the error for the step that failed; an answer is missing when Python itself did not start."""
    step, _space, number = answer.decode("ascii").partition(" ")
    if not step:
        return OSError(errno.ENOEXEC, "", sys.executable)
    if step == "exec":
        return OSError(int(number), "")
    if step == "chdir":
        return OSError(int(number), "", cwd)
    return not_started(os.fsdecode(words[0]), OSError(int(number), ""), list(map(os.fsdecode, words)), step)
