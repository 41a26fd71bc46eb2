# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm registration`: what services registered in NATS (behaviour.md 18 and 19.3).

Requests are checked; where there is no NATS context, the answer is the original's.
"""

from __future__ import annotations

import sys

from ..host.nats import connect, jetstream
from ..lang.controls import escaped
from ..model.errors import CCMError, InvalidResource
from ..model.flags import REGISTRATION, Argument, Flag
from ..model.registration import check_registration, validate_registration
from .command import Command
from .run import NATS_CONTEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.flags import Values
    from ..model.values import Registration

_MOST_REPLICAS = 5


def _create(values: Values) -> int:
    _check_entry(values, values.priority, values.ttl or None)
    connect(values.context)


def _remove(values: Values) -> int:
    _check_entry(values, 1, None)
    if values.force or _confirmed(values):
        jetstream(values.context)
    return 0


def _check_entry(values: Values, priority: int, ttl: str | None) -> None:
    entry: Registration = {
        "cluster": values.cluster,
        "service": values.service,
        "protocol": values.protocol,
        "address": values.address,
        "port": values.port,
        "priority": priority,
        "ttl": ttl,
        "annotations": {},
    }
    check_registration(entry)
    try:
        validate_registration(entry, "")
    except InvalidResource as error:
        raise CCMError(f"invalid registration entry: {error}", value=error.value) from None


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
    jetstream(values.context)


def _ask(values: Values) -> int:
    jetstream(values.context)


_IDENTITY = (
    Flag("cluster", "text", "The cluster name", required=True),
    Flag("service", "text", "The service name", required=True),
    Flag("protocol", "text", "The protocol name", required=True),
    Flag("address", "text", "The IP address or host name", required=True),
    Flag("port", "integer", "The port number", required=True),
)

_CREATE = Command(
    "registration create",
    "Create a registration entry",
    flags=(
        *_IDENTITY,
        Flag("priority", "integer", "The priority (1-255)", default=100),
        Flag("ttl", "text", "How long the entry lives, or never", default="30s"),
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
        Flag("max-age", "duration", "Maximum age of messages in the stream", default=60_000_000_000, placeholder="1m"),
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
    run=_ask,
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
    run=_ask,
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
