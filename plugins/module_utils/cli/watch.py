# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm watch`: run a manifest, then repair what changes (docs/watch.md)."""

from __future__ import annotations

import sys

from ..engine.session_directory import DirectorySession
from ..model.errors import CCMError
from ..model.flags import Flag
from .apply import AUTOMATIC, CONNECTION, MANIFEST, PARALLEL, SOURCES, manifest_inputs, require_time
from .command import Command
from .console import Console
from .registering import KeepRegistered
from .run import REGISTER, nats_of
from .state_flags import STATE
from .watch_status import require_writable_directory
from .watching import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values

_JSON_LINES = "json-lines"


def _watch(values: Values) -> int:
    require_time("max-runtime", values.max_runtime)
    require_time("exit-converged", values.exit_converged)
    if 0 < values.max_runtime <= values.exit_converged:
        raise CCMError("--max-runtime ends it before --exit-converged can", advice="give --max-runtime a longer time")
    if values.session:
        DirectorySession(values.session).require_directory()
    if values.status_file:
        require_writable_directory(values.status_file)
    exit_converged = values.exit_converged if "exit-converged" in values.given else None
    console = Console(values, sys.stderr if values.events else None)
    registering = None
    if values.register:
        registering = KeepRegistered(nats_of(values), console.log)
    watch = Watch(
        values,
        console,
        lambda: manifest_inputs(values, console),
        (registering,) if registering else (),
        loaded=registering.restrict if registering else lambda _resources: None,
        shows_events=bool(values.events),
        status_file=values.status_file,
    )
    try:
        return watch.run(exit_converged, values.max_runtime)
    finally:
        if registering:
            registering.close()


COMMAND = Command(
    "watch",
    "Apply a manifest, then repair what changes",
    details="""It sleeps until something that the manifest manages has changed, and repairs that and what depends on it.
The manifest, its data and the files that it uses are watched too: a change of these is applied, unless it is wrong.

Ctrl-C or SIGTERM ends it when what runs is done; once more ends the commands that run. SIGHUP reads the manifest again.
With --exit-converged it ends when nothing has changed for that time: the exit status is 0, or 1 when --max-runtime came
first.""",
    arguments=(MANIFEST,),
    flags=(
        *SOURCES,
        Flag("noop", "set", "Do not make changes, only report what would be done"),
        Flag("exit-converged", "duration", "End when nothing has changed for so long", default=0, placeholder="10s"),
        Flag("max-runtime", "duration", "End after so long", default=0, placeholder="1h"),
        Flag("status-file", "text", "File to write what is watched to", placeholder="FILE", path="file"),
        Flag(
            "events",
            "text",
            "Write each event as a line of JSON: json-lines",
            placeholder="FORM",
            choices=(_JSON_LINES,),
        ),
        Flag("session", "text", "Session store to record events in", path="directory"),
        PARALLEL,
        *AUTOMATIC,
        *STATE,
        REGISTER,
        *CONNECTION,
    ),
    run=_watch,
)
