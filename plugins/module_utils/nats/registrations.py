# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Registration entries in NATS: their subjects and messages, and the stream that keeps them (behaviour.md 18)."""

from __future__ import annotations

import json

from ..lang.controls import escaped
from ..lang.durations import DurationError, parse
from ..lang.spans import format_go
from ..model.registration import NEVER
from ..model.registration_fields import fields_of
from .errors import NatsError, NatsUnreachable, NotStored, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..model.errors import CCMError
    from ..model.values import Registration, Value
    from .client import Client
    from .messages import PublishAck, StoredMessage
    from .ordered import Feed

#: What all subjects of entries begin with.
PREFIX = "choria.ccm.registration.v1"
SUBJECTS = f"{PREFIX}.>"
#: The header of a message that replaces a removed entry, and its values.
MARKER = "Nats-Marker-Reason"
REMOVED = "Remove"
_REASONS = ("MaxAge", REMOVED, "Purge")
#: Bytes of all entries that are read at once, at most.
_LARGEST = 64 << 20
_SECOND = 1_000_000_000
#: How long the marker of a removed entry stays where it could not be removed itself, in ns.
_MARKER_TTL = 60 * _SECOND
_FNV_OFFSET, _FNV_PRIME, _FNV_BITS = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
#: Integers have 64 bits, as in the original.
_MOST = 1 << 63
_INVALID_IN_NAMES = " .*>/\\"


class _NoEntry(ValueError):
    """A message is JSON, but no entry."""


def instance_of(entry: Registration) -> str:
    """Return the last part of the subject of an entry: FNV-1a of what identifies it."""
    port = entry["port"]
    text = "".join((entry["cluster"], entry["service"], entry["protocol"], entry["address"]))
    found = _FNV_OFFSET
    for byte in f"{text}{0 if port is None else port}".encode():
        found = (found ^ byte) * _FNV_PRIME & _FNV_BITS
    return f"{found:016x}"


def subject_of(entry: Registration) -> str:
    """Return the subject of an entry."""
    address = entry["address"].replace(".", "_")
    return ".".join((PREFIX, entry["cluster"], entry["protocol"], entry["service"], address, instance_of(entry)))


def payload_of(entry: Registration) -> bytes:
    """Return the message of an entry: JSON as the original writes it."""
    return json.dumps(fields_of(entry), separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogateescape")


def publish(client: Client, entry: Registration, stream: str = "") -> PublishAck:
    """Store an entry in place of an earlier one, in this stream if one is named. Raises NatsError."""
    headers = {"Nats-TTL": entry["ttl"]} if entry["ttl"] else {}
    headers["Nats-Rollup"] = "sub"
    if stream:
        headers["Nats-Expected-Stream"] = stream
    try:
        return client.publish(subject_of(entry), payload_of(entry), headers)
    except NatsUnreachable:
        raise
    except NatsError as error:
        raise _refused(error, "nats: ", stream) from None


def _refused(error: NatsError, doing: str, stream: str) -> CCMError:
    """Return an error with what was done before its text, and with advice where the stream does not exist."""
    if isinstance(error, NotStored):
        flag = f" --registration {escaped(stream)}" if stream else ""
        error.advice = f"make the stream with `ccm registration init{flag}`"
    return error.prefixed(doing)


def longest_ttl(client: Client, stream: str) -> int:
    """Return the maximum age of a stream, in ns: 0 without one, and where this user may not read it."""
    try:
        age = _settings(client, stream).get("max_age")
    except NatsError:
        return 0  # who may register need not be allowed to read the settings
    return age if isinstance(age, int) else 0


def is_longer(entry: Registration, age: int) -> bool:
    """Return whether the ttl of an entry is longer than the maximum age of its stream, in ns (decisions.md Q72)."""
    ttl = entry["ttl"]
    return age > 0 and ttl not in (None, "", NEVER) and parse(ttl) > age


def make_stream(client: Client, stream: str, replicas: int, max_age: int) -> list[str]:
    """Make the stream of entries, or give it these settings, and return its subjects. Raises NatsError.

    One with other subjects is left alone (decisions.md Q68).
    """
    require_stream_name(stream)
    wanted: dict[str, Value] = {
        "name": stream,
        "subjects": [SUBJECTS],
        "retention": "limits",
        "max_msgs_per_subject": 1,
        "max_age": max_age,
        "allow_msg_ttl": True,
        "allow_rollup_hdrs": True,
        "allow_direct": True,
        "deny_delete": True,
        "deny_purge": False,
        "num_replicas": replicas,
        "storage": "file",
        "discard": "old",
    }
    if max_age:
        wanted["subject_delete_marker_ttl"] = max_age
    try:
        former = _settings(client, stream)
    except NotStored:
        limits: dict[str, Value] = {"max_consumers": -1, "max_msgs": -1, "max_bytes": -1, "max_msg_size": -1}
        return _subjects(client.api(f"STREAM.CREATE.{stream}", {**limits, **wanted}))
    if former.get("subjects") != [SUBJECTS]:
        raise NatsError("it exists and has other subjects", advice="give another name with --registration")
    # The server derives it from the age.
    former.pop("duplicate_window", None)
    former.pop("subject_delete_marker_ttl", None)
    return _subjects(client.api(f"STREAM.UPDATE.{stream}", {**former, **wanted}))


def _settings(client: Client, stream: str) -> dict[str, Value]:
    found = client.api(f"STREAM.INFO.{stream}").get("config")
    return dict(found) if isinstance(found, dict) else {}


def _subjects(answer: Mapping[str, Value]) -> list[str]:
    config = answer.get("config")
    found = config.get("subjects") if isinstance(config, dict) else None
    return [shown(str(subject)) for subject in found] if isinstance(found, list) else []


def require_stream_name(stream: str) -> None:
    """Raise NatsError for what cannot be the name of a stream."""
    if not stream or not stream.isprintable() or any(char in stream for char in _INVALID_IN_NAMES):
        raise NatsError(f'nats: invalid stream name: "{escaped(stream)}"', value=stream)


def query(client: Client, stream: str, terms: Sequence[str]) -> list[Registration]:
    """Return the entries that match cluster, protocol, service and address, sorted by address and port.

    "" and `*` match all. Raises NatsError, never an empty list in its place (decisions.md Q69).
    """
    try:
        require_stream_name(stream)
        subject = _pattern(terms)
        if not subject:
            _settings(client, stream)  # the stream has to be there
            return []
        messages = client.last_per_subject(stream, (subject,), _LARGEST)
    except NatsError as error:
        raise _refused(error, "could not query registrations: ", stream) from None
    ttls: dict[str | int, str] = {}
    found = [entry_of(message, ttls) for message in messages if message.headers.get(MARKER) not in _REASONS]
    return sorted(found, key=lambda entry: (entry["address"], entry["port"] or 0))


def _pattern(terms: Sequence[str]) -> str:
    """Return the subject of entries that match; "" if no entry can."""
    tokens = []
    for at, term in enumerate(terms):
        token = "*" if term in ("", "*") else term.replace(".", "_") if at == len(terms) - 1 else term
        if token != "*" and not (token.isprintable() and not any(char in token for char in " .*>")):
            return ""
        tokens.append(token)
    return ".".join((PREFIX, *tokens, "*"))


def entry_of(message: StoredMessage, ttls: dict[str | int, str] | None = None) -> Registration:
    """Return the entry in a message; `ttls` keeps each ttl that was read. Raises NatsError, which names the subject."""
    try:
        found = json.loads(message.payload.decode("utf-8"))
        if not isinstance(found, dict):
            raise _NoEntry("it is not a JSON object")
        return entry_from(found, {} if ttls is None else ttls)
    except (ValueError, RecursionError) as error:
        # Python has other errors than JSONDecodeError for deep JSON, and for integers of many digits.
        reason = shown(str(error)) if isinstance(error, _NoEntry) else "it is not valid JSON"
        text = f"could not decode registration entry: {shown(message.subject)}: {reason}"
        raise NatsError(text, advice="purge this subject from the stream, or register there again") from None


def entry_from(fields: Mapping[str, Value], ttls: dict[str | int, str]) -> Registration:
    """Return an entry from JSON; `ttls` keeps each ttl that was read. Raises ValueError."""
    port, priority = (_whole(name, fields.get(name)) for name in ("port", "priority"))
    annotations = fields.get("annotations") or {}
    if not isinstance(annotations, dict) or not all(isinstance(value, str) for value in annotations.values()):
        raise _NoEntry("annotations must be a map of texts")
    return {
        "cluster": _text("cluster", fields.get("cluster")),
        "service": _text("service", fields.get("service")),
        "protocol": _text("protocol", fields.get("protocol")),
        "address": _text("address", fields.get("address")),
        "port": port,
        "priority": priority or 0,
        "annotations": annotations,
        "ttl": _ttl(fields.get("ttl"), ttls),
    }


def _text(name: str, value: Value) -> str:
    if value is not None and not isinstance(value, str):
        raise _NoEntry(f"{name} must be text")
    if value and not value.isprintable():
        # It would be a line of its own in what a template makes of it.
        raise _NoEntry(f"{name} has a character that cannot be printed")
    return value or ""


def _whole(name: str, value: Value) -> int | None:
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not -_MOST <= value < _MOST:
        raise _NoEntry(f"{name} must be an integer")
    return value


def _ttl(value: Value, known: dict[str | int, str]) -> str | None:
    """Return a ttl in Go's words; an integer is in ns. Raises _NoEntry."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise _NoEntry("ttl must be text or an integer")
    if value not in known:
        try:
            span = parse(value) if isinstance(value, str) and value != NEVER else value
        except DurationError as error:
            raise _NoEntry(f'invalid TTL duration "{value}": {error}') from None
        known[value] = span if isinstance(span, str) else format_go(span)
    return known[value]


def remove(client: Client, stream: str, entry: Registration) -> None:
    """Remove an entry, which who watches hears by a marker that goes too (decisions.md Q70). Raises NatsError."""
    subject = subject_of(entry)
    try:
        require_stream_name(stream)
        is_there = bool(client.last_per_subject(stream, (subject,), _LARGEST))
        # First what may be forbidden: then nothing is removed.
        client.api(f"STREAM.PURGE.{stream}", {"filter": subject})
        if is_there:
            ttl = format_go(_MARKER_TTL)
            headers = {MARKER: REMOVED, "Nats-TTL": ttl, "Nats-Rollup": "sub", "Nats-Expected-Stream": stream}
            client.publish(subject, b"", headers)
            client.api(f"STREAM.PURGE.{stream}", {"filter": subject})
    except NatsError as error:
        raise _refused(error, "could not remove registration: ", stream) from None


def follow(client: Client, stream: str, terms: Sequence[str]) -> Feed | None:
    """Return the messages of the entries that match: the last ones, then all new ones; None if no entry can match.

    Raises NatsError.
    """
    try:
        require_stream_name(stream)
        subject = _pattern(terms)
        if not subject:
            _settings(client, stream)
            return None
        return client.follow(stream, (subject,), "last_per_subject")
    except NatsError as error:
        raise _refused(error, "could not create ordered consumer: ", stream) from None


def removed_by(message: StoredMessage) -> tuple[str, dict[str, str]] | None:
    """Return the reason, and cluster to address of the entry that a marker removes; None where it is no marker."""
    reason = message.headers.get(MARKER)
    if reason is None:
        return None
    tokens = message.subject[len(PREFIX) + 1 :].split(".")
    names = ("cluster", "protocol", "service", "address")
    found = dict(zip(names, tokens))
    found["address"] = found.get("address", "").replace("_", ".")
    return reason, {name: shown(found.get(name, "")) for name in ("cluster", "service", "protocol", "address")}
