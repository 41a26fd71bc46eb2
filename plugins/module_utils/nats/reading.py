# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The last messages of subjects of a stream, on the event loop (decisions.md Q68)."""

from __future__ import annotations

import asyncio
from base64 import b64decode
from json import dumps

from .consumer import Consumer
from .errors import NatsError, shown
from .jetstream import api
from .messages import StoredMessage, nanoseconds_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping

    from ..model.values import Value
    from .connection import Connection, Message
    from .contexts import NatsContext

#: Bytes that a message takes besides its payload, counted against a limit.
_OVERHEAD = 200
#: What JetStream answers to a direct get: nothing found, more subjects than it looks at, the end.
_NONE, _TOO_MANY, _END = "404", "413", "204"
#: The code of a request that no program answers, and JetStream's of a subject without a message.
_NO_ANSWER, _NO_MESSAGE = 503, 10037


class _Collected:
    """Messages with a limit for their bytes; `add` returns whether there is room for one more."""

    def __init__(self, stream: str, limit: int) -> None:
        self.messages: list[StoredMessage] = []
        self._stream = stream
        self._left = self._limit = limit

    def add(self, message: StoredMessage) -> None:
        self._left -= len(message.payload) + _OVERHEAD
        if self._left >= 0:
            self.messages.append(message)

    def require_room(self) -> None:
        """Raise NatsError where there were more bytes."""
        if self._left < 0:
            raise NatsError(f"nats: stream {self._stream} has more than {self._limit} bytes of messages")


async def last_of(
    connection: Connection, context: NatsContext, stream: str, subject: str, seconds: float, *, direct: bool
) -> StoredMessage | None:
    """Return the last message of a subject, None without one. Raises NatsError."""
    if direct:
        try:
            request = f"{context.api_prefix}.DIRECT.GET.{stream}.{subject}"
            answer = await connection.request(request, b"", seconds)
        except NatsError as error:
            if error.code != _NO_ANSWER:
                raise
            # The setting may be newer than the servers that have the stream.
            return await last_of(connection, context, stream, subject, seconds, direct=False)
        headers = answer.headers or {}
        status = headers.get("Status")
        if status == _NONE:
            return None
        if status:
            raise NatsError(f"nats: {shown(status + ' ' + headers.get('Description', ''))}")
        return _required(_of_direct_get(headers, answer.data), subject)
    try:
        fields = await api(connection, context, f"STREAM.MSG.GET.{stream}", {"last_by_subj": subject}, seconds)
    except NatsError as error:
        if error.err_code == _NO_MESSAGE:
            return None
        raise
    return _required(_of_get(fields.get("message")), subject)


def _of_get(fields: Value) -> StoredMessage:
    """Return a message that the API returned. Raises NatsError."""
    found = fields if isinstance(fields, dict) else {}
    subject, sequence, time = (found.get(key) for key in ("subject", "seq", "time"))
    try:
        raw, payload = (b64decode(str(found.get(key) or ""), validate=True) for key in ("hdrs", "data"))
    except ValueError:
        raise NatsError("nats: the answer of JetStream has no valid message") from None
    headers = {}
    for line in raw.decode("utf-8", "replace").split("\r\n")[1:]:
        name, _colon, value = line.partition(":")
        headers[name.strip()] = value.strip()
    return StoredMessage(
        subject if isinstance(subject, str) else "",
        sequence if isinstance(sequence, int) else 0,
        nanoseconds_of(time) if isinstance(time, str) else 0,
        headers,
        payload,
    )


def _required(message: StoredMessage, subject: str) -> StoredMessage:
    """Return the message. Raises NatsError where it is of another subject."""
    if message.subject != subject:
        raise NatsError("nats: the answer of JetStream has a message of another subject")
    return message


async def read_last(
    connection: Connection, context: NatsContext, stream: str, subjects: tuple[str, ...], limit: int, seconds: float
) -> list[StoredMessage]:
    """Return the last message of each subject that matches. Raises NatsError; see `Client.last_per_subject`."""
    found = await _read_directly(connection, context, stream, subjects, limit, seconds)
    return await _read_by_consumer(connection, context, stream, subjects, limit, seconds) if found is None else found


async def _read_directly(
    connection: Connection, context: NatsContext, stream: str, subjects: tuple[str, ...], limit: int, seconds: float
) -> list[StoredMessage] | None:
    """Return all at one moment, by a direct get; None where the stream does not allow it or has too many."""
    collected = _Collected(stream, limit)
    done: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    heard = asyncio.Event()

    async def take(message: Message) -> None:
        heard.set()
        headers = message.headers or {}
        status = headers.get("Status")
        if status is None:
            collected.add(_of_direct_get(headers, message.data))
        elif not done.done():
            left = headers.get("Nats-Num-Pending", "0")
            done.set_result(status if left == "0" else _TOO_MANY)

    async def wait() -> str:
        while not done.done():
            heard.clear()
            task = asyncio.ensure_future(heard.wait())
            await asyncio.wait((done, task), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            task.cancel()
            collected.require_room()
            if not done.done() and not heard.is_set():
                raise connection.silent(seconds)
        return done.result()

    subject = f"{context.api_prefix}.DIRECT.GET.{stream}"
    inbox = await connection.subscribe(take)
    try:
        await connection.publish(subject, dumps({"multi_last": list(subjects)}).encode(), inbox)
        status = await connection.during(subject, wait())
    finally:
        await connection.unsubscribe(inbox)
    collected.require_room()
    if status == _END:
        return collected.messages
    if status == _NONE:
        return []
    # 503: no answer, as the stream does not exist or allows no direct gets; 408: an old server knows no such get.
    return None


def _of_direct_get(headers: Mapping[str, str], payload: bytes) -> StoredMessage:
    sequence = headers.get("Nats-Sequence", "")
    return StoredMessage(
        headers.get("Nats-Subject", ""),
        int(sequence) if sequence.isdigit() else 0,
        nanoseconds_of(headers.get("Nats-Time-Stamp", "")),
        headers,
        payload,
    )


async def _read_by_consumer(
    connection: Connection, context: NatsContext, stream: str, subjects: tuple[str, ...], limit: int, seconds: float
) -> list[StoredMessage]:
    collected = _Collected(stream, limit)
    answers: list[asyncio.Future[None]] = []
    heard = asyncio.Event()

    def take(message: StoredMessage) -> None:
        collected.add(message)
        heard.set()

    def go_on(subject: str) -> None:
        answers.append(asyncio.ensure_future(connection.publish(subject)))

    consumer = Consumer(connection, context, take, go_on)
    try:
        await consumer.begin(stream, subjects, {"deliver_policy": "last_per_subject"}, seconds)
        ended = asyncio.ensure_future(consumer.ended())
        try:
            while consumer.left:
                heard.clear()
                task = asyncio.ensure_future(heard.wait())
                await asyncio.wait((ended, task), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                task.cancel()
                collected.require_room()
                if ended.done():
                    ended.result()
                if not heard.is_set():
                    raise connection.silent(seconds)
        finally:
            ended.cancel()
    finally:
        await consumer.close()
    collected.require_room()
    return collected.messages
