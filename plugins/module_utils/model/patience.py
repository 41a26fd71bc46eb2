# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How long people want to wait for what another process holds."""

from __future__ import annotations

from ..lang.durations import DurationError, parse
from .errors import InvalidResource


def lock_timeout(text: str) -> int | None:
    """A duration in ns, None for the empty text. Raises InvalidResource, also for a time before now."""
    if not text:
        return None
    try:
        found = parse(text)
        reason = "negative"
    except DurationError as error:
        found = -1
        reason = str(error)
    if found < 0:
        raise InvalidResource(
            f'lock_timeout "{text}": {reason}',
            property="lock_timeout",
            value=text,
            advice="write a duration like 30s or 5m",
        )
    return found
