# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""How long people want to wait: for what another process holds, and for what a server sends."""

from __future__ import annotations

from ..lang.durations import DurationError, parse
from .errors import InvalidResource

_MOST_TRIES = 100


def patience(
    *, lock_timeout: str | None = "", download_timeout: str | None = "", download_tries: int | None = None
) -> dict[str, int]:
    """What providers are given of it, by name, durations in ns; what is not given or empty is left out.

    Raises InvalidResource for less than nothing, and for a download with no time or no try at all.
    """
    found = {}
    for name, text, least in (("lock_timeout", lock_timeout, 0), ("download_timeout", download_timeout, 1)):
        if text:
            found[name] = _duration(name, text, least)
    if download_tries is not None:
        if not 1 <= download_tries <= _MOST_TRIES:
            reason = f"download_tries must be from 1 to {_MOST_TRIES}"
            raise InvalidResource(reason, property="download_tries", value=download_tries)
        found["download_tries"] = download_tries
    return found


def _duration(property: str, text: str, least: int) -> int:
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
