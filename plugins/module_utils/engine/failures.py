# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How errors, including unexpected ones, become failed events; the run continues with the next resource."""

from __future__ import annotations

from ..host.errors import HostError, reason_of
from ..model.errors import CCMError, ResourceFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.event import Event
    from ..model.log import Log

_PACKAGE_PREFIX = __name__.rpartition("engine.")[0]


def fail(event: Event, error: Exception, log: Log) -> None:
    """Note an error in the event; the traceback of a fault in a type of another package goes to the log, for --debug.

    Raises BrokenPipeError again: it means that nothing reads the output of the run.
    """
    error = reportable(error)
    event.fail(str(error), error)
    if isinstance(error, CCMError) and error.traceback:
        for line in error.traceback():
            log.debug(line)


def reportable(error: Exception) -> Exception:
    """Return an error with a readable message; unexpected errors are replaced. Raises as `fail` does."""
    if isinstance(error, BrokenPipeError):
        raise error
    if isinstance(error, (CCMError, HostError)):
        return error
    return ResourceFailed(_message(error), advice="this should not happen, please report it")


def _message(error: Exception) -> str:
    """Return the kind and the code line of an error, without its message, which may hold secrets."""
    if isinstance(error, OSError) and error.errno:
        path = error.filename if isinstance(error.filename, str) else ""
        return f"unexpected error: {path}: {reason_of(error.errno)}".replace(": : ", ": ")
    code_line, traceback = "", error.__traceback__
    while traceback:
        name = traceback.tb_frame.f_globals.get("__name__", "")
        if name.startswith(_PACKAGE_PREFIX):
            code_line = f" in {name[len(_PACKAGE_PREFIX) :]}, line {traceback.tb_lineno}"
        traceback = traceback.tb_next
    return f"unexpected {type(error).__name__}{code_line}"
