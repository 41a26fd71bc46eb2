# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Providers with `close`: they live as long as a run or a watching, and one context at a time uses each of them."""

from __future__ import annotations

from ..host.errors import HostError
from ..model.errors import CCMError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..model.contract import AnyProvider
    from ..model.log import Log
    from ..model.provider import ProviderContext
    from .context import Context


UNCLOSED = "A provider could not be closed"


def taken(context: Context, provider: type[AnyProvider], known: ProviderContext[Any]) -> AnyProvider:
    """Return an instance of a class that serves a context from now on: an unused one that it took, or a new one.

    Raises what the type of a package raises; an instance that cannot begin again is closed.
    """
    found = _taken(context.unused, provider)
    if found is None:
        found = provider(known)
    else:
        try:
            found.begin(known)
        except Exception:
            close([found], context.user_log)
            raise
    context.lasting.append(found)
    return found


def _taken(unused: list[AnyProvider], provider: type[AnyProvider]) -> AnyProvider | None:
    for each in list(unused):
        if each.__class__ is provider:
            try:
                unused.remove(each)
            except ValueError:
                continue  # another thread was faster
            return each
    return None


def close(providers: list[AnyProvider], log: Log) -> None:
    """Close providers, the last one first; a fault is a warning, for what they did is done."""
    while providers:
        provider = providers.pop()
        try:
            provider.close()
        except (CCMError, HostError) as error:
            log.warn(UNCLOSED, provider=provider.name, reason=str(error))
