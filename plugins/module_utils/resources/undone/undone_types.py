# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Types whose resources undo a change: they restore paths, or give properties their former values."""

from __future__ import annotations

from ...host.restorable_paths import (
    ABSENT,
    DIRECTORY,
    FILE,
    LINK,
    found_at,
    is_replaced,
    paths_in,
    put_back,
    require_replaceable_paths,
)
from ...model.contract import S
from ...model.decision import NOTHING, Decision, Step
from ...model.errors import ResourceFailed
from ...model.provider import Provider
from ...model.resource import Properties, ResourceType
from ...model.state import State
from ...redaction.replacement import REDACTED
from ..mount_points import require_no_mount_on
from ..replacing import warn_of_dropped
from .hidden_paths import require_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping, Sequence

    from ...host.restorable_paths import Found
    from ...model.contract import AnyProvider, AnyType
    from ...model.facets import AnyReversal, Part, Parts
    from ...model.values import Data, Difference
    from .hidden_paths import ManagedPaths
    from .undo_record import UndoRecord

_PRESENT = "present"
_FIELDS = {
    FILE: ("mode", "owner", "group", "sha256"),
    DIRECTORY: ("mode", "owner", "group"),
    LINK: ("target", "owner", "group"),
}
#: So many differences are named.
_MOST_NAMED = 5


class Undone(ResourceType["Properties", S]):
    """A type whose resource undoes a `change` of the type `original`; with `force` also if it was changed since."""

    def __init__(self, original: AnyType, change: UndoRecord, *, force: bool) -> None:
        self.name = original.name
        self.default_provider = original.default_provider
        self.provider_names = original.provider_names
        self.provider_programs = original.provider_programs
        self.name_may_hold_secrets = original.name_may_hold_secrets
        self.semaphores = original.semaphores
        self.original = original
        self.change = change
        self.force = force

    def made(self, values: Data) -> Properties:
        """Return properties of the original type."""
        made: Properties = self.original.made(values)
        return made

    def require_own(self, now: Parts) -> None:
        """Raise ResourceFailed when something else changed the parts to undo."""
        since = {} if self.force else self.change.changed_since(now)
        if since:
            named = [self._described(name, *parts) for name, parts in sorted(since.items())[:_MOST_NAMED]]
            more = f", and {len(since) - _MOST_NAMED} more" if len(since) > _MOST_NAMED else ""
            raise ResourceFailed(
                f"not undone: something else changed it since: {', '.join(named)}{more}; ccm undo --force undoes it "
                "nevertheless, ccm undo --forget leaves it as it is"
            )

    def _described(self, name: str, left: Part | None, now: Part) -> str:
        """Return how a part differs from its state after the change; a value of a type with secrets may be a secret."""
        has_secrets = any(prop.secret for prop in self.original.own_properties)
        is_hidden = has_secrets and left is not None and not isinstance(now, list)
        return f"{name} has another value" if is_hidden else _described(name, left, now)


class UndoneProperties(Undone["State"]):
    """A resource of the original type, with the properties that undo the change."""

    def __init__(self, original: AnyType, change: UndoRecord, how: AnyReversal, *, force: bool) -> None:
        super().__init__(original, change, force=force)
        self._how = how

    def provider(self, name: str) -> type[AnyProvider]:
        """Return the provider class of the original type."""
        return self.original.provider(name)

    def decide(self, state: State, properties: Properties, refresh: bool) -> Decision:
        """Return the decision of the original type. Raises ResourceFailed where something else changed it."""
        now = self._how.parts(properties, state)
        if self.change.before and not self.change.left_to_undo(now):
            return NOTHING
        self.require_own(now)
        decision = self.original.decide(state, properties, False)
        steps = [Step(step.verb, step.would, step.done) for step in decision.steps]
        for step in steps[:1]:
            step.would = f"Would have undone the change: {step.would[:1].lower()}{step.would[1:]}"
        return Decision(*steps, separator=decision.separator)

    def shortfall(self, state: State, properties: Properties) -> str:
        """Return why it is not undone."""
        return self.original.shortfall(state, properties)


class UndoneState(State):
    """The states of the paths of a change `now`; `full` are the directories to remove that hold something else."""

    type = ""
    now: Parts
    full: frozenset[str] = frozenset()

    def __init__(self, change: UndoRecord, provider: str, gone: set[str]) -> None:
        self.now = {path: found_at(path) for path in change.before}
        self._type = change.type
        self.full = frozenset(_full(change, self.now, gone))
        ensure = _ensure(self.now.get(change.name, _PRESENT))
        super().__init__(change.name, ensure, {"metadata": {"name": change.name, "provider": provider}})

    def common(self) -> Data:
        """Return the common part, with the type of the resource."""
        return {**super().common(), "type": self._type, "protocol": f"io.choria.ccm.v1.resource.{self._type}.state"}


class UndonePaths(Undone["UndoneState"]):
    """Restores paths; `content` returns the path of a file with the saved content of a file.

    `managed` are the paths that the manifest manages. In noop, `gone` are the paths that are removed before.
    """

    verbs = ("put_back",)

    def __init__(
        self,
        original: AnyType,
        change: UndoRecord,
        content: Callable[[Found], str],
        managed: ManagedPaths,
        gone: set[str],
        *,
        force: bool,
    ) -> None:
        super().__init__(original, change, force=force)
        self.content = content
        self.managed = managed
        self.gone = gone

    def provider(self, name: str) -> type[AnyProvider]:
        """Return the provider, which has the name of the original provider."""
        return type("_Provider", (_PathsProvider,), {"name": name, "type": self})

    def decide(self, state: UndoneState, properties: Properties, refresh: bool) -> Decision:
        """Return whether anything is to be put back. Raises ResourceFailed where something else changed it."""
        left = _left(self.change, state)
        main = self.change.name
        if main in state.full and not self.force:
            raise ResourceFailed(
                f"not undone: {main} is not empty; remove what is in it, or let ccm undo --forget leave it as it is"
            )
        if not left:
            return NOTHING
        self.require_own({**state.now, **{path: self.change.before[path] for path in state.full}})
        removed = sum(part == [ABSENT] for part in left.values())
        done = [f"{count} {word}" for count, word in ((removed, "removed"), (len(left) - removed, "put back")) if count]
        return Decision(Step("put_back", f"Would have undone the change: {', '.join(done)}", "Undone"))

    def shortfall(self, state: UndoneState, properties: Properties) -> str:
        """Return why it is not undone."""
        left = _left(self.change, state)
        return f"not undone: {', '.join(sorted(left)[:_MOST_NAMED])}" if left else ""


class _PathsProvider(Provider["Properties", "UndoneState"]):
    """Reads and restores the paths of a change."""

    type: UndonePaths

    def status(self, properties: Properties) -> UndoneState:
        """Return the state of the paths.

        Raises ResourceFailed when a mount may hide it, and when a path to remove or replace is a mount point.
        """
        change = self.type.change
        state = self._state()
        left = _paths(change.left_to_undo(state.now))
        now = _paths(state.now)
        require_no_mount_on([path for path, part in left.items() if is_replaced(part, now[path])])
        require_seen(change, state.now, self.type.managed, force=self.type.force)
        return state

    def status_after(self, properties: Properties, before: UndoneState) -> UndoneState:
        """Return the state of the paths."""
        return self._state()

    def require_possible(self, verb: str, properties: Properties, state: UndoneState) -> None:
        """Raise HostError when a file or a link cannot replace something at its path."""
        require_replaceable_paths(self._left(state), self.type.gone)

    def put_back(self, properties: Properties, state: UndoneState) -> None:
        """Restore the paths that are left to undo."""

        def dropped(path: str, names: Sequence[str]) -> None:
            warn_of_dropped(self.user_log, path, names)

        put_back(self._left(state), self.type.content, dropped)

    def _state(self) -> UndoneState:
        return UndoneState(self.type.change, self.name, self.type.gone)

    def _left(self, state: UndoneState) -> dict[str, Found]:
        """Return the states to restore, by their paths."""
        return _paths(_left(self.type.change, state))

    def differences(self, properties: Properties, state: UndoneState) -> list[Difference]:
        """Return how each path differs; contents are not shown."""
        left = _left(self.type.change, state)
        return [
            {
                "before_header": path,
                "after_header": path,
                "before": self._shown(state.now[path]),
                "after": self._shown(part),
            }
            for path, part in sorted(left.items())
        ]

    def _shown(self, part: Part) -> dict[str, str | bool | None]:
        shown = _shown(part)
        if self.type.change.is_sensitive and "sha256" in shown:
            shown["sha256"] = REDACTED
        return shown


def undone_ensure(change: UndoRecord) -> str:
    """Return the value of `ensure` of a resource once its change is undone."""
    return _ensure(change.before.get(change.name, _PRESENT))


def _ensure(part: Part) -> str:
    kind = part[0] if isinstance(part, list) else part
    return str(kind) if kind in (ABSENT, DIRECTORY) else _PRESENT


def _paths(parts: Parts) -> dict[str, Found]:
    return {path: part for path, part in parts.items() if isinstance(part, list)}


def _left(change: UndoRecord, state: UndoneState) -> Parts:
    return {path: part for path, part in change.left_to_undo(state.now).items() if path not in state.full}


def _full(change: UndoRecord, now: Parts, gone: set[str]) -> set[str]:
    """Return the directories to remove that hold other paths than removed and `gone` ones, or such a directory."""
    full: set[str] = set()
    own = {path for path, part in change.before.items() if part == [ABSENT]}
    removed = own | gone
    for path in sorted(own, key=lambda each: each.count("/"), reverse=True):
        found = now[path]
        if isinstance(found, list) and found[0] == DIRECTORY:
            inside = set(paths_in(path))
            if inside - removed or inside & full:
                full.add(path)
    return full


def _shown(part: Part) -> dict[str, str | bool | None]:
    if not isinstance(part, list):
        return {"ensure": str(part)}
    kind, *fields = part
    names: Sequence[str] = _FIELDS.get(str(kind), ())
    return {"ensure": str(kind), **{name: str(value) for name, value in zip(names, fields)}}


def _described(name: str, left: Part | None, now: Part) -> str:
    """Return how a part differs from its state after the change."""
    if left is None:
        return f"{name}, which was not seen after the change"
    before, after = _shown(left), _shown(now)
    if not isinstance(now, list):
        return f"{name} is {now}, was {left}"
    if before["ensure"] != after["ensure"]:
        return f"{name} is {after['ensure']}, was {before['ensure']}"
    differing = [field for field in after if before[field] != after[field]]
    shown = ["has another content" if field == "sha256" else _changed(field, before, after) for field in differing]
    return f"{name} {' and '.join(shown)}"


def _changed(field: str, before: Mapping[str, object], after: Mapping[str, object]) -> str:
    return f"has {field} {after[field]}, had {before[field]}"
