# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A command that goes on running, and each of whose lines is a change (`watch_command`, docs/watch.md)."""

from __future__ import annotations

from ...host.errors import HostError, errno_of, reason_of
from ...host.output_lines import RunningCommand
from ...lang.shellwords import ShellWordsError, split
from ...redaction.texts import without_text_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.event_loop import EventLoop
    from ...model.log import Log

_RESTART_SECONDS, _LONGEST_RESTART_SECONDS = 1.0, 60.0


class WatchedCommand:
    """Runs a command until it is ended, and calls `wrote` for its lines; after its end it is started again.

    `refused` is why it cannot run, "" when it can.
    """

    def __init__(self, command: str, loop: EventLoop, wrote: Callable[[], None], report: Log) -> None:
        self._command = command
        self._loop = loop
        self._wrote = wrote
        self._report = report
        self.refused = ""
        self._running: RunningCommand | None = None
        # How long it waited before it was started again after it had ended without a line, in seconds.
        self._pause = _RESTART_SECONDS / 2
        # Its next start while it does not run.
        self._planned: object | None = None
        self._start()

    def renew(self) -> None:
        """Start it now if it does not run."""
        if self._planned:
            self._pause = _RESTART_SECONDS / 2
            self._start()

    def ask_to_end(self) -> None:
        """Ask it to end, which takes a while."""
        if self._running:
            self._running.ask_to_end()

    def end(self) -> None:
        """End it; see RunningCommand."""
        self._planned = None
        if self._running:
            self._end(self._running)

    def _start(self) -> None:
        self._planned = None
        try:
            self._running = running = RunningCommand(split(self._command))
        except (ShellWordsError, HostError, OSError) as error:
            reason = reason_of(errno_of(error)) if isinstance(error, OSError) else str(error)
            shown = without_text_secrets(self._command)
            self._report.warn("A command that is watched cannot run", command=shown, reason=reason)
            self.refused = f"the command {shown} cannot run: {reason}"
            self._plan_start(_LONGEST_RESTART_SECONDS)
            return
        self.refused = ""
        self._loop.add_reader(running.fd, lambda: self._read(running))

    def _read(self, running: RunningCommand) -> None:
        lines = running.read()
        if lines is None:
            self._end(running)
            shown = without_text_secrets(self._command)
            self._report.warn("A command that is watched ended, and is started again", command=shown)
            self._pause = min(self._pause * 2, _LONGEST_RESTART_SECONDS)
            self._plan_start(self._pause)
        elif lines:
            self._pause = _RESTART_SECONDS / 2
            self._wrote()

    def _plan_start(self, seconds: float) -> None:
        planned = self._planned = object()

        def start() -> None:
            if self._planned is planned:
                self._start()

        self._loop.call_after(seconds, start)

    def _end(self, running: RunningCommand) -> None:
        self._running = None
        self._loop.remove_reader(running.fd)
        self._loop.before_waiting()
        running.end()
