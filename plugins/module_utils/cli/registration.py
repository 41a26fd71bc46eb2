# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm registration`: what services registered in NATS (behaviour.md 18 and 19.3)."""

from __future__ import annotations

import json
import sys
from json.encoder import encode_basestring

from ..lang.controls import escaped, in_json
from ..lang.durations import DurationError, parse
from ..model.errors import CCMError, InvalidResource
from ..model.flags import REGISTRATION, Argument, Flag
from ..model.registration import check_registration, validate_registration
from ..model.registration_fields import fields_of
from ..nats.errors import NatsError, NatsUnreachable
from ..nats.registrations import (
    entry_of,
    follow,
    longest_ttl,
    make_stream,
    publish,
    query,
    remove,
    removed_by,
)
from .command import Command
from .console import Console, print_yaml
from .outage import Outage
from .registering import note_age
from .run import NATS_CONTEXT, nats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Mapping, Sequence

    from ..model.flags import Values
    from ..model.values import Field, Registration, Value
    from ..nats.messages import StoredMessage

_MOST_REPLICAS = 5
#: The fields of an entry in a line of `ccm registration watch`.
_SHOWN = ("cluster", "service", "protocol", "address", "port", "ttl")


def _create(values: Values) -> int:
    entry = _checked_entry(values, values.priority, values.ttl or None)
    client = nats_of(values).client()
    publish(client, entry, values.registration)
    console = Console(values)
    if entry["ttl"]:
        # Scripts read what the original says and no more.
        note = console.log.warn if sys.stderr.isatty() else console.log.info
        note_age(note, entry, longest_ttl(client, values.registration))
    console.user_log.info("Registration entry created", **_identity(values), priority=entry["priority"])
    return 0


def _identity(values: Values) -> dict[str, Field]:
    return {name: getattr(values, name) for name in ("cluster", "service", "protocol", "address", "port")}


def _remove(values: Values) -> int:
    entry = _checked_entry(values, 1, None)
    if values.force or _confirmed(values):
        client = nats_of(values).jetstream()
        remove(client, values.registration, entry)
        Console(values).user_log.info("Registration entry removed", **_identity(values))
    return 0


def _checked_entry(values: Values, priority: int, ttl: str | None) -> Registration:
    entry: Registration = {
        "cluster": values.cluster,
        "service": values.service,
        "protocol": values.protocol,
        "address": values.address,
        "port": values.port,
        "priority": priority,
        "ttl": ttl,
        "annotations": dict(vars(values).get("annotation") or {}),
    }
    check_registration(entry)
    try:
        validate_registration(entry, "")
    except InvalidResource as error:
        raise CCMError(f"invalid registration entry: {error}", value=error.value) from None
    return entry


def _confirmed(values: Values) -> bool:
    entry = f"{values.cluster}/{values.service}/{values.protocol} at {values.address}:{values.port}"
    sys.stdout.write(f"? Remove registration entry {escaped(entry)}? (y/N) ")
    sys.stdout.flush()
    answer = sys.stdin.readline()
    if not answer:
        raise CCMError("EOF", advice="there is no terminal to ask: --force removes without asking")
    return answer.strip().lower() in ("y", "yes")


def _init(values: Values) -> int:
    if not 1 <= values.replicas <= _MOST_REPLICAS:
        raise CCMError(f"replicas must be between 1 and {_MOST_REPLICAS}", value=values.replicas)
    try:
        max_age = parse(values.max_age)
    except DurationError as error:
        raise CCMError(str(error), value=values.max_age) from None
    console, stream = Console(values), values.registration
    prefix = f"could not create or update stream {escaped(stream)}: "
    try:
        subjects = make_stream(nats_of(values).jetstream(), stream, values.replicas, max_age)
    except NatsUnreachable as error:
        # The recorded words name neither the server nor the reason.
        console.log.error("NATS connection lost, attempting to reconnect", error=str(error))
        raise CCMError(f"{prefix}context deadline exceeded") from None
    except NatsError as error:
        raise error if str(error).startswith("could not connect") else error.prefixed(prefix) from None
    shown = f"[{' '.join(subjects)}]"
    console.user_log.info("Registration stream ready", stream=stream, subjects=shown, replicas=values.replicas)
    return 0


def _terms(values: Values, last: str) -> tuple[str, ...]:
    return (values.cluster, values.protocol, values.service, getattr(values, last))


def _query(values: Values) -> int:
    client = nats_of(values).jetstream()
    found = query(client, values.registration, _terms(values, "address"))
    if values.json:
        text = "[" + ",".join(f"\n{_as_json(fields_of(entry))}" for entry in found) + ("\n]\n" if found else "]\n")
        sys.stdout.write(in_json(text))
    elif values.yaml:
        print_yaml([fields_of(entry) for entry in found])
    else:
        sys.stdout.write(_shown(found))
    return 0


def _as_json(fields: Mapping[str, Value], indent: str = "  ") -> str:
    """Return a map of texts, integers and such maps as the original's encoder lays it out, many times faster."""
    rows = []
    for name, value in fields.items():
        if isinstance(value, dict):
            written = _as_json(value, indent + "  ").lstrip()
        else:
            written = encode_basestring(value) if isinstance(value, str) else str(value)
        rows.append(f"{indent}  {encode_basestring(name)}: {written}")
    return f"{indent}{{\n" + ",\n".join(rows) + f"\n{indent}}}"


def _shown(found: Sequence[Registration]) -> str:
    """Return entries for a reader, each service in one place."""
    blocks = []
    for entry in sorted(found, key=lambda entry: (entry["cluster"], entry["protocol"], entry["service"])):
        lines = [f"Service: {escaped(entry['service'])} @ {escaped(entry['cluster'])}", ""]
        fields = fields_of(entry)
        for name in ("cluster", "protocol", "service", "address", "port", "priority"):
            if name in fields:
                lines.append(f"{name.capitalize():>14}: {escaped(str(fields[name]))}")
        if entry["annotations"]:
            lines.append("   Annotations:")
            pairs = sorted(entry["annotations"].items())
            lines += [f"{'':16}{escaped(name)}: {escaped(value)}" for name, value in pairs]
        blocks.append("".join(f"{line}\n" for line in lines))
    return "\n".join(blocks) + "\n" if blocks else "No results found\n"


def _watch(values: Values) -> int:
    client = nats_of(values).jetstream()
    console = Console(values)
    feed = follow(client, values.registration, _terms(values, "ip"))
    if feed is None:
        console.log.warn("No entry can match what is watched")
        return 0
    show = _write_json if values.json else _write_line
    outage = Outage()
    try:
        while True:
            message = feed.read()
            if outage.is_new(feed.problem):
                console.log.warn("Registrations are not watched for now", error=feed.problem)
            elif outage.is_over(feed.problem):
                console.log.warn("Registrations are watched again")
            if message is None:
                continue
            try:
                show(console, message)
            except NatsError as error:
                console.log.error("Could not read a registration", error=str(error))
            console.user_log.flush()
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 0
    finally:
        feed.close()


def _write_line(console: Console, message: StoredMessage) -> None:
    """Log a message. Raises NatsError where it is no entry."""
    removed = removed_by(message)
    if removed:
        reason, identity = removed
        console.user_log.warn("Removed entry", **identity, reason=reason)
        return
    shown = {name: value for name, value in fields_of(entry_of(message)).items() if name in _SHOWN}
    console.user_log.info("Updated entry", **shown)


def _write_json(_console: Console, message: StoredMessage) -> None:
    """Print a message as one line of JSON. Raises NatsError where it is no entry."""
    removed = removed_by(message)
    if removed:
        found = {"action": "remove", "entry": removed[1], "reason": removed[0]}
    else:
        found = {"action": "register", "entry": fields_of(entry_of(message))}
    sys.stdout.write(in_json(json.dumps(found, separators=(",", ":"), ensure_ascii=False)) + "\n")


_IDENTITY = (
    Flag("cluster", "text", "The cluster name", required=True),
    Flag("service", "text", "The service name", required=True),
    Flag("protocol", "text", "The protocol name", required=True),
    Flag("address", "text", "The ip or host", required=True),
    Flag("port", "integer", "The port number", required=True),
)

_CREATE = Command(
    "registration create",
    "Create a registration entry",
    flags=(
        *_IDENTITY,
        Flag("priority", "integer", "The priority (1-255)", default=100),
        Flag("ttl", "text", "Time to live for the entry", default="30s"),
        Flag("annotation", "map", "Annotations in key=value format", short="A"),
        REGISTRATION,
    ),
    aliases=("c",),
    run=_create,
)

_INIT = Command(
    "registration init",
    "Initialize the registration JetStream stream",
    flags=(
        Flag("replicas", "integer", "Number of stream replicas", default=1),
        Flag("max-age", "text", "Maximum age of messages in the stream", default="1m"),
        REGISTRATION,
    ),
    run=_init,
)


def _pattern(last: str) -> tuple[Argument, ...]:
    return (
        Argument("cluster", "The cluster to query", default="*"),
        Argument("protocol", "The protocol to query", default="*"),
        Argument("service", "The service to query", default="*"),
        Argument(last, "The IP address or host name to query", default="*"),
    )


_JSON = Flag("json", "set", "Render results in JSON format")

_QUERY = Command(
    "registration query",
    "Query the registration store",
    arguments=_pattern("address"),
    flags=(_JSON, Flag("yaml", "set", "Render results in YAML format"), REGISTRATION),
    aliases=("q",),
    run=_query,
)

_REMOVE = Command(
    "registration rm",
    "Remove a registration entry",
    flags=(*_IDENTITY, Flag("force", "set", "Skip confirmation prompt"), REGISTRATION),
    aliases=("delete",),
    run=_remove,
)

_WATCH = Command(
    "registration watch",
    "Watch registration updated in real time",
    arguments=_pattern("ip"),
    flags=(_JSON, REGISTRATION),
    run=_watch,
)

_FOUND = {
    "create": _CREATE,
    "c": _CREATE,
    "init": _INIT,
    "query": _QUERY,
    "q": _QUERY,
    "rm": _REMOVE,
    "delete": _REMOVE,
    "watch": _WATCH,
}

COMMAND = Command(
    "registration",
    "Node Registration system",
    flags=(NATS_CONTEXT,),
    aliases=("reg", "r"),
    commands=tuple((name, _FOUND[name].help) for name in ("create", "init", "query", "rm", "watch")),
    find=_FOUND.get,
)
