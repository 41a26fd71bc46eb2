# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""One attempt to bring a resource to its state, and what its group did before."""

from __future__ import annotations

from ..model.decision import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.contract import AnyProvider
    from ..model.decision import Decision
    from ..model.resource import Resource
    from ..model.state import State
    from ..model.values import Difference
    from .context import Context


class PreparedResource:
    """What a group found out about one of its resources before the transaction.

    `resource` has its late expressions resolved; `state` and `decision` are from its `provider` and its type,
    `differences` are what acting will make. `done` is whether the decision was carried out, `spent` is its share of the
    time of `act_on_batch`, and `paused` how long the resource waited for its group, both in ns.
    """

    def __init__(
        self,
        resource: Resource,
        provider: AnyProvider,
        state: State,
        decision: Decision,
        differences: Sequence[Difference] = (),
    ) -> None:
        self.resource = resource
        self.provider = provider
        self.state = state
        self.decision = decision
        self.differences = list(differences)
        self.done = False
        self.spent = 0
        self.paused = 0


class Attempt:
    """What all tries of one resource work with; with `refresh` the resource is refreshed also when nothing changed.

    `prepared` is what its group did for it, None for nothing. With `noop` it only reports. It `is_retried` after its
    first try. Once it is decided it has the `decision`, the `state` before it, and the `differences` that acting will
    make.
    """

    state: State
    decision: Decision = NOTHING
    differences: list[Difference]

    def __init__(
        self,
        resource: Resource,
        provider: AnyProvider,
        context: Context,
        refresh: bool,
        prepared: PreparedResource | None,
    ) -> None:
        self.resource = resource
        self.provider = provider
        self.context = context
        self.refresh = refresh
        self.prepared = prepared
        self.noop = context.noop and not resource.type.applies_manifests
        self.is_retried = False
