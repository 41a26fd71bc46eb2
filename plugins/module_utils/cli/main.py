# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The command `ccm`: finds the wanted command, runs it, and prints errors (behaviour.md 19)."""

from __future__ import annotations

import _signal
import gc
import os
import sys

from .command import expected_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import TextIO

    from ..nats.access import NatsAccess
    from .command import Command

#: After so many seconds an exception that was dropped is raised again.
_PAUSE = 0.001
_PACKAGE = __name__.rpartition(".cli.")[0]
OK, FAILED, INTERRUPTED, PIPE_CLOSED = 0, 1, 130, 141


def main(argv: list[str] | None = None) -> int:
    """Run `ccm` with these words (default: the arguments of the process) and return its exit status.

    0: it ran (behaviour.md 19; `apply --detailed-exitcodes` has more), 1: it failed, or its command line was wrong,
    130: Ctrl-C ended it, 141: its output was no longer read. All output is written then.
    """
    is_process = argv is None
    if is_process:
        if sys.getfilesystemencoding() != "utf-8":
            from .encoding import start_again

            start_again()
        # A run is too short for garbage collection, which takes a tenth of a long one.
        gc.disable()
        _admit_signals()
        _end_tidily()
    words = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams(is_process)
    status = ended = 0
    try:
        status = _run(words, is_process)
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        _ignore_signals(is_process)
        _forget_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return _interrupted(is_process)
    except _Ended as error:
        ended = error.number
    except OSError as error:
        _forget_output()
        return _report(error)
    if ended:
        return _die_of(ended)
    _ignore_signals(is_process)
    return status


class _Ended(BaseException):
    """The process received signal `number`: commands are killed and temporary files removed at the end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _admit_signals() -> None:
    """Undo what the caller may do: block signals, and ignore SIGCHLD, so that commands have no exit status."""
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def _end_tidily() -> None:
    """Make SIGTERM, SIGHUP and SIGQUIT end the run by an exception, as Ctrl-C does.

    A signal that was ignored when this process was started, as SIGHUP is under `nohup`, stays ignored.
    """

    # The only parts of `signal` that are needed; importing it takes 0.4 ms.
    def end(number: int, frame: object) -> None:
        for other in endings:
            _signal.signal(other, _signal.SIG_IGN)
        raise _Ended(number)

    numbers = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGQUIT)
    endings = [number for number in numbers if not _signal.getsignal(number)]
    for number in endings:
        _signal.signal(number, end)
    sys.unraisablehook = _raise_again


def _raise_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise the exception of a signal again that came where Python drops exceptions, as in a callback of an import."""
    error = lost.exc_value
    if not isinstance(error, (_Ended, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)
        return
    found = error

    def end(number: int, frame: FrameType | None) -> None:
        # Here, on a slow machine, it would be dropped too.
        if frame is not None and frame.f_code is _raise_again.__code__:
            _signal.setitimer(_signal.ITIMER_REAL, _PAUSE)
            return
        raise found.with_traceback(None)

    _signal.signal(_signal.SIGALRM, end)
    _signal.setitimer(_signal.ITIMER_REAL, _PAUSE)


def _ignore_signals(is_process: bool) -> None:
    """Ignore signals that would end the process: its work is done, and Python would report an exception at its end."""
    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGQUIT) if is_process else ():
        _signal.signal(number, _signal.SIG_IGN)
    # An exception that was dropped and is to be raised again.
    if is_process and _signal.getsignal(_signal.SIGALRM):
        _signal.signal(_signal.SIGALRM, _signal.SIG_IGN)


def _interrupted(is_process: bool, log_format: str = "") -> int:
    """Report that Ctrl-C ended it, after all earlier output; once a process has done so, it ignores further ones."""
    if is_process:
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    from ..model.errors import CCMError

    _flush_output()
    _report(CCMError("interrupted"), log_format)
    return INTERRUPTED


def _die_of(number: int) -> int:
    """End by the received signal, as its sender expects, without a core dump, which may hold secrets.

    Called after its exception was freed, which held what was running: a temporary file is removed with its owner.
    """
    import resource

    gc.collect()
    _flush_output()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _signal.signal(number, _signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number


def _prepare_streams(is_process: bool) -> None:
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open until the process ends
    for name in ("stdout", "stderr"):
        stream: TextIO | None = getattr(sys, name)
        if stream is None:
            # The parent process had closed it.
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open until the process ends
        elif hasattr(stream, "reconfigure"):
            # Names of files may be any bytes, and what was UTF-8 in a manifest is printed as UTF-8 in any locale.
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
            # Python does not collect the lines for a terminal; only then the kernel is asked, by a system call.
            if is_process and (stream.line_buffering or getattr(stream, "write_through", False)) and stream.isatty():
                from .terminal import terminal_over

                setattr(sys, name, terminal_over(stream))


def _run(words: list[str], is_process: bool) -> int:
    if words == ["--version"]:
        return _print_version()
    if words and words[0].startswith("--completion-"):
        from .completion import complete, is_hidden_flag

        if is_hidden_flag(words[0]):
            return complete(words)
    if words == ["--help-man"]:
        return _print_manual()
    from ..model.flags import NATS
    from .arguments import UsageError, log_format_among, parse

    log_format, debug, chosen = "", False, None
    try:
        chosen = parse(_root(), words)
        log_format, debug = chosen.values.log_format, chosen.values.debug
        if chosen.values.version:
            return _print_version()
        if chosen.values.help:
            return _print_help(chosen.command, True)
        if chosen.command.run is None:
            return _print_first_steps(chosen.command)
        return chosen.command.run(chosen.values)
    except UsageError as error:
        sys.stdout.flush()
        if log_format_among(words) == "json":
            return _report(error, "json")
        from ..lang.controls import escaped

        sys.stderr.write(f"error: {escaped(str(error))}\n\n")
        _print_help(error.command, False)
        return FAILED
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        return _interrupted(is_process, log_format)
    except expected_errors() as error:
        sys.stdout.flush()
        return _report(error, log_format or log_format_among(words), debug or "--debug" in words)
    finally:
        nats: NatsAccess | None = vars(chosen.values).get(NATS) if chosen else None
        if nats:
            nats.close()
        if is_process and f"{_PACKAGE}.host.call_threads" in sys.modules:
            _report_calls(log_format)


def _report(error: BaseException, log_format: str = "", debug: bool = False) -> int:
    from .failure import report

    try:
        report(error, log_format, debug)
        sys.stderr.flush()
    except OSError:
        _forget_output(2)
    return FAILED


def _report_calls(log_format: str) -> None:
    from ..host.given_up import current_calls

    calls = current_calls()
    if not calls:
        return
    from .failure import report_calls

    try:
        report_calls(calls, log_format)
        sys.stderr.flush()
    except OSError:
        _forget_output(2)


def _root() -> Command:
    from .root import ROOT

    return ROOT


def _print_version() -> int:
    from ..version import VERSION

    sys.stderr.write(VERSION + "\n")
    return OK


def _print_manual() -> int:
    from .manpage import manual_page

    sys.stdout.write(manual_page(_root()))
    return OK


def _print_help(command: Command, everything: bool) -> int:
    from .help import usage

    sys.stderr.write(usage(command, everything))
    return OK


def _print_first_steps(root: Command) -> int:
    from .help import first_steps

    sys.stderr.write(first_steps(root))
    return _print_help(root, False)


def _flush_output() -> None:
    """Print the collected output, if it is still read."""
    try:
        sys.stdout.flush()
    except OSError:
        _forget_output()


def _forget_output(descriptor: int = 1) -> None:
    """Prevent messages of the interpreter at its end about output that is no longer read."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
