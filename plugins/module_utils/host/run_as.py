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
from subprocess import PIPE, Popen

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


def start_as(
    wanted: RunAs, executable: bytes, words: Sequence[bytes], cwd: str, environment: dict[bytes, bytes]
) -> Popen[bytes]:
    """Start a command as `wanted`, with pipes for its output.

    Raises OSError as Popen does, or CommandNotStarted when it cannot be `wanted`.
    """
    groups = None if wanted.groups is None else list(wanted.groups)
    what = (executable, list(words), environment, os.fsencode(cwd), wanted.uid, wanted.gid, groups, wanted.umask)
    descriptors: list[int] = []
    try:
        request = os.memfd_create("command", os.MFD_CLOEXEC)
        descriptors.append(request)
        write_all(request, marshal.dumps(what), "the command")
        os.lseek(request, 0, os.SEEK_SET)
        receiver, sender = os.pipe()
        descriptors += (receiver, sender)
        process = Popen(
            [sys.executable, "-I", "-S", "-c", _EXECUTOR, str(sender)],
            bufsize=0,
            stdin=request,
            stdout=PIPE,
            stderr=PIPE,
            cwd="/",
            pass_fds=(sender,),
            start_new_session=True,
        )
        os.close(descriptors.pop())
        answer = b"".join(iter(lambda: os.read(receiver, 64), b""))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    if answer == _STARTED:
        return process
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream:
            stream.close()
    raise _error(answer.lstrip(_STARTED), words, cwd)


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
