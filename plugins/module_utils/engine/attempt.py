# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One attempt to bring a resource to its state."""

from __future__ import annotations

from ..model.decision import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.contract import AnyProvider
    from ..model.decision import Decision
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Difference
    from .context import Context


class Attempt:
    """What all tries of one resource work with; with `refresh` the resource is refreshed also when nothing changed.

    `owed` says since when, and because of what, where earlier runs owe a refresh.

    With `noop` it only reports. It `is_retried` after its first try. Once it is decided it has the `decision`, the
    `state` before it, and the `differences` that acting will make. It `is_prepared` when its group decided it before
    the transaction, and `is_done` when its group also carried that out; then `spent` is its share of the time of
    `act_on_batch`, and `paused` how long the resource waited for its group, both in ns. `generation` is the
    generation of the machine before the state after acting was read.
    """

    state: State
    decision: Decision = NOTHING
    is_retried = False
    is_prepared = False
    is_done = False
    spent = 0
    paused = 0
    owed = ""
    generation = 0

    def __init__(self, resource: Resource, provider: AnyProvider, context: Context, refresh: bool) -> None:
        self.resource = resource
        self.provider = provider
        self.context = context
        self.refresh = refresh
        self.noop = context.noop and not resource.type.applies_manifests
        self.differences: list[Difference] = []
