# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm undo`: undo the changes of resources with `meta.reverse` (docs/state.md)."""

from __future__ import annotations

import sys

from ..data.environment import facts_of_machine
from ..engine.between_runs import KEY_SEPARATOR, StateBetweenRuns
from ..engine.context import Context
from ..engine.event_log import EventLog
from ..engine.session import Session
from ..engine.state.manifests import stored_manifest
from ..engine.undo import undo
from ..host.machine import Machine
from ..lang.controls import escaped
from ..model.errors import CCMError
from ..model.flags import Argument, Flag
from ..resources.types import references
from ..resources.undone.undone_types import Undone
from .apply import DIFF, Differences
from .command import Command
from .console import Console
from .state_flags import PLACE
from .stored_manifests import WHICH, root_of, stored_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.state.kept import KeptChanges
    from ..model.event import Event
    from ..model.flags import Values

_FAILED = 1
_NOTHING = "Nothing to undo: only changes of resources with meta: {reverse: true} can be undone"


def _undo(values: Values) -> int:
    if values.force and values.forget:
        raise CCMError("--force undoes changes, and --forget leaves them as they are", advice="leave one out")
    console = Console(values)
    root = root_of(values)
    identity = stored_identity(root, values.manifest)
    stored_manifest(root, identity)
    state = StateBetweenRuns(root, identity, console.user_log, writes=not values.noop)
    kept = state.changes.kept
    chosen = _chosen(list(kept.all), values.resource, kept)
    lost = _chosen(list(kept.lost), values.resource, kept)
    if values.forget:
        return _forget(list(dict.fromkeys([*chosen, *lost])), state, values)
    if chosen and not values.noop and not state.changes.can_note():
        return _FAILED
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
    for key in lost:
        console.user_log.error(f"A change cannot be undone: {kept.lost[key]}", resource=key)
    total = len({*chosen, *lost})
    try:
        events = list(undo([kept.all[key] for key in chosen], context, sinks, state, force=values.force))
    finally:
        context.close()
    done_keys = {_key(event) for event in events if not event.failed}
    undone = len(done_keys.difference(lost))
    if not console.is_json:
        done = "would be undone" if values.noop else "undone"
        counted = f"{undone} of {total} changes {done}" if total else _NOTHING
        sys.stdout.write(f"{counted}\n")
    state.changes.close()
    return _FAILED if undone < total or state.changes.fault else 0


def _key(event: Event) -> str:
    """Return the key of the resource whose change an event undid."""
    type = event.resource.type if event.resource else None
    return type.change.key if isinstance(type, Undone) else ""


def _forget(keys: list[str], state: StateBetweenRuns, values: Values) -> int:
    for key in [] if values.noop else keys:
        state.changes.strike(key, is_undone=False)
    would = "would be " if values.noop else ""
    sys.stdout.writelines(f"The change of {escaped(key)} {would}forgotten\n" for key in keys)
    return 0


def _chosen(keys: list[str], resources: list[str], kept: KeptChanges) -> list[str]:
    """Return the keys of the resources that a user names, all without any. Raises CCMError for an unknown one."""
    chosen = []
    for name in resources:
        known = [*kept.all, *(key for key in kept.lost if key not in kept.all)]
        if not any(_is_named(key, name) for key in known):
            shown = escaped(", ".join(kept.all)) or "none"
            raise CCMError(f"no change of {name} can be undone", value=name, advice=f"those that can: {shown}")
        chosen += [key for key in keys if _is_named(key, name)]
    return list(dict.fromkeys(chosen)) if resources else keys


def _is_named(key: str, name: str) -> bool:
    """Return whether a word names the resource of a key: by the key, or by its reference at the end of it."""
    return key == name or key.endswith(KEY_SEPARATOR + name)


COMMAND = Command(
    "undo",
    "Undo what a manifest changed",
    details="""Bring back what was there before the first change of each resource with `meta: {reverse: true}`, or run
the command of `meta: {undo: COMMAND}`. The last change is undone first. The manifest itself may be gone.

Resources are named as `ccm state show` lists them, or as type#name. What something else changed since then is
not undone without --force. With --forget everything is left as it is. When the manifest still has the
resources, the next run changes them again.

Undo goes back to the first run with state: what a run with --no-state changed before is not known.

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
