# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages of a stream in its order and without gaps, for a thread that reads them as they come."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from contextlib import suppress
from threading import Condition
from time import monotonic

from .consumer import Consumer
from .errors import NatsError
from .jetstream import api

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator

    from ..model.values import Value
    from .client import Client
    from .messages import StoredMessage

#: Seconds before the first try to go on, and before all others at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0


class Feed:
    """What an ordered consumer delivers, for one reading thread; `fileno` can be read when there is something new.

    A lasting one makes another consumer after the connection was lost, or the stream was removed, and goes on after the
    last message. `problem` says why nothing comes meanwhile, "" while all is well.
    """

    def __init__(
        self, client: Client, stream: str, subjects: tuple[str, ...], deliver: str, *, lasting: bool, timeout: float
    ) -> None:
        self.problem = ""
        self._client = client
        self._stream = stream
        self._subjects = subjects
        self._deliver = deliver
        self._lasting = lasting
        self._timeout = timeout
        self._last: int | None = None
        self._created: Value = None
        self._consumer: Consumer | None = None
        self._task: asyncio.Future[None] | None = None
        # Messages, and the subjects on which the server waits for an answer, sent when the messages before were read.
        self._items: deque[StoredMessage | str] = deque()
        self._error: NatsError | None = None
        self._closed = False
        self._changed = Condition()
        self._pipe: tuple[int, int] | None = None

    async def begin(self) -> None:
        """Make the first consumer, on the event loop. Raises NatsError."""
        self._consumer = await self._begun()
        self._task = asyncio.ensure_future(self._go_on(self._consumer))

    async def _begun(self) -> Consumer:
        connection = await self._client.connected()
        context = self._client.context
        created: Value = None
        if self._lasting:
            info = await api(connection, context, f"STREAM.INFO.{self._stream}", None, self._timeout)
            created = info.get("created")
        consumer = Consumer(connection, context, self._put, self._put)
        start: dict[str, Value] = {"deliver_policy": self._deliver}
        if self._last is not None:
            # A stream that was made again has other messages with the same sequences.
            if created != self._created:
                start = {"deliver_policy": "last_per_subject"}
            else:
                start = {"deliver_policy": "by_start_sequence", "opt_start_seq": self._last + 1}
        await consumer.begin(self._stream, self._subjects, start, self._timeout)
        self._created = created
        return consumer

    async def _go_on(self, consumer: Consumer) -> None:
        """Pass on what the consumer delivers; make another one when it ends."""
        pause = _FIRST_PAUSE
        while True:
            error: NatsError | None = None
            try:
                await consumer.ended()
            except NatsError as ended:
                error = ended
            # Until all that was stored has come, a next consumer begins as this one did.
            if consumer.left == 0 or self._deliver == "new":
                self._last = consumer.last
            await consumer.close()
            while error:
                if not self._lasting:
                    self._end(error)
                    return
                self._note(str(error))
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                try:
                    consumer = self._consumer = await self._begun()
                    error = None
                except NatsError as refused:
                    error = refused
            pause = _FIRST_PAUSE
            self._note("")

    def _put(self, item: StoredMessage | str) -> None:
        with self._changed:
            self._items.append(item)
            self._wake()

    def _note(self, problem: str) -> None:
        with self._changed:
            if problem != self.problem:
                self.problem = problem
                self._wake()

    def _end(self, error: NatsError) -> None:
        with self._changed:
            self._error = error
            self._wake()

    def _wake(self) -> None:
        self._changed.notify_all()
        if self._pipe:
            # It may be full of unread bytes.
            with suppress(BlockingIOError):
                os.write(self._pipe[1], b"x")

    def fileno(self) -> int:
        """Return a descriptor that can be read once there is a message, another `problem` or an error."""
        with self._changed:
            if self._pipe is None:
                self._pipe = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
                if self._items or self._error or self.problem:
                    self._wake()
            return self._pipe[0]

    def read(self, timeout: float | None = None) -> StoredMessage | None:
        """Return the next message; None after so many seconds without one, when `problem` changes, or once closed.

        Raises NatsError where the connection is lost, unless it is lasting.
        """
        end = None if timeout is None else monotonic() + timeout
        with self._changed:
            problem = self.problem
            while True:
                message = self._next()
                if message is not None:
                    return message
                self._empty_pipe()
                if self._error:
                    raise self._error
                # A request for a sign to go on is no message: the server sends more after the sign.
                left = None if end is None else end - monotonic()
                if self._closed or self.problem != problem or (left is not None and left <= 0):
                    return None
                self._changed.wait(left)

    def __iter__(self) -> Iterator[StoredMessage]:
        """Iterate over messages until `close`. Raises NatsError."""
        while not self._closed:
            message = self.read()
            if message is not None:
                yield message

    def _next(self) -> StoredMessage | None:
        while self._items:
            item = self._items.popleft()
            if not isinstance(item, str):
                return item
            self._client.send_later(item)
        return None

    def _empty_pipe(self) -> None:
        if self._pipe:
            with suppress(BlockingIOError):
                os.read(self._pipe[0], 4096)

    def close(self) -> None:
        """End it; a thread that waits for a message is woken."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._items.clear()
            self._wake()
            pipe, self._pipe = self._pipe, None
        for descriptor in pipe or ():
            os.close(descriptor)
        self._client.do_later(self._stop)

    async def _stop(self) -> None:
        if self._task:
            self._task.cancel()
        if self._consumer:
            await self._consumer.close()
