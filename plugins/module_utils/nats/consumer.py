# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""An ephemeral consumer of a stream, on the event loop, that ends as soon as it misses a message."""

from __future__ import annotations

import asyncio

from .errors import NatsError, NatsUnreachable, shown
from .jetstream import api
from .messages import Delivered, StoredMessage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Mapping

    from ..model.values import Value
    from .connection import Connection, Message
    from .contexts import NatsContext

#: Seconds between two signs of life of a consumer, and after how many without one it is given up.
_HEARTBEAT = 5
_SILENCE = 2.5 * _HEARTBEAT
#: Seconds after which the server removes a consumer without a listener.
_INACTIVE = 30
_SECOND = 1_000_000_000


class Consumer:
    """Delivers messages to `receive`, and to `pace` the subjects on which the server waits for a sign to go on.

    `left` is how many stored messages are still to come, `last` the sequence in the stream of the last one.
    """

    def __init__(
        self,
        connection: Connection,
        context: NatsContext,
        receive: Callable[[StoredMessage], None],
        pace: Callable[[str], None],
    ) -> None:
        self.connection = connection
        self.left = 0
        self.last = 0
        self._context = context
        self._receive = receive
        self._pace = pace
        self._number = 0
        self._inbox = ""
        self._stream = ""
        self._seconds = 0.0
        self._heard = 0.0
        self._fault: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def begin(self, stream: str, subjects: tuple[str, ...], start: Mapping[str, Value], seconds: float) -> None:
        """Make it for the subjects of a stream; `start` says with which message it begins.

        Each answer of the server has so many seconds. Raises NatsError.
        """
        self._stream, self._seconds = stream, seconds
        self._inbox = await self.connection.subscribe(self._take)
        self._heard = asyncio.get_running_loop().time()
        config: dict[str, Value] = {
            "deliver_subject": self._inbox,
            "ack_policy": "none",
            "max_deliver": 1,
            "flow_control": True,
            "idle_heartbeat": int(_HEARTBEAT * _SECOND),
            "inactive_threshold": _INACTIVE * _SECOND,
            "mem_storage": True,
            "num_replicas": 1,
            **start,
        }
        if len(subjects) == 1:
            config["filter_subject"] = subjects[0]
        else:
            config["filter_subjects"] = list(subjects)
        request: dict[str, Value] = {"stream_name": stream, "config": config}
        answer = await api(self.connection, self._context, f"CONSUMER.CREATE.{stream}", request, seconds)
        pending, delivered = answer.get("num_pending"), answer.get("delivered")
        # Messages may have come before the answer.
        if not self._number:
            self.left = pending if isinstance(pending, int) else 0
            before = delivered.get("stream_seq") if isinstance(delivered, dict) else 0
            self.last = before if isinstance(before, int) else 0

    async def _take(self, message: Message) -> None:
        self._heard = asyncio.get_running_loop().time()
        headers = message.headers or {}
        status = headers.get("Status")
        if status is not None:
            self._take_status(status, headers, message.reply)
            return
        try:
            place = Delivered(message.reply)
        except ValueError:
            self._end("a message without its place came")
            return
        if place.number != self._number + 1:
            self._end("a message was lost")
            return
        self._number, self.left, self.last = place.number, place.pending, place.sequence
        self._receive(StoredMessage(message.subject, place.sequence, place.time, headers, message.data))

    def _take_status(self, status: str, headers: Mapping[str, str], reply: str) -> None:
        if status != "100":
            self._end(shown(f"{status} {headers.get('Description', '')}"))
            return
        subject = reply or headers.get("Nats-Consumer-Stalled", "")
        if subject:
            self._pace(subject)
        sent = headers.get("Nats-Last-Consumer", "")
        if sent.isdigit() and int(sent) > self._number:
            self._end("a message was lost")

    def _end(self, why: str) -> None:
        if not self._fault.done():
            self._fault.set_exception(NatsUnreachable(f"nats: the consumer of stream {self._stream} ended: {why}"))

    async def ended(self) -> None:
        """Wait until it ends, which raises NatsError."""
        await self.connection.during(self._inbox, self._fault_or_silence())

    async def _fault_or_silence(self) -> None:
        loop = asyncio.get_running_loop()
        while not self._fault.done():
            left = self._heard + _SILENCE - loop.time()
            if left <= 0:
                await self._require_server()
                self._end(f"it was silent for {_SILENCE:.3g} s")
            else:
                await asyncio.wait({self._fault}, timeout=left)
        self._fault.result()

    async def _require_server(self) -> None:
        """Raise NatsUnreachable where the server is silent, and not this consumer only, which goes with its stream."""
        try:
            await api(self.connection, self._context, f"STREAM.INFO.{self._stream}", None, self._seconds)
        except NatsUnreachable:
            raise
        except NatsError:
            pass  # a refusal is an answer

    async def close(self) -> None:
        """Receive nothing more; the server removes it some time later."""
        self._fault.cancel()
        await self.connection.unsubscribe(self._inbox)
