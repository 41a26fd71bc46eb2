# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits that a user sets for providers: times to wait, sizes of downloads, and the age of a package index."""

from __future__ import annotations

from ..lang.digits import whole_number
from ..lang.durations import DurationError, parse
from .errors import InvalidResource

_MOST_TRIES = 100
# Units of sizes, each with its power of two.
_UNITS = {"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30, "TiB": 40}


def provider_options(
    *,
    lock_timeout: str | None = "",
    download_timeout: str | None = "",
    download_tries: int | None = None,
    download_limit: str | None = "",
    package_index: str | None = "",
) -> dict[str, int]:
    """Return the options of providers by name, durations in ns, without options that are not given or empty.

    Raises InvalidResource for values below zero, and for a download with no time or no try at all.
    """
    found = {}
    durations = (
        ("lock_timeout", lock_timeout, 0),
        ("download_timeout", download_timeout, 1),
        ("package_index", package_index, 0),
    )
    for name, text, least in durations:
        if text:
            found[name] = _duration(name, text, least)
    if download_tries is not None:
        if not 1 <= download_tries <= _MOST_TRIES:
            reason = f"download_tries must be from 1 to {_MOST_TRIES}"
            raise InvalidResource(reason, property="download_tries", value=download_tries)
        found["download_tries"] = download_tries
    if download_limit:
        found["download_limit"] = _size("download_limit", download_limit)
    return found


def _size(property: str, text: str) -> int:
    """Return the number of bytes of a size like 500MiB. Raises InvalidResource."""
    number, unit = text.rstrip("BKMGTi"), text[len(text.rstrip("BKMGTi")) :]
    bytes_of_unit = whole_number(number)
    if not bytes_of_unit or unit not in _UNITS:
        raise InvalidResource(
            f'{property} "{text}" is not a size',
            property=property,
            value=text,
            advice="write a size like 500MiB or 2GiB",
        )
    return bytes_of_unit << _UNITS[unit]


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
