# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Semaphores of calls that were given up: they stay taken while such a call goes on (architecture.md, Time limits)."""

from __future__ import annotations

from ..host.given_up import calls_that_go_on
from ..model.errors import ResourceFailed
from ..model.meta import semaphore, type_semaphore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import AbstractSet, Sequence


def taken_by_calls(name: str, running: AbstractSet[str]) -> int:
    """Return how many calls that go on have a semaphore, without those about resources that are `running` again."""
    return sum(name in call.semaphores and running.isdisjoint(call.references) for call in calls_that_go_on())


def require_free(declared: Sequence[str]) -> None:
    """Raise ResourceFailed when calls that go on have all of one of the semaphores that `meta.sema` declares."""
    for name, count in map(semaphore, declared):
        _require_free(name, name, count)


def require_free_of_types(names: Sequence[str]) -> None:
    """Raise ResourceFailed when a call that goes on has one of the semaphores of a type."""
    for name in names:
        _require_free(type_semaphore(name), name, 1)


def _require_free(name: str, shown: str, count: int) -> None:
    calls = [call for call in calls_that_go_on() if name in call.semaphores]
    if len(calls) >= count:
        raise ResourceFailed(f"the semaphore {shown} is taken: {calls[0]} {calls[0].fault}, and goes on")
