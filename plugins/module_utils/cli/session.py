# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm session`: directories that keep events from one command to the next (behaviour.md 17)."""

from __future__ import annotations

import os
import sys

from ..engine.session_directory import DirectorySession
from ..engine.session_removal import remove_session
from ..engine.summary import Summary
from ..host.errors import errno_of, reason_of
from ..host.scratch import make_temporary_directory
from ..lang.shellquotes import quote
from ..model.errors import SessionError
from ..model.flags import Flag
from .command import Command
from .console import run_time, table
from .documents import json_document
from .run import SESSION_STORE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values


def _new(values: Values) -> int:
    directory = values.directory
    if directory:
        _make(directory)
    else:
        directory = make_temporary_directory("ccm-session-")
    sys.stdout.write(f"export {SESSION_STORE}={quote(os.path.abspath(directory))}\n")
    return 0


def _make(directory: str) -> None:
    if os.path.lexists(directory):
        raise SessionError(f"session store {directory} already exists")
    try:
        os.makedirs(os.path.dirname(os.path.abspath(directory)), exist_ok=True)
        os.mkdir(directory, 0o700)
    except (OSError, ValueError) as error:
        reason = reason_of(errno_of(error))
        raise SessionError(f"session store {directory} cannot be made: {reason}") from None


def _report(values: Values) -> int:
    if not values.session:
        raise SessionError("no session store specified", advice=f"give --session, or set {SESSION_STORE}")
    summary = Summary(DirectorySession(values.session))
    if values.json:
        sys.stdout.write(json_document(summary.as_dict()))
    else:
        _print_table(summary)
    if values.remove:
        remove_session(values.session)
    return 0


def _print_table(summary: Summary) -> None:
    counted: list[tuple[str, object]] = [("Run Time", run_time(summary.duration))] if summary.duration > 0 else []
    counted += [
        ("Total Resources", summary.total),
        ("Unique Resources", summary.unique),
        ("Stable Resources", summary.stable),
        ("Changed Resources", summary.changed),
        ("Failed Resources", summary.failed),
        ("Skipped Resources", summary.skipped),
        ("Refreshed Resources", summary.refreshed),
        ("Total Errors", summary.failed),
    ]
    sys.stdout.write("\n" + table("Session Summary", counted))


_NEW = Command(
    "session new",
    "Creates a new session store",
    aliases=("start", "create"),
    flags=(Flag("directory", "text", "Directory to store the session in", path="directory"),),
    run=_new,
)

_REPORT = Command(
    "session report",
    "Report on the active session",
    flags=(
        Flag("json", "set", "Output the report in JSON format"),
        Flag("session", "text", "Session store to use", env=SESSION_STORE, path="directory"),
        Flag("remove", "set", "Removes the session directory if it is in the system temporary directory"),
    ),
    run=_report,
)


def _find(name: str) -> Command | None:
    return {"new": _NEW, "start": _NEW, "create": _NEW, "report": _REPORT}.get(name)


COMMAND = Command(
    "session",
    "Manage session stores",
    commands=(("new", _NEW.help), ("report", _REPORT.help)),
    find=_find,
)
