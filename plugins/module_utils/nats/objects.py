# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Buckets of objects, as the original's client has them: the content is in pieces, and has a digest."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import datetime, timezone
from hashlib import sha256
from json import dumps
from secrets import token_hex

from ..lang.controls import escaped
from ..lang.jsondoc import load_json
from ..lang.yaml import YAMLError
from .buckets import Bucket, create_stream, require_name
from .errors import NatsError, NatsUnreachable, NotStored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Protocol

    from ..model.values import Value
    from .client import Client
    from .messages import StoredMessage
    from .ordered import Feed

    class Readable(Protocol):
        """A stream whose `read` returns at most `size` bytes, none at its end."""

        def read(self, size: int, /) -> bytes: ...

    class Writable(Protocol):
        """A file that is written from its beginning."""

        def write(self, content: bytes, /) -> object: ...

        def seek(self, offset: int, /) -> object: ...

        def truncate(self) -> object: ...


_KIND = "object-store"
_PIECE = 128 * 1024
_DIGEST = "SHA-256="
_MOST_LINKS = 5
#: Seconds without a piece after which it is given up, and how often it is looked at meanwhile whether it is replaced.
_SILENCE, _LOOKS = 5.0, 10
#: How often an object is tried that others replace meanwhile, and JetStream's code for that.
_MOST_TRIES, _WRONG_SEQUENCE = 20, 10071


class InvalidDescription(NatsError):
    """What a bucket says of an object is not valid."""


class ObjectInfo:
    """What the bucket says of an object: `pieces` is the part of the subject of its content."""

    __slots__ = ("bucket", "count", "digest", "is_deleted", "link", "name", "pieces", "size")

    def __init__(self, message: StoredMessage, bucket: str, name: str) -> None:
        """Raise InvalidDescription where a server says what cannot be."""
        try:
            found = load_json(message.payload).value
        except YAMLError:
            found = None
        fields: dict[str, Value] = found if isinstance(found, dict) else {}
        pieces, digest, size, count = (fields.get(key) for key in ("nuid", "digest", "size", "chunks"))
        options = fields.get("options")
        link = options.get("link") if isinstance(options, dict) else None
        self.bucket = bucket
        self.name = name
        self.is_deleted = fields.get("deleted") is True
        self.link: dict[str, Value] | None = link if isinstance(link, dict) else None
        self.pieces = pieces if isinstance(pieces, str) else ""
        self.digest = digest if isinstance(digest, str) else ""
        self.size = size if isinstance(size, int) else 0
        self.count = count if isinstance(count, int) else 0
        if self.is_deleted or self.link:
            return
        if not (self.pieces.isalnum() and self.digest.startswith(_DIGEST)) or self.size < 0 or self.count < 0:
            raise InvalidDescription(f"nats: what the bucket says of object {escaped(name)} is not valid")


class Objects:
    """The objects of a bucket."""

    def __init__(self, client: Client, bucket: str) -> None:
        """Raise NatsError, NotStored where there is no such bucket."""
        require_name(bucket, _KIND)
        self.name = bucket
        self._bucket = Bucket(client, f"OBJ_{bucket}")

    def info(self, name: str) -> ObjectInfo:
        """Return the description of an object. Raises NatsError, NotStored where there is none."""
        found = self._bucket.last(self._about(name))
        info = ObjectInfo(found, self.name, name) if found else None
        if info is None or info.is_deleted:
            advice = f"bucket {self.name} has no object {escaped(name)}"
            raise NotStored("nats: object not found", value=name, advice=advice)
        return info

    def get(self, name: str, file: Writable, largest: int, progress: Callable[[int, int], None]) -> ObjectInfo:
        """Write the content of an object to a file, in place of all in it, and return its description.

        `progress` gets how many of how many bytes came. An object that others replace meanwhile is read again. Raises
        NatsError, also for one with more than `largest` bytes, and where size or digest are others than they should be;
        then what was written must not be used.
        """
        for _try in range(_MOST_TRIES):
            bucket, info = self._without_links(name)
            if info.size > largest:
                raise NatsError(f"nats: object {escaped(name)} has more than {largest >> 20} MiB", value=name)
            file.seek(0)
            file.truncate()
            if bucket._write_content(info, file, progress):
                return info
        raise _always_replaced(name)

    def _without_links(self, name: str) -> tuple[Objects, ObjectInfo]:
        """Return the description of an object, or of the object that it leads to, with its bucket. Raises NatsError."""
        bucket, info = self, self.info(name)
        for _link in range(_MOST_LINKS):
            if not info.link:
                return bucket, info
            other, target = info.link.get("bucket"), info.link.get("name")
            if not isinstance(other, str) or not isinstance(target, str) or not target:
                raise NatsError("nats: object is a link to a bucket", value=name)
            bucket = bucket if other == bucket.name else Objects(bucket._bucket.client, other)
            info = bucket.info(target)
        raise NatsError("nats: object is a link to a link to a link", value=name)

    def _write_content(self, info: ObjectInfo, file: Writable, progress: Callable[[int, int], None]) -> bool:
        """Write the content of an object; return whether it still was the same object. Raises NatsError."""
        digest, came, count, silence = sha256(), 0, 0, 0
        if info.size or info.count:
            feed = self._bucket.client.follow(
                self._bucket.stream, (f"$O.{self.name}.C.{info.pieces}",), "all", lasting=False
            )
            try:
                while count < info.count:
                    piece = feed.read(_SILENCE / _LOOKS)
                    if piece is None:
                        if self.info(info.name).pieces != info.pieces:
                            return False
                        silence += 1
                        if silence == _LOOKS:
                            reason = f"{came} of {info.size} bytes came"
                            raise NatsUnreachable(f"nats: object {escaped(info.name)} is cut off: {reason}")
                        continue
                    came, count, silence = came + len(piece.payload), count + 1, 0
                    if came > info.size:
                        break
                    digest.update(piece.payload)
                    file.write(piece.payload)
                    progress(came, info.size)
            finally:
                feed.close()
        if came != info.size:
            raise NatsError(f"nats: object {escaped(info.name)} has another size than its bucket says")
        if not _is_same(info.digest, digest.digest()):
            advice = f"publish {escaped(info.name)} in bucket {self.name} again"
            raise NatsError("nats: received a corrupt object, digests do not match", value=info.name, advice=advice)
        return True

    def put(self, name: str, content: Readable, digest: bytes, size: int) -> None:
        """Store an object, whose SHA-256 and size are known, in place of one with its name. Raises NatsError."""
        client, pieces, count = self._bucket.client, token_hex(11), 0
        subject = f"$O.{self.name}.C.{pieces}"
        about = {
            "name": name,
            "bucket": self.name,
            "nuid": pieces,
            "size": size,
            "mtime": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "digest": digest_text(digest),
            "options": {"max_chunk_size": _PIECE},
        }
        try:
            while True:
                piece = content.read(_PIECE)
                if not piece:
                    break
                client.publish(subject, piece)
                count += 1
            former = self._describe(name, dumps({**about, "chunks": count}).encode())
        except BaseException:
            self._remove(subject)
            raise
        if former:
            self._remove(f"$O.{self.name}.C.{former}")

    def _describe(self, name: str, description: bytes) -> str:
        """Set the description of an object, and return the pieces of the replaced object. Raises NatsError.

        Of several who publish it at once, each replaces the one before, so that all pieces but the last one's go.
        """
        subject = self._about(name)
        for _try in range(_MOST_TRIES):
            found = self._bucket.last(subject)
            headers = {"Nats-Rollup": "sub", "Nats-Expected-Last-Subject-Sequence": str(found.sequence if found else 0)}
            try:
                self._bucket.client.publish(subject, description, headers)
            except NatsError as error:
                if error.err_code != _WRONG_SEQUENCE:
                    raise
            else:
                try:
                    return ObjectInfo(found, self.name, name).pieces if found else ""
                except InvalidDescription:
                    return ""
        raise _always_replaced(name)

    def _remove(self, subject: str) -> None:
        """Remove pieces that no object has; where that fails they only take room."""
        try:
            self._bucket.client.api(f"STREAM.PURGE.{self._bucket.stream}", {"filter": subject})
        except NatsError:
            return

    def follow(self, name: str) -> Feed:
        """Return the descriptions of an object as it changes, the last first. Raises NatsError."""
        return self._bucket.client.follow(self._bucket.stream, (self._about(name),), "last_per_subject")

    def _about(self, name: str) -> str:
        if not name:
            raise NatsError("nats: object name is required")
        return f"$O.{self.name}.M.{urlsafe_b64encode(name.encode('utf-8', 'surrogateescape')).decode('ascii')}"


def create_objects(client: Client, bucket: str) -> bool:
    """Create a bucket of objects; return whether there was none. Raises NatsError."""
    require_name(bucket, _KIND)
    return create_stream(client, f"OBJ_{bucket}", [f"$O.{bucket}.C.>", f"$O.{bucket}.M.>"])


def digest_text(digest: bytes) -> str:
    """Return a SHA-256 as buckets have it."""
    return _DIGEST + urlsafe_b64encode(digest).decode("ascii")


def _always_replaced(name: str) -> NatsError:
    return NatsError(f"nats: object {escaped(name)} is replaced again and again", value=name, advice="try again later")


def _is_same(text: str, digest: bytes) -> bool:
    return text.rstrip("=") == digest_text(digest).rstrip("=")
