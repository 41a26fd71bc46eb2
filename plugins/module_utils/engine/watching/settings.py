# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The settings in `meta` of a resource for `ccm watch` (docs/watch.md)."""

from __future__ import annotations

from ...lang.digits import whole_number
from ...lang.durations import DurationError, parse
from ...model.errors import InvalidResource
from ...model.meta import REPAIR, WATCH_MODES, duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model.values import Meta

ALERT, OFF = "alert", "false"
#: A resource that is managed once, at the beginning.
ONCE = "once"
_UNITS = ("ms", "s", "m", "h")


class WatchSettings:
    """How a resource is watched: `mode` is one of REPAIR, ALERT and OFF.

    It is checked every `poll` ns, None for when something changed; with `is_once` only at the beginning. `grace` is the
    time in ns before a repair. It is checked `burst` times, and then once in `interval` ns, None for the default. With
    `rewatch` it is tried and watched anew when the manifest is read again, if it fails or cannot be watched.
    """

    def __init__(self, meta: Meta | None) -> None:
        self.mode, self.poll, self.is_once, self.grace = REPAIR, 0, False, 0
        self.interval: int | None = None
        self.burst = 1
        self.rewatch = True
        if not meta:
            return
        self.mode = meta["watch"] if meta["watch"] in (ALERT, OFF) else REPAIR
        self.is_once = meta["poll"] == ONCE
        self.rewatch = meta["rewatch"] is not False
        if meta["poll"] and not self.is_once:
            advice = "write a duration like 30s, or once"
            self.poll = duration("poll", meta["poll"], advice)
            if not self.poll:
                text = f'poll "{meta["poll"]}" leaves no time'
                raise InvalidResource(text, property="poll", value=meta["poll"], advice=advice)
        self.grace = duration("grace", meta["grace"])
        if meta["limit"]:
            self.interval = _interval(meta["limit"])
            self.burst = meta["burst"] or 1

    @property
    def is_managed_once(self) -> bool:
        """Whether changes and time lead to no further check."""
        return self.mode == OFF or self.is_once

    @property
    def follows_changes(self) -> bool:
        """Whether a change leads to a check."""
        return not (self.is_managed_once or self.poll)


def check_watch_settings(meta: Meta) -> None:
    """Raise InvalidResource for a value that has no meaning."""
    if meta["watch"] and meta["watch"] not in WATCH_MODES:
        raise InvalidResource(
            f"watch must be one of {', '.join(WATCH_MODES)}",
            property="watch",
            value=meta["watch"],
            advice="or leave it out",
        )
    WatchSettings(meta)
    if meta["burst"] and not meta["limit"]:
        raise InvalidResource(
            "burst needs a limit", property="burst", value=meta["burst"], advice="write limit: 2/s beside it"
        )


def _interval(text: str) -> int:
    """Return the ns between two checks of a limit like `2/s` or `1/10s`."""
    count, _slash, period = text.partition("/")
    number = whole_number(count)
    unit = f"1{period}" if period in _UNITS else period
    try:
        found = parse(unit) // number if number and unit[:1].isdigit() else 0
    except DurationError:
        found = 0
    if found <= 0:
        raise InvalidResource(
            f'limit "{text}" is not a number of checks in a time',
            property="limit",
            value=text,
            advice="write it like 2/s or 1/10s",
        )
    return found
