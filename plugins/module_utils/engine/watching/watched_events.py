# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A source of events of a provider: the loop of `ccm watch` waits for it (docs/writing-a-type.md, Events)."""

from __future__ import annotations

from ...host.errors import HostError, errno_of, reason_of
from ...model.errors import CCMError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from ...host.event_loop import EventLoop
    from ...model.event_source import EventSource

#: How long the loop does not look at a source after it was read, in seconds: others have their turn, and events come
#: in groups.
_PAUSE = 0.02


class WatchedEvents:
    """Reads a source when it can be read, calls `changed` when the resource may have changed, and `ended` at its end.

    `ended` gets the reason, and `has_read`: whether anything was read before. The source is closed then.
    """

    def __init__(
        self, source: EventSource, loop: EventLoop, changed: Callable[[], None], ended: Callable[..., None]
    ) -> None:
        self._source = source
        self._loop = loop
        self._changed = changed
        self._ended = ended
        # The descriptor that the loop looks at, None for none.
        self._fd: int | None = None
        self._is_over = self._has_read = False

    def begin(self) -> None:
        """Have the loop look at the source, unless it is over."""
        if not self._is_over:
            self._try(self._look)

    def end(self) -> None:
        """Close the source."""
        self._look_no_more()
        if not self._is_over:
            self._is_over = True
            try:
                self._source.close()
            except (CCMError, HostError, OSError):
                return  # it is not used any more

    def _look(self) -> None:
        fd = self._source.fileno()
        self._loop.add_reader(fd, self._read)
        self._fd = fd

    def _look_no_more(self) -> None:
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            self._fd = None

    def _read(self) -> None:
        self._look_no_more()
        self._try(self._take)

    def _take(self) -> None:
        has_changed = self._source.read()
        self._has_read = True
        if has_changed:
            self._changed()
        self._loop.call_after(_PAUSE, self.begin)

    def _try(self, call: Callable[[], None]) -> None:
        try:
            call()
        except (CCMError, HostError) as error:
            self._fail(str(error))
        except (OSError, ValueError, KeyError) as error:
            # The loop refuses the descriptor.
            number = errno_of(error) if isinstance(error, OSError) else 0
            self._fail(f"its descriptor cannot be waited for: {reason_of(number) if number else error}")

    def _fail(self, reason: str) -> None:
        self.end()
        self._ended(reason, has_read=self._has_read)
