# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of streams, their places there, and what JetStream says of published ones."""

from __future__ import annotations

from datetime import datetime, timezone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping


class StoredMessage:
    """A message in a stream: `sequence` is its place there, `time` when it was stored, in ns since 1970."""

    __slots__ = ("headers", "payload", "sequence", "subject", "time")

    def __init__(self, subject: str, sequence: int, time: int, headers: Mapping[str, str], payload: bytes) -> None:
        self.subject = subject
        self.sequence = sequence
        self.time = time
        self.headers = headers
        self.payload = payload


class PublishAck:
    """What JetStream says of a published message: the stream and its sequence there."""

    __slots__ = ("duplicate", "sequence", "stream")

    def __init__(self, stream: str, sequence: int, duplicate: bool) -> None:
        self.stream = stream
        self.sequence = sequence
        self.duplicate = duplicate


class Delivered:
    """The place of a message of a consumer: sequences in the stream and of the consumer, time, how many are left."""

    __slots__ = ("number", "pending", "sequence", "time")

    def __init__(self, reply: str) -> None:
        """Read it from the subject for replies, `$JS.ACK…`. Raises ValueError."""
        tokens = reply.split(".")
        if tokens[:2] != ["$JS", "ACK"] or len(tokens) < 9:
            raise ValueError("no subject of an acknowledgement")
        # Newer servers put a domain and the hash of an account before the stream, and a random token at the end.
        fields = tokens[2:] if len(tokens) == 9 else tokens[4:]
        self.sequence, self.number, self.time, self.pending = (int(field) for field in fields[3:7])


def nanoseconds_of(text: str) -> int:
    """Return the ns since 1970 of a time of RFC 3339 in UTC, as headers have it; 0 for another text."""
    whole, _dot, rest = text.rstrip("Z").partition(".")
    try:
        moment = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
        fraction = int(rest[:9].ljust(9, "0")) if rest else 0
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1_000_000_000 + fraction
