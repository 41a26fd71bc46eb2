# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm undo`: undo the changes of resources with `meta.reverse` (docs/state.md)."""

from __future__ import annotations

import sys

from ..data.environment import facts_of_machine
from ..engine.context import Context
from ..engine.event_log import EventLog
from ..engine.session import Session
from ..engine.state.all_manifests import stored_manifest
from ..engine.state.run_state import RunState
from ..engine.state.store import ManifestStore
from ..engine.state.undo import undo
from ..host.machine import Machine
from ..lang.controls import escaped
from ..model.errors import CCMError
from ..model.flags import Argument, Flag
from ..resources.types import references
from .apply import DIFF, Differences
from .command import Command
from .console import Console
from .state_flags import PLACE
from .stored_manifests import WHICH, root_of, stored_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.state.undo_record import UndoRecord
    from ..model.flags import Values

_FAILED = 1


def _undo(values: Values) -> int:
    if values.force and values.forget:
        raise CCMError("--force undoes changes, and --forget leaves them as they are", advice="leave one out")
    console = Console(values)
    root = root_of(values)
    identity = stored_identity(root, values.manifest)
    stored_manifest(root, identity)
    state = RunState(ManifestStore(root, identity, console.user_log), console.user_log, writes=not values.noop)
    chosen = _chosen(list(state.changes.undo_journal.all.values()), values.resource)
    if values.forget:
        return _forget(chosen, state, values)
    session = Session()
    session.start()
    context = Context(
        session,
        machine=Machine(console.user_log.before_waiting),
        noop=values.noop,
        log=console.log,
        user_log=console.user_log,
        facts=facts_of_machine(console.log),
    )
    sinks = (EventLog(console.user_log), session, *((Differences(console),) if values.diff else ()))
    events = list(undo(chosen, context, sinks, state, force=values.force))
    failed = sum(event.failed for event in events) + len(chosen) - len(events)
    if not console.is_json:
        done = "would be undone" if values.noop else "undone"
        counted = f"{len(chosen) - failed} of {len(chosen)} changes {done}" if chosen else "Nothing to undo"
        sys.stdout.write(f"{counted}\n")
    return _FAILED if failed or state.changes.is_unusable else 0


def _forget(changes: list[UndoRecord], state: RunState, values: Values) -> int:
    for change in [] if values.noop else changes:
        state.changes.strike(change.key, is_undone=False)
    would = "would be " if values.noop else ""
    sys.stdout.writelines(f"The change of {escaped(change.key)} {would}forgotten\n" for change in changes)
    return 0


def _chosen(changes: list[UndoRecord], resources: list[str]) -> list[UndoRecord]:
    """Return the changes of the resources that a user names, all without any. Raises CCMError for an unknown one."""
    chosen = []
    for name in resources:
        found = [change for change in changes if name in (change.key, change.declared[-1][2])]
        if not found:
            known = escaped(", ".join(change.key for change in changes)) or "none"
            raise CCMError(f"no change of {name} can be undone", value=name, advice=f"those that can: {known}")
        chosen += found
    return list(dict.fromkeys(chosen)) if resources else changes


COMMAND = Command(
    "undo",
    "Undo what a manifest changed",
    details="""Bring back what was there before the first change of each resource with `meta: {reverse: true}`, or run
the command of `meta: {undo: COMMAND}`. The last change is undone first. The manifest itself may be gone.

Resources are named as `ccm state show` lists them, or as type#name. What something else changed since then is
not undone without --force. With --forget everything is left as it is. When the manifest still has the
resources, the next run changes them again.

The exit status is 0 when all was undone, and 1 when any was not.""",
    arguments=(
        Argument("manifest", WHICH, required=True, path="file"),
        Argument("resource", "Resources whose changes are undone, by default all", kind="texts", offered=references),
    ),
    flags=(
        Flag("noop", "set", "Report what would be undone, and change nothing"),
        DIFF,
        Flag("force", "set", "Also undo what something else changed since"),
        Flag("forget", "set", "Undo nothing, and forget what was there before"),
        PLACE,
    ),
    run=_undo,
)
