# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""A connection with a NATS server, used on an event loop. Only this file imports nats-py.

It does not reconnect: `client.py` makes another one after it was lost.
"""

from __future__ import annotations

import asyncio
import logging

from .errors import CLOSED, NatsError, NatsUnreachable, is_closed, missing_package, shown, words_of
from .options import common_options, login_options, needs_tls, tls_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Coroutine, Mapping, Protocol, TypeVar

    from .contexts import NatsContext, Server
    from .credentials import Signer

    T = TypeVar("T")

    class Message(Protocol):
        """The used fields of a message of nats-py."""

        subject: str
        reply: str
        data: bytes
        headers: Mapping[str, str] | None

    Receive = Callable[[Message], Coroutine[object, object, None]]

#: Seconds that closing takes at most.
_CLOSING = 0.5
#: The bytes that a server may send without ending a message.
_MOST_PENDING = 80 << 20
#: What subjects of the flow control of streams begin with, in small letters.
_FLOW_CONTROL = "$js.fc."


class Connection:
    """A connection with one server; `lost` has the error once it is lost, which ends all that wait for an answer."""

    def __init__(self, context: NatsContext, server: Server) -> None:
        """Raise NatsError where nats-py is not installed."""
        try:
            from nats.aio.client import Client
        except ImportError:
            raise missing_package("nats-py", "NATS") from None
        # Without any handler, logging writes what nats-py logs, with a traceback, to standard error.
        log = logging.getLogger("nats")
        if not log.handlers:
            log.addHandler(logging.NullHandler())
        self.server = server
        self.lost: NatsUnreachable | None = None
        self._context = context
        self._nats: Any = Client()
        self._parser: Any = None
        self._parse: Callable[[bytes], Coroutine[object, object, None]] = self._checking(self._nats._ps)
        self._connected = False
        self._connecting: asyncio.Task[None] | None = None
        self._early: Exception | None = None
        self._waiting: dict[asyncio.Future[None], str] = {}
        self._subscriptions: dict[str, Any] = {}

    async def connect(self, address: str, signer: Signer | None, seconds: float) -> None:
        """Connect with an address of the server. Raises NatsError."""
        host = f"[{address}]" if ":" in address else address
        if signer and not signer.jwt:
            # nats-py sets it only when it reads the seed itself, with a package of its own.
            self._nats._public_nkey = signer.public
        connecting = self._nats.connect(
            servers=[f"{'tls' if self.server.tls else 'nats'}://{host}:{self.server.port}"],
            error_cb=self._note,
            disconnected_cb=self._lose,
            closed_cb=self._lose,
            **common_options(self._context, seconds),
            **tls_options(self._context, self.server),
            **login_options(self._context, self.server, signer, self._require_tls),
        )
        task = self._connecting = asyncio.ensure_future(connecting)
        try:
            await asyncio.wait({task}, timeout=seconds)
            error = task.exception() if task.done() else TimeoutError()
            error = error or self._fault_of_tls() or self._early
            self._connected = error is None
        finally:
            task.cancel()
            if not self._connected:
                await self.close()
        if error is not None:
            raise NatsUnreachable(words_of(error, seconds))

    def _fault_of_tls(self) -> NatsError | None:
        """Return an error where the connection must be encrypted and is not."""
        info = getattr(self._nats, "_server_info", {})
        if needs_tls(self._context, self.server) and not (info.get("tls_required") or self._context.tls_first):
            return NatsError("nats: secure connection not available")
        return None

    def _require_tls(self) -> None:
        fault = self._fault_of_tls()
        if fault:
            raise fault

    async def _note(self, error: Exception) -> None:
        """Note an error; while connecting, it is the end of it."""
        if not self._connected:
            self._early = self._early or error
            if self._connecting and not self._connecting.done():
                raise error
            return
        text = str(error)
        if "permissions violation" not in text:
            self._fail(CLOSED if is_closed(error) else shown(text))
            return
        # Without the right to answer the flow control of streams nothing more comes.
        ends_all = "for subscription" in text or _FLOW_CONTROL in text
        for waiting, subject in list(self._waiting.items()):
            # nats-py writes all in small letters.
            if not waiting.done() and subject and subject.lower() in text:
                waiting.set_exception(_forbidden(f'Permissions Violation for Publish to "{shown(subject)}"'))
            elif not waiting.done() and ends_all:
                waiting.set_exception(_forbidden(shown(text).partition(": ")[2]))

    async def _lose(self) -> None:
        self._fail("nats: connection closed")

    def _fail(self, why: str) -> None:
        if self._connected and self.lost is None:
            self.lost = NatsUnreachable(f"nats connection error: connection with {self.server.address} lost: {why}")
            for waiting in list(self._waiting):
                if not waiting.done():
                    waiting.set_exception(self.lost)

    def _checking(self, parser: Any) -> Callable[[bytes], Coroutine[object, object, None]]:
        """Have the parser of nats-py checked, and return its own function."""
        self._parser, parse = parser, parser.parse
        parser.parse = self._parsed
        return parse

    async def _parsed(self, received: bytes) -> None:
        """Parse what was received, as nats-py does, as long as each message has an end."""
        await self._parse(received)
        if len(self._parser.buf) > _MOST_PENDING:
            self._fail("it sent a message that is too large")
            raise ConnectionAbortedError

    async def during(self, subject: str, work: Coroutine[object, object, T]) -> T:
        """Return what `work` returns, which nats-py does for a subject.

        Raises NatsError, also as soon as it cannot end: the connection is lost, or the server forbids the subject.
        """
        task = asyncio.ensure_future(work)
        fault: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[fault] = subject
        if self.lost:
            fault.set_exception(self.lost)
        try:
            await asyncio.wait((task, fault), return_when=asyncio.FIRST_COMPLETED)
            error = task.exception() if task.done() else fault.exception()
            if error is None:
                return task.result()
        finally:
            del self._waiting[fault]
            fault.cancel()
            task.cancel()
        raise error if isinstance(error, NatsError) else self._error_of(error)

    def _error_of(self, error: BaseException) -> NatsError:
        """Return an error of nats-py as ours."""
        if type(error).__name__ == "ConnectionClosedError":
            # It may notice this before it says so.
            self._fail(shown(str(error)))
        if self.lost:
            return self.lost
        made = NatsError(shown(str(error)))
        if type(error).__name__ == "NoRespondersError":
            made.code = 503
        return made

    async def request(
        self, subject: str, payload: bytes, seconds: float, headers: Mapping[str, str] | None = None
    ) -> Message:
        """Return the answer to a request. Raises NatsError; its code is 503 where no program answers."""
        given = dict(headers) if headers else None
        answering = self._nats.request(subject, payload, timeout=2 * seconds, headers=given)
        task = asyncio.ensure_future(self.during(subject, answering))
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            task.cancel()
            raise self.silent(seconds)
        found: Message = task.result()
        return found

    def silent(self, seconds: float) -> NatsUnreachable:
        """Return the error for an answer that did not come in time; the connection is not used again."""
        self._fail("nats: timeout")
        return NatsUnreachable(f"nats: timeout: {self.server.address} did not answer within {seconds:.2g} s")

    async def publish(self, subject: str, payload: bytes = b"", reply: str = "") -> None:
        """Send a message, with nothing said of its arrival. Raises NatsError."""
        await self.during(subject, self._nats.publish(subject, payload, reply=reply))

    async def subscribe(self, receive: Receive) -> str:
        """Have all messages to a new subject passed to `receive`, and return the subject. Raises NatsError."""
        inbox: str = self._nats.new_inbox()
        subscribing = self._nats.subscribe(inbox, cb=receive, pending_msgs_limit=0, pending_bytes_limit=0)
        self._subscriptions[inbox] = await self.during(inbox, subscribing)
        return inbox

    async def unsubscribe(self, inbox: str) -> None:
        """Receive nothing more on a subject."""
        subscription = self._subscriptions.pop(inbox, None)
        if subscription is not None and not self.lost:
            await _finished(subscription.unsubscribe())

    async def close(self) -> None:
        """Close it. No error of nats-py reaches the caller, and it takes half a second at most."""
        await _finished(self._nats.close())
        self._fail("nats: connection closed")


def _forbidden(text: str) -> NatsError:
    return NatsError(
        f"nats: {text}", advice="the rights of this user on the server lack this subject, unless a name in it is wrong"
    )


async def _finished(work: Coroutine[object, object, None]) -> None:
    """Do some work of nats-py of which neither the time nor an error matters."""
    task = asyncio.ensure_future(work)
    await asyncio.wait({task}, timeout=_CLOSING)
    if task.done() and not task.cancelled():
        task.exception()
    task.cancel()
