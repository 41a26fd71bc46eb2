# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm state`: the state that runs save for later runs (docs/state.md)."""

from __future__ import annotations

import os
import sys
import time

from ..engine.state.cause import last_cause, outcome_of
from ..engine.state.manifests import (
    UNUSED_DAYS,
    forget,
    move,
    prune,
    require_stored,
    stored_manifest,
    stored_manifests,
)
from ..lang.controls import escaped
from ..model.errors import CCMError, StoreError
from ..model.flags import Argument, Flag
from .command import Command
from .console import UserLog, table
from .documents import json_document
from .state_flags import PLACE
from .stored_manifests import WHICH, identity_of_word, root_of, stored_identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterable, Iterator

    from ..engine.state.manifests import StoredManifest
    from ..model.flags import Values
    from ..model.values import Data


def _list(values: Values) -> int:
    root = root_of(values)
    stored = stored_manifests(root)
    if values.json:
        _print_json({"directory": root, "manifests": [_summary(each) for each in stored]})
    elif stored:
        _print(_aligned(_row(each) for each in stored if not each.fault))
        _print(f"cannot be read: {each.fault}" for each in stored if each.fault)
    else:
        _print([f"No state is kept in {root}"])
    return 0


def _summary(stored: StoredManifest) -> Data:
    return {
        "manifest": stored.identity,
        "directory": stored.directory,
        "written": stored.saved.written,
        "resources": len(stored.saved.resources),
        "owed": len(stored.saved.owed),
        "gone": stored.is_gone,
        "unreadable_lines": stored.unreadable,
        "lines_are_missing": stored.are_missing,
        "error": stored.fault,
    }


def _row(stored: StoredManifest) -> list[str]:
    saved = stored.saved
    resources, owed = _counted(len(saved.resources), "resource"), _counted(len(saved.owed), "refresh", "es")
    row = [stored.identity or stored.directory, saved.written or "no run ended", resources, f"{owed} owed"]
    changes = saved.changes()
    if changes:
        row.append(f"{_counted(len(changes), 'change')} can be undone")
    row += _damage(stored)
    return [*row, "gone"] if stored.is_gone else row


def _damage(stored: StoredManifest) -> list[str]:
    unreadable = f"{_counted(stored.unreadable, 'line')} cannot be read"
    found = ((stored.unreadable, unreadable), (stored.are_missing, "lines are missing"))
    return [text for is_so, text in found if is_so]


def _show(values: Values) -> int:
    root = root_of(values)
    stored = stored_manifest(root, stored_identity(root, values.manifest))
    if values.json:
        _print_json(_details(stored))
    else:
        _print(_lines(stored))
    return 0


def _details(stored: StoredManifest) -> Data:
    owed: list[Data] = [
        {"resource": each.subscriber, "cause": each.cause, "since": each.since, "doubtful": each.is_doubtful}
        for each in stored.saved.owed.values()
    ]
    return {
        "manifest": stored.identity,
        "directory": stored.directory,
        "written": stored.saved.written,
        "gone": stored.is_gone,
        "unreadable_lines": stored.unreadable,
        "lines_are_missing": stored.are_missing,
        "undo": [{"resource": key, "since": change.since} for key, (_ids, change) in stored.saved.changes().items()],
        "lost": [{"resource": each.key, "reason": each.reason} for each in stored.saved.lost.values()],
        "owed": owed,
        "resources": [_resource(key, entry) for key, (_remains, *entry) in stored.saved.entries()],
    }


def _resource(key: str, entry: list[str]) -> Data:
    found: Data = {"resource": key, "wanted": entry[0], "reached": entry[1]}
    cause, outcome = last_cause(entry), outcome_of(entry)
    if cause:
        found.update(found=entry[2], cause=cause)
    return {**found, "outcome": outcome} if outcome else found


def _lines(stored: StoredManifest) -> Iterator[str]:
    saved = stored.saved
    facts = [("Directory", stored.directory), ("Written", saved.written or "no run ended")]
    if stored.is_gone:
        facts += [("Manifest", "gone")]
    facts += [("Damage", text) for text in _damage(stored)]
    title = f"State of {escaped(stored.identity)}"
    yield from table(title, [(label, escaped(value)) for label, value in facts]).splitlines()
    if saved.owed:
        yield from ("", "Refreshes Owed", "")
        for each in saved.owed.values():
            doubt = ", which failed and may have changed nothing" if each.is_doubtful else ""
            yield f"  {each.subscriber} since {each.since} because of {each.cause}{doubt}"
    changes = saved.changes()
    if changes:
        yield from ("", "Can Be Undone", "")
        yield from (f"  {key} since {change.since}" for key, (_ids, change) in changes.items())
    if saved.lost:
        yield from ("", "Cannot Be Undone", "")
        yield from (f"  {each.key}: {each.reason}" for each in saved.lost.values())
    if saved.resources:
        yield from ("", "Resources", "")
        rows = ([key, _outcome(entry)] for key, (_remains, *entry) in saved.entries())
        yield from (f"  {line}" for line in _aligned(rows))


def _outcome(entry: list[str]) -> str:
    cause = last_cause(entry)
    return outcome_of(entry) or (f"changed: {cause}" if cause else "converged")


def _forget(values: Values) -> int:
    root = root_of(values)
    identities = [stored_identity(root, manifest) for manifest in values.manifest]
    for identity in identities:
        require_stored(root, identity)
    for identity in dict.fromkeys(identities):
        count = _undoable(root, identity)
        forget(root, identity, UserLog(sys.stdout))
        lost = f", with {_counted(count, 'change')} that could be undone" if count else ""
        _print([f"Forgot the state of {identity}{lost}"])
    return 0


def _undoable(root: str, identity: str) -> int:
    """Return how many changes of a manifest can be undone; none when its state cannot be read."""
    try:
        return len(stored_manifest(root, identity).saved.changes())
    except StoreError:
        return 0


def _move(values: Values) -> int:
    root = root_of(values)
    old, new = stored_identity(root, values.old), identity_of_word(values.new)
    if os.path.isdir(new):
        raise StoreError(f"{new} is a directory", value=new, advice="name the file of the manifest")
    move(root, old, new)
    _print([f"Moved the state of {old} to {new}"])
    return 0


def _prune(values: Values) -> int:
    if values.days < 0:
        raise CCMError("--days must be at least 0", value=values.days)
    dropped = prune(root_of(values), values.days, time.time())
    _print(f"Dropped the state of {each.identity}, last written {each.saved.written}" for each in dropped)
    if not dropped:
        _print(["Nothing to drop"])
    return 0


def _aligned(rows: Iterable[list[str]]) -> Iterator[str]:
    shown = [[escaped(word) for word in row] for row in rows]
    width = max(map(len, shown), default=0)
    widths = [max(len(row[at]) for row in shown if len(row) > at) for at in range(width)]
    for row in shown:
        yield "  ".join(word.ljust(widths[at]) for at, word in enumerate(row)).rstrip()


def _counted(count: int, word: str, ending: str = "s") -> str:
    return f"{count} {word}" + ("" if count == 1 else ending)


def _print(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{escaped(line)}\n" for line in lines)


def _print_json(document: Data) -> None:
    sys.stdout.write(json_document(document))


_LIST = Command(
    "state list",
    "List the manifests of which state is kept",
    details="Of a manifest whose first run did not end, the directory is listed.",
    flags=(Flag("json", "set", "Print the list as JSON"),),
    run=_list,
)

_SHOW = Command(
    "state show",
    "Show what is kept of a manifest",
    details="Show which refreshes are owed, and of each resource whether it changed in the last run, and why.",
    arguments=(Argument("manifest", WHICH, required=True, path="file"),),
    flags=(Flag("json", "set", "Print it as JSON"),),
    run=_show,
)

_FORGET = Command(
    "state forget",
    "Remove what is kept of manifests",
    details="""Refreshes that are owed are not made then, and nothing is undone. When no state is kept of one of them,
nothing is removed.""",
    arguments=(Argument("manifest", WHICH, kind="texts", required=True, path="file"),),
    run=_forget,
)

_MOVE = Command(
    "state move",
    "Keep the state of a manifest that was renamed or moved",
    arguments=(
        Argument("old", "What the manifest was: a path, an address, or name:NAME", required=True, path="file"),
        Argument("new", "What it is now", required=True, path="file"),
    ),
    run=_move,
)

_PRUNE = Command(
    "state prune",
    "Drop what is kept of manifests that are gone",
    details="Only manifests that were files are dropped, not those with an address or a name.",
    flags=(Flag("days", "integer", "Only what was not written for so many days", default=UNUSED_DAYS),),
    run=_prune,
)

_FOUND = {"list": _LIST, "show": _SHOW, "forget": _FORGET, "move": _MOVE, "prune": _PRUNE}

COMMAND = Command(
    "state",
    "Manage the state between runs",
    flags=(PLACE,),
    commands=tuple((name, command.help) for name, command in _FOUND.items()),
    find=_FOUND.get,
)
