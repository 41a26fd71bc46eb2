# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a command or a run uses of NATS: one client, made at the first use."""

from __future__ import annotations

import _thread

from ..lang.go.quoting import quote
from .client import Client
from .contexts import read_context
from .errors import NatsError
from .key_values import KeyValues
from .registrations import query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

    from ..model.values import Registration

#: The stream of registrations where no other is named.
STREAM = "REGISTRATION"


class NatsAccess:
    """The client for a context, from any thread; `stream` has the registrations. `close` ends it."""

    def __init__(self, context: str, stream: str) -> None:
        self.stream = stream
        self._context = context
        self._client: Client | None = None
        self._lock = _thread.allocate_lock()

    def client(self) -> Client:
        """Return the client, connected when it was made. Raises NatsError."""
        with self._lock:
            if self._client is None:
                self._client = Client.open(read_context(self._context))
            return self._client

    def jetstream(self) -> Client:
        """Return the client, as `client` does, for what uses streams. Raises NatsError."""
        try:
            return self.client()
        except NatsError as error:
            raise error.prefixed("could not connect to JetStream: ") from None

    def key_value(self, bucket: str, key: str) -> bytes:
        """Return the value of a key for `kvGet`. Raises NatsError (behaviour.md 11.4)."""
        for what, name in (("bucket name", bucket), ("key", key)):
            if not name:
                raise NatsError(f"{what} is required")
        client = self.client()
        try:
            values = KeyValues(client, bucket)
        except NatsError as error:
            raise error.prefixed(f"could not access KV bucket {quote(bucket)}: ") from None
        try:
            return values.get(key)
        except NatsError as error:
            raise error.prefixed(f"could not get key {quote(key)} from bucket {quote(bucket)}: ") from None

    def registrations(self, terms: Sequence[str]) -> list[Registration]:
        """Return the registered entries that match cluster, protocol, service and address. Raises NatsError."""
        client = self.jetstream()
        return query(client, self.stream or STREAM, terms)

    def close(self) -> None:
        """End the client."""
        client, self._client = self._client, None
        if client:
            client.close()
