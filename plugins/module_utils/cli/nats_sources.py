# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of a manifest and of data in NATS, for `ccm watch`: the server reports them (docs/watch.md)."""

from __future__ import annotations

from functools import partial

from ..data.sources import parts_of_key
from ..manifest.remote_source import parts_of_object
from ..model.errors import CCMError
from ..nats.key_values import KeyValues
from ..nats.objects import Objects
from .outage import Outage
from .run import nats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ..host.event_loop import EventLoop
    from ..model.flags import Values
    from ..model.log import Log
    from ..nats.ordered import Feed

#: Seconds in which a server reports the present state of a source.
_FIRST = 1.0


class NatsSources:
    """The sources of a manifest that are in NATS: `obj://BUCKET/KEY` and `kv://BUCKET/KEY`.

    Call `begin` before the manifest is read, so that no change is missed, and `watch` afterwards.
    """

    def __init__(self, values: Values, log: Log) -> None:
        self._values = values
        self._log = log
        given = (values.manifest, vars(values).get("hiera") or "")
        self._sources = [source for source in given if source.startswith(("obj://", "kv://"))]
        self._feeds: dict[str, Feed] = {}
        self._outages = {source: Outage() for source in self._sources}
        self._loop: EventLoop | None = None

    def begin(self) -> NatsSources:
        """Have the server report changes from now on, and return itself. What reads the manifest reports errors."""
        for source in self._sources:
            try:
                self._follow(source)
            except CCMError:
                break
        return self

    def watch(self, loop: EventLoop, changed: Callable[[], None]) -> None:
        """Call `changed` for each change, and when a server that was away is back. Raises CCMError."""
        self._loop = loop
        for source in self._sources:
            feed = self._feeds.get(source) or self._follow(source)
            loop.add_reader(feed.fileno(), partial(self._take, source, feed, changed))

    def _follow(self, source: str) -> Feed:
        client = nats_of(self._values).client()
        if source.startswith("obj:"):
            bucket, key = parts_of_object(source)
            feed = Objects(client, bucket).follow(key)
        else:
            bucket, key = parts_of_key(source)
            feed = KeyValues(client, bucket).follow(key)
        self._feeds[source] = feed
        # The present state is no change.
        feed.read(_FIRST)
        return feed

    def _take(self, source: str, feed: Feed, changed: Callable[[], None]) -> None:
        is_changed = False
        while feed.read(0) is not None:
            is_changed = True
        outage = self._outages[source]
        if outage.is_new(feed.problem):
            text = "A source in NATS cannot be followed, what was read stays at work"
            self._log.warn(text, source=source, reason=feed.problem)
        elif outage.is_over(feed.problem):
            self._log.info("The source is followed again", source=source)
            is_changed = True
        if is_changed:
            changed()

    def close(self) -> None:
        """Follow nothing any more."""
        for feed in self._feeds.values():
            if self._loop:
                self._loop.remove_reader(feed.fileno())
            feed.close()
        self._feeds.clear()
