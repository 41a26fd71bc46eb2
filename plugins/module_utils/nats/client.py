# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Synchronous calls of NATS, each with a deadline, by an event loop in a thread of its own (behaviour.md 21.4).

A client has one connection. After it was lost, the next call makes another one.
"""

from __future__ import annotations

import asyncio
from asyncio.log import logger
from concurrent.futures import TimeoutError as NoResult
from logging import NullHandler

from ..host.dns import addresses
from ..host.errors import HostError
from ..host.threads import start_thread
from .connection import Connection
from .credentials import signer_of
from .errors import NatsError, NatsUnreachable, NotStored
from .jetstream import answered, api
from .messages import PublishAck
from .ordered import Feed
from .reading import last_of, read_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread
    from typing import Callable, Coroutine, Mapping, Sequence, TypeVar

    from ..model.values import Value
    from .contexts import NatsContext, Server
    from .credentials import Signer
    from .messages import StoredMessage

    T = TypeVar("T")

#: Seconds for connecting, and for one answer.
TIMEOUT = 5.0
_QUIET = NullHandler()
#: Seconds that closing takes at most.
_CLOSING = 1.0
#: Seconds that reading all messages of a call takes at most.
_READING = 60.0


class Client:
    """What a run uses of NATS, from any of its threads; `close` ends it."""

    def __init__(self, context: NatsContext, timeout: float = TIMEOUT) -> None:
        self.context = context
        self._timeout = timeout
        self._signer: Signer | None = None
        self._connection: Connection | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._connecting: asyncio.Lock | None = None

    @classmethod
    def open(cls, context: NatsContext, timeout: float = TIMEOUT) -> Client:
        """Return a client that is connected with a server of the context; each of its calls has so many seconds.

        Raises NatsError: NatsUnreachable with the address of each server, and why it could not be used.
        """
        client = cls(context, timeout)
        client._signer = signer_of(context)
        try:
            client._call(client.connected, 0.0)
        except BaseException:
            client.close()
            raise
        return client

    def request(self, subject: str, payload: bytes = b"", timeout: float = TIMEOUT) -> bytes:
        """Return the payload of the answer to a request. Raises NatsError, with code 503 where no program answers."""

        async def answer() -> bytes:
            return (await (await self.connected()).request(subject, payload, timeout)).data

        return self._call(answer, timeout)

    def api(self, subject: str, fields: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Return the answer of JetStream's API to a request: `subject` is the part after `$JS.API.`.

        Raises NatsError, with `code`, `err_code` and `description` where JetStream refused it.
        """

        async def answer() -> dict[str, Value]:
            return await api(await self.connected(), self.context, subject, fields, self._timeout)

        return self._call(answer, self._timeout)

    def publish(self, subject: str, payload: bytes, headers: Mapping[str, str] | None = None) -> PublishAck:
        """Store a message in the stream of its subject, and return where. Raises NatsError."""

        async def answer() -> PublishAck:
            connection = await self.connected()
            try:
                found = await connection.request(subject, payload, self._timeout, headers)
            except NatsError as error:
                raise NotStored("nats: no response from stream") if error.code == 503 else error from None
            fields = answered(found.data)
            sequence, stream = fields.get("seq"), fields.get("stream")
            if not isinstance(sequence, int) or not isinstance(stream, str):
                raise NatsError("nats: invalid jetstream publish response")
            return PublishAck(stream, sequence, fields.get("duplicate") is True)

        return self._call(answer, self._timeout)

    def last(self, stream: str, subject: str, *, direct: bool) -> StoredMessage | None:
        """Return the last message of one subject, None without one; by a direct get where that is allowed.

        Raises NatsError.
        """

        async def answer() -> StoredMessage | None:
            return await last_of(await self.connected(), self.context, stream, subject, self._timeout, direct=direct)

        return self._call(answer, 2 * self._timeout)

    def last_per_subject(self, stream: str, subjects: Sequence[str], limit_bytes: int) -> list[StoredMessage]:
        """Return the last message of each subject that matches, in the order of the stream.

        By a direct get where the stream allows it and has at most 1,024 of them, else by an ordered consumer. Raises
        NatsError, also where they have more bytes than the limit (decisions.md Q68).
        """

        async def answer() -> list[StoredMessage]:
            connection = await self.connected()
            return await read_last(connection, self.context, stream, tuple(subjects), limit_bytes, self._timeout)

        return self._call(answer, _READING)

    def follow(self, stream: str, subjects: Sequence[str], deliver: str = "new", *, lasting: bool = True) -> Feed:
        """Return the messages of a stream as they come: all that match a subject.

        With "last_per_subject" the last message of each subject comes before the new ones, with "all" every stored one.
        A `lasting` one survives that the server is away. Raises NatsError where it cannot begin.
        """
        feed = Feed(self, stream, tuple(subjects), deliver, lasting=lasting, timeout=self._timeout)
        try:
            self._call(feed.begin, self._timeout)
        except BaseException:
            feed.close()
            raise
        return feed

    async def connected(self) -> Connection:
        """Return the connection, on the event loop. Raises NatsError."""
        if self._connecting is None:
            self._connecting = asyncio.Lock()
        async with self._connecting:
            if self._connection is None or self._connection.lost:
                if self._connection:
                    await self._connection.close()
                    self._connection = None
                self._connection = await self._connect()
            return self._connection

    async def _connect(self) -> Connection:
        """Return a connection with the first server that can be used. Raises NatsError."""
        loop = asyncio.get_running_loop()
        end, faults = loop.time() + self._timeout, []
        servers = self.context.servers
        for number, server in enumerate(servers):
            left = (end - loop.time()) / (len(servers) - number)
            try:
                return await self._connect_to(server, max(left, 0.1))
            except NatsUnreachable as error:
                faults.append(f"{server.address}: {error}")
        text = f"nats connection error: {'; '.join(faults)}"
        raise NatsUnreachable(text, advice=f"the context {self.context.described}")

    async def _connect_to(self, server: Server, seconds: float) -> Connection:
        loop = asyncio.get_running_loop()
        end, fault = loop.time() + seconds, NatsUnreachable("no such host")
        for address in await _addresses(server.host, seconds):
            left = end - loop.time()
            if left <= 0:
                break
            connection = Connection(self.context, server)
            try:
                await connection.connect(address, self._signer, left)
                return connection
            except NatsUnreachable as error:
                fault = error
        raise fault

    def send_later(self, subject: str) -> None:
        """Send an empty message on a subject, from any thread, where the connection still is."""

        async def send() -> None:
            if self._connection and not self._connection.lost:
                await self._connection.publish(subject)

        self.do_later(send)

    def do_later(self, make: Callable[[], Coroutine[object, object, None]]) -> None:
        """Have a coroutine run on the event loop, from any thread; nothing once the client is closed."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(lambda: asyncio.ensure_future(make()))

    def _call(self, make: Callable[[], Coroutine[object, object, T]], seconds: float) -> T:
        """Return what a coroutine returns on the event loop, and have it cancelled when it takes too long."""
        # Connecting has its own time; what waits has ended by then.
        limit = seconds + self._timeout + 2 * _CLOSING
        running = asyncio.run_coroutine_threadsafe(make(), self._running_loop())
        try:
            return running.result(limit)
        except (NoResult, TimeoutError):
            raise NatsUnreachable(f"nats: timeout: {self.context.addresses}: no answer within {limit:.2g} s") from None
        finally:
            running.cancel()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            # What asyncio logs of a TLS connection that ends is not for a user.
            logger.addHandler(_QUIET)
            # Tasks that end with the client are no news.
            self._loop.set_exception_handler(lambda _loop, _context: None)
            try:
                self._thread = start_thread(self._loop.run_forever)
            except HostError as error:
                raise NatsError(str(error)) from None
        return self._loop

    def close(self) -> None:
        """End the connection and the thread; it takes a second at most."""
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        ending = asyncio.run_coroutine_threadsafe(self._end(), loop)
        try:
            ending.result(_CLOSING)
        except (NoResult, TimeoutError):
            ending.cancel()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSING)
        if not thread.is_alive():
            loop.close()

    async def _end(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            await connection.close()
        mine = asyncio.current_task()
        others = [task for task in asyncio.all_tasks() if task is not mine]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_CLOSING / 2)


async def _addresses(host: str, seconds: float) -> list[str]:
    """Return the addresses of a host, none where it has none. Raises NatsUnreachable when that takes too long."""
    if host.replace(".", "").isdigit() or ":" in host:
        return [host]
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def resolve() -> None:
        try:
            answer = addresses(host, seconds)
        except HostError:
            answer = []
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda: None if found.done() else found.set_result(answer))

    start_thread(resolve)
    await asyncio.wait({found}, timeout=seconds + _CLOSING)
    return found.result() if found.done() else []
