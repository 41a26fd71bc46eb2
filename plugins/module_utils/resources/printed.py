# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What types of other packages print: on standard error, with their package, without secrets and control characters.

Standard output belongs to the command: to its log, or to JSON that a program reads.
"""

from __future__ import annotations

import io
import sys
import threading
from contextlib import ExitStack, contextmanager

from ..host.call_threads import is_given_up
from ..redaction.lines import visible
from .secret_values import without

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator, TextIO

# Guards sys.stdout and sys.stderr, which all threads share.
_STREAMS = threading.Lock()


@contextmanager
def capturing(package: str, secrets: Iterable[str] = ()) -> Iterator[None]:
    """Let what code of a package prints in this thread go to standard error, with `secrets` replaced."""
    with ExitStack() as stack:
        printed = stack.enter_context(_Printed(package, secrets))
        for name in ("stdout", "stderr"):
            stack.enter_context(_printing_to(printed, name))
        yield


@contextmanager
def _printing_to(printed: _Printed, name: str) -> Iterator[None]:
    """Let what this thread prints to a stream of `sys` go to `printed`; other threads print as before."""
    thread = threading.get_ident()
    with _STREAMS:
        stream = getattr(sys, name)
        by_thread = stream if isinstance(stream, _ByThread) else _ByThread(stream)
        before = by_thread.printed.get(thread)
        by_thread.printed[thread] = printed
        setattr(sys, name, by_thread)
    try:
        yield
    finally:
        with _STREAMS:
            if before is None:
                del by_thread.printed[thread]
            else:
                by_thread.printed[thread] = before
            if getattr(sys, name) is by_thread and not by_thread.printed:
                setattr(sys, name, by_thread.real)


@contextmanager
def not_captured() -> Iterator[None]:
    """Let what this thread writes go to the real streams: lines of the logs are no output of the package."""
    thread = threading.get_ident()
    captured = [each for each in (sys.stdout, sys.stderr) if isinstance(each, _ByThread) and thread in each.printed]
    printed = [each.printed[thread] for each in captured]
    for each in captured:
        each.printed[thread] = each.real
    try:
        yield
    finally:
        for each, before in zip(captured, printed):
            each.printed[thread] = before


class _ByThread(io.TextIOBase):
    """Writes to `printed` of the thread that writes, and for other threads to the `real` stream."""

    def __init__(self, real: TextIO) -> None:
        self.real = real
        self.printed: dict[int, TextIO | _Printed] = {}

    def write(self, text: str) -> int:
        return (self.printed.get(threading.get_ident()) or self.real).write(text)

    def flush(self) -> None:
        self.real.flush()

    def close(self) -> None:
        """Do nothing: the real stream belongs to the command, and may be closed when this object goes."""

    def fileno(self) -> int:
        return self.real.fileno()

    def isatty(self) -> bool:
        return self.real.isatty()

    def __getattr__(self, name: str) -> object:
        return getattr(self.real, name)


class _Printed(io.TextIOBase):
    """Writes to standard error what a package prints, each line with its name; nothing of a call that was given up."""

    def __init__(self, package: str, secrets: Iterable[str]) -> None:
        self._package = package
        self._secrets = secrets
        self._line = ""
        self._target: TextIO = sys.stderr.real if isinstance(sys.stderr, _ByThread) else sys.stderr

    def write(self, text: str) -> int:
        if is_given_up():
            return len(text)
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            self._target.write(f"{self._package} printed: {visible(without(self._secrets, line))}\n")
        return len(text)

    def close(self) -> None:
        if self._line:
            self.write("\n")
        super().close()
