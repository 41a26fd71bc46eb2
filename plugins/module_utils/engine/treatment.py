# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How `meta` changes the management of a resource: tries, their time, and what others notify."""

from __future__ import annotations

import time

from ..host.errors import HostError
from ..model.errors import CCMError, NotDoneInTime, ResourceFailed
from ..model.meta import delay_of, timeout_of
from ..model.sending import HIDDEN, is_sensitive
from ..redaction.texts import without_text_secrets
from .conditions import any_changed
from .graph.references import names_of
from .transaction import converge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Meta
    from .attempt import Attempt
    from .context import Context, Converge
    from .passed_on import Notifying as NotifyingAbove

_LONGEST_PAUSE = 0.1


class Notifying:
    """The `references` of the resources that notify others, by the references to these."""

    def __init__(self, references: Mapping[str, Sequence[str]]) -> None:
        self.references = references

    def of(self, resource: Resource) -> list[str]:
        """Return the references of those that notify a resource, by its name or its alias."""
        return [first for name in names_of(resource) for first in self.references.get(name, ())]

    def joined(self, other: NotifyingAbove | None) -> Notifying:
        """Return these and the other ones."""
        if other is None:
            return self
        both = {**self.references}
        for name, first in other.references.items():
            both[name] = [*both.get(name, ()), *first]
        return Notifying(both)

    def treatment(self) -> Converge:
        """Return what brings the resources of a manifest to their state in one run."""
        return Treatment(self).converge

    def outside(self, resources: Sequence[Resource]) -> Notifying:
        """Return those that notify none of these resources."""
        own = {name for resource in resources for name in names_of(resource)}
        return Notifying({name: first for name, first in self.references.items() if name not in own})


class Treatment:
    """The treatment of the resources of a manifest in one run.

    A resource that is managed again has the tries that it did not use before.
    """

    def __init__(self, notifying: Notifying) -> None:
        self._notifying = notifying
        self._failures: dict[tuple[str, str], int] = {}

    def converge(self, attempt: Attempt) -> State:
        """Bring a resource to its state as its `meta` says. Raises what the last try raises."""
        resource, context = attempt.resource, attempt.context
        key = (resource.type.name, resource.properties.name)
        attempt.refresh = attempt.refresh or any_changed(self._notifying.of(resource), context)
        meta = resource.properties.meta
        if not meta:
            return converge(attempt)
        while True:
            try:
                state = _in_time(meta, attempt)
            except (CCMError, HostError) as error:
                failures = self._failures[key] = self._failures.get(key, 0) + 1
                is_last = failures > meta["retry"] >= 0 or _is_too_late(delay_of(meta), context)
                if is_last or context.is_interrupted:
                    raise
                reason = HIDDEN if is_sensitive(resource.properties) else without_text_secrets(str(error))
            else:
                if meta["retry_reset"]:
                    self._failures.pop(key, None)
                return state
            context.user_log.info("Trying again", resource=resource.reference, tries=failures, reason=reason)
            _pause(delay_of(meta), context)
            # Sinks receive the first decision only.
            attempt.context = context.changed(sinks=())


def _in_time(meta: Meta, attempt: Attempt) -> State:
    """Bring a resource to its state within the timeout of its `meta`.

    Raises ResourceFailed when that is over, and what the try raises.
    """
    timeout, machine = timeout_of(meta), attempt.context.machine
    if not timeout:
        return converge(attempt)
    outer, own = machine.deadline, time.monotonic_ns() + timeout
    machine.deadline = own if outer is None else min(outer, own)
    try:
        return converge(attempt)
    except (CCMError, HostError) as error:
        if time.monotonic_ns() < own:
            raise
        reason, advice = f"was not done within its timeout of {meta['timeout']}", ""
        if isinstance(error, NotDoneInTime):
            reason, advice = f"{reason}: {error.message}", error.advice
        raise ResourceFailed(reason, property="meta.timeout", value=meta["timeout"], advice=advice) from error
    finally:
        machine.deadline = outer


def _is_too_late(delay: int, context: Context) -> bool:
    """Return whether another try, after so many ns, would come after the time of what applies the manifest."""
    deadline = context.machine.deadline
    return deadline is not None and time.monotonic_ns() + delay >= deadline


def _pause(delay: int, context: Context) -> None:
    """Wait so many nanoseconds, or until the run is interrupted."""
    end = time.monotonic_ns() + delay
    while not context.is_interrupted:
        left = (end - time.monotonic_ns()) / 1e9
        if left <= 0:
            return
        context.machine.pause(min(left, _LONGEST_PAUSE))
