# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How long people want to wait: for what another process holds, and for what a server sends."""

from __future__ import annotations

from ..lang.durations import DurationError, parse
from .errors import InvalidResource

_MOST_TRIES = 100


def lock_timeout(text: str) -> int | None:
    """A duration in ns, None for the empty text. Raises InvalidResource, also for a time before now."""
    return _duration("lock_timeout", text, least=0)


def download_patience(timeout: str, tries: int | None) -> dict[str, int]:
    """How long a download may take, in ns, and how often its server is asked at most; what is not given is left out.

    Raises InvalidResource for less than nothing, and for no time or no try at all.
    """
    found = {}
    wanted = _duration("download_timeout", timeout, least=1)
    if wanted is not None:
        found["download_timeout"] = wanted
    if tries is not None:
        if not 1 <= tries <= _MOST_TRIES:
            reason = f"download_tries must be from 1 to {_MOST_TRIES}"
            raise InvalidResource(reason, property="download_tries", value=tries)
        found["download_tries"] = tries
    return found


def _duration(property: str, text: str, least: int) -> int | None:
    if not text:
        return None
    try:
        found = parse(text)
        reason = "negative" if found < 0 else "no time at all"
    except DurationError as error:
        found = -1
        reason = str(error)
    if found < least:
        raise InvalidResource(
            f'{property} "{text}": {reason}',
            property=property,
            value=text,
            advice="write a duration like 30s or 5m",
        )
    return found
