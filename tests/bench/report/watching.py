# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a change is repaired, and what watching costs while nothing changes."""

from __future__ import annotations

import argparse
import contextlib
import io
import statistics
import tempfile

from ..watch import CHANGES, measure, watch_commands
from .programs import MGMT, OURS


def measured(programs, files, rounds, idle):
    """What ccm.core and mgmt take for repairs of one of `files` files; each of `rounds` changes another file."""
    args = argparse.Namespace(files=files, rounds=rounds, idle=idle, ccm=programs[OURS].path, mgmt="")
    if MGMT in programs:
        args.mgmt = programs[MGMT].path
    found = {"files": files, "idle": idle, "programs": {}, "failed": {}}
    for name in (OURS, MGMT):
        if name not in programs:
            continue
        with tempfile.TemporaryDirectory(prefix="ccm-bench-") as scratch:
            directory, ours, theirs, apply = watch_commands(scratch, args)
            changes = CHANGES if name == OURS else {"deleted": CHANGES["deleted"]}
            command = ours if name == OURS else theirs
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    watched = measure(name, command, directory, changes, args, apply if name == OURS else ())
            except SystemExit as error:
                found["failed"][name] = str(error.code)
                continue
        found["programs"][name] = {
            "taken": watched.taken,
            "apply": statistics.median(watched.runs) if watched.runs else None,
            "repair_cpu": watched.repair_cpu,
            "idle_cpu": watched.idle_cpu,
            "idle_wakeups": watched.idle_wakeups,
            "memory": watched.memory,
        }
    return found
