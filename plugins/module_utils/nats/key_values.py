# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Buckets of keys and values, as the original's client has them."""

from __future__ import annotations

from .buckets import Bucket, create_stream, require_name
from .errors import NatsError, NotStored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .client import Client
    from .messages import StoredMessage
    from .ordered import Feed

_KIND = "bucket"
_LETTERS = frozenset("-/_=.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
#: Headers of a message that is no value: the key was deleted, by a user or by the server.
_OPERATION, _MARKER = "KV-Operation", "Nats-Marker-Reason"


class KeyValues:
    """The values of a bucket."""

    def __init__(self, client: Client, bucket: str) -> None:
        """Raise NatsError, NotStored where there is no such bucket."""
        require_name(bucket, _KIND)
        self.name = bucket
        self._bucket = Bucket(client, f"KV_{bucket}")
        mirror = self._bucket.config.get("mirror")
        origin = mirror.get("name") if isinstance(mirror, dict) else None
        name = origin[3:] if isinstance(origin, str) and origin.startswith("KV_") else bucket
        self._prefix = f"$KV.{name}."

    def get(self, key: str) -> bytes:
        """Return the value of a key. Raises NatsError, NotStored where it has none."""
        found = self._bucket.last(self._subject(key))
        if found is None or is_removal(found):
            raise NotStored("nats: key not found", value=key, advice=f"bucket {self.name} has no key {key}")
        return found.payload

    def put(self, key: str, value: bytes) -> int:
        """Set the value of a key, and return its revision. Raises NatsError."""
        return self._bucket.client.publish(self._subject(key), value).sequence

    def follow(self, key: str) -> Feed:
        """Return the changes of a key, the value that it has first. Raises NatsError."""
        return self._bucket.client.follow(self._bucket.stream, (self._subject(key),), "last_per_subject")

    def _subject(self, key: str) -> str:
        if not key or not _LETTERS.issuperset(key) or key[0] == "." or key[-1] == "." or ".." in key:
            raise NatsError("nats: invalid key", value=key)
        return self._prefix + key


def create_values(client: Client, bucket: str) -> bool:
    """Create a bucket of keys; return whether there was none. Raises NatsError."""
    require_name(bucket, _KIND)
    return create_stream(client, f"KV_{bucket}", [f"$KV.{bucket}.>"], max_msgs_per_subject=1, deny_delete=True)


def is_removal(message: StoredMessage) -> bool:
    """Return whether a message of a key says that it has no value any more."""
    return message.headers.get(_OPERATION, "") in ("DEL", "PURGE") or _MARKER in message.headers
