# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Buckets of keys and of objects: streams with names and settings of their own."""

from __future__ import annotations

from .errors import NatsError, NotStored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.values import Value
    from .client import Client
    from .messages import StoredMessage

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_TWO_MINUTES = 120_000_000_000


class Bucket:
    """The stream of a bucket, with the settings that the server has."""

    def __init__(self, client: Client, stream: str) -> None:
        """Raise NatsError, NotStored where there is no such bucket."""
        self.client = client
        self.stream = stream
        try:
            found = client.api(f"STREAM.INFO.{stream}").get("config")
        except NotStored:
            advice = f"the server has no stream {stream}: `ccm publish --create` makes the bucket"
            raise NotStored("nats: bucket not found", value=stream, advice=advice) from None
        self.config: dict[str, Value] = found if isinstance(found, dict) else {}

    def last(self, subject: str) -> StoredMessage | None:
        """Return the last message of a subject. Raises NatsError."""
        return self.client.last(self.stream, subject, direct=self.config.get("allow_direct") is True)


def require_name(bucket: str, kind: str) -> None:
    """Raise NatsError for a name that no bucket can have, in the words for a kind of buckets."""
    if not bucket or not _LETTERS.issuperset(bucket):
        raise NatsError(f"nats: invalid {kind} name", value=bucket)


def create_stream(client: Client, stream: str, subjects: list[str], **settings: Value) -> bool:
    """Create the stream of a bucket, as the `nats` command does; return whether there was none. Raises NatsError."""
    try:
        client.api(f"STREAM.INFO.{stream}")
        return False
    except NotStored:
        pass
    client.api(
        f"STREAM.CREATE.{stream}",
        {
            "name": stream,
            "subjects": subjects,
            "retention": "limits",
            "storage": "file",
            "discard": "new",
            "num_replicas": 1,
            "max_consumers": -1,
            "max_msgs": -1,
            "max_bytes": -1,
            "max_age": 0,
            "duplicate_window": _TWO_MINUTES,
            "allow_rollup_hdrs": True,
            "allow_direct": True,
            **settings,
        },
    )
    return True
