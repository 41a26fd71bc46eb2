# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How `meta` changes the management of a resource: tries, and what others notify."""

from __future__ import annotations

import time

from ..host.errors import HostError
from ..model.errors import CCMError
from ..model.meta import delay_of
from ..redaction.texts import without_text_secrets
from .conditions import any_changed
from .transaction import converge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..model.contract import AnyProvider
    from ..model.resource import Resource
    from ..model.state import State
    from .context import Context
    from .prepared import PreparedResource

_LONGEST_PAUSE = 0.1


class Treatment:
    """The treatment of the resources of a manifest.

    `notifying` are the references of the resources that notify others, by type and name of these.
    """

    def __init__(self, notifying: Mapping[tuple[str, str], Sequence[str]]) -> None:
        self._notifying = notifying

    def converge(
        self,
        resource: Resource,
        provider: AnyProvider,
        context: Context,
        refresh: bool,
        prepared: PreparedResource | None,
    ) -> State:
        """Bring a resource to its state as its `meta` says. Raises what the last try raises."""
        notifying = self._notifying.get((resource.type.name, resource.properties.name), ())
        refresh = refresh or any_changed(notifying, context)
        meta = resource.properties.meta
        if not meta:
            return converge(resource, provider, context, refresh, prepared)
        tries = 0
        while True:
            try:
                return converge(resource, provider, context, refresh, prepared)
            except (CCMError, HostError) as error:
                tries += 1
                if context.is_interrupted or tries > meta["retry"] >= 0:
                    raise
                reason = without_text_secrets(str(error))
            context.user_log.info("Trying again", resource=resource.reference, tries=tries, reason=reason)
            _pause(delay_of(meta), context)
            # Sinks receive the first decision only.
            context = context.changed(sinks=())


def _pause(delay: int, context: Context) -> None:
    """Wait so many nanoseconds, or until the run is interrupted."""
    end = time.monotonic_ns() + delay
    while not context.is_interrupted:
        left = (end - time.monotonic_ns()) / 1e9
        if left <= 0:
            return
        time.sleep(min(left, _LONGEST_PAUSE))
