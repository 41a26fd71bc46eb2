# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How `meta` changes the management of a resource: tries, their time, and what others notify."""

from __future__ import annotations

import time

from ..host.errors import HostError
from ..model.errors import CCMError, ResourceFailed
from ..model.meta import NotDoneInTime, delay_of, timeout_of
from ..model.sending import HIDDEN, is_sensitive
from ..redaction.texts import without_text_secrets
from .around import Around
from .conditions import any_changed
from .semaphores import require_free

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Meta
    from .around import Applied, Go, Work
    from .attempt import Attempt
    from .context import Context
    from .notifying import Notifying

_LONGEST_PAUSE = 0.1


class Treatment(Around):
    """Manages the resources of a manifest in one run as their `meta` says.

    `notifying` says which of the `resources` others notify, and which resources of manifests that these apply.
    A resource that is managed again has the tries that it did not use before.
    """

    def __init__(self, notifying: Notifying, resources: Sequence[Resource]) -> None:
        self.notifying = notifying
        self._outside = notifying.outside(resources)
        self._failures: dict[tuple[str, str], int] = {}

    def child(self, applied: Applied) -> Treatment:
        """Return the treatment of the resources of an applied manifest, which these resources may notify too."""
        own = applied.manifest.notifying
        notifying = own.joined(self._outside) if own else self._outside
        return Treatment(notifying, applied.manifest.resources)

    def attempt(self, attempt: Attempt, go: Go) -> Work[State]:
        """Bring a resource to its state as its `meta` says. Raises what the last try raises."""
        resource, context = attempt.resource, attempt.context
        attempt.refresh = attempt.refresh or any_changed(self.notifying.of(resource), context)
        meta = resource.properties.meta
        if not meta:
            return (yield from go(attempt))
        if meta["sema"]:
            require_free(meta["sema"])
        key = (resource.type.name, resource.properties.name)
        while True:
            try:
                state = yield from _in_time(meta, attempt, go)
            except (CCMError, HostError) as error:
                failures = self._failures[key] = self._failures.get(key, 0) + 1
                deadline = context.machine.deadline
                is_too_late = deadline is not None and time.monotonic_ns() + delay_of(meta) >= deadline
                is_last = failures > meta["retry"] >= 0 or is_too_late
                if is_last or context.is_interrupted:
                    raise
                reason = HIDDEN if is_sensitive(resource.properties) else without_text_secrets(str(error))
                context.user_log.info("Trying again", resource=resource.reference, tries=failures, reason=reason)
                _pause(delay_of(meta), context)
                if context.is_interrupted:
                    raise
            else:
                if meta["retry_reset"]:
                    self._failures.pop(key, None)
                return state
            # Sinks receive the first decision only.
            attempt.context = context.changed(sinks=())
            attempt.is_retried = True


def _in_time(meta: Meta, attempt: Attempt, go: Go) -> Work[State]:
    """Bring a resource to its state. Raises ResourceFailed after the timeout of its `meta`, else what a try raises."""
    timeout, machine = timeout_of(meta), attempt.context.machine
    if not timeout:
        return (yield from go(attempt))
    outer, own = machine.deadline, time.monotonic_ns() + timeout
    machine.deadline = own if outer is None else min(outer, own)
    try:
        return (yield from go(attempt))
    except (CCMError, HostError) as error:
        if time.monotonic_ns() < own:
            raise
        reason, advice = f"was not done within its timeout of {meta['timeout']}", ""
        if isinstance(error, NotDoneInTime):
            reason, advice = f"{reason}: {error.message}", error.advice
        raise ResourceFailed(reason, property="meta.timeout", value=meta["timeout"], advice=advice) from error
    finally:
        machine.deadline = outer


def _pause(delay: int, context: Context) -> None:
    """Wait so many nanoseconds, or until the run is interrupted."""
    end = time.monotonic_ns() + delay
    while not context.is_interrupted:
        left = (end - time.monotonic_ns()) / 1e9
        if left <= 0:
            return
        context.machine.pause(min(left, _LONGEST_PAUSE))
