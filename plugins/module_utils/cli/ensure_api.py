# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""`ccm ensure api pipe`: reads a request for one resource on stdin, writes its result on stdout (behaviour.md 20)."""

from __future__ import annotations

import os
import sys

from ..engine.prerequisites import require_runnable
from ..engine.run import run_one
from ..lang.go.quoting import quote
from ..lang.jsondoc import load_json
from ..lang.spans import format_go
from ..lang.yaml import YAMLError, YAMLUnavailable, load
from ..lang.yamlwriting import dump
from ..manifest.declarations import read_declarations
from ..manifest.loader import Inputs, unknown_type, validate_declarations
from ..manifest.manifest import Manifest
from ..manifest.origin import DocumentOrigin
from ..manifest.run import run_child
from ..manifest.surroundings import Surroundings
from ..model.errors import CCMError, InvalidResource, SessionError, WrongKind
from ..model.flags import Flag
from ..model.protocols import ENSURE_REQUEST, ENSURE_RESPONSE
from ..resources.types import resource_type
from .command import Command, expected_errors
from .console import Console
from .documents import json_document
from .ensure_resource import ensure_context, ensure_environment, session_state
from .output import with_times
from .run import nats_of, open_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..data.environment import Environment
    from ..lang.jsondoc import JSONDocument
    from ..model.event import Event
    from ..model.flags import Values
    from ..model.resource import Resource
    from ..model.values import Data, ParsedDocument

_REQUESTER = "the request"


def _pipe(values: Values) -> int:
    """Answer one request. Every outcome is an answer and exit status 0; logs go to stderr (decisions.md Q35)."""
    reply = _Reply(values.yaml)
    console = Console(values, sys.stderr)
    try:
        console.user_log.before_waiting()
        _ensure(_parsed(sys.stdin.buffer.read()), values, console, reply)
    except expected_errors() as error:
        reply.error = _text_of(error)
    console.user_log.flush()
    sys.stdout.write(_written(reply))
    return 0


def _written(reply: _Reply) -> str:
    """Return the text of an answer; where an event has no JSON, only the error."""
    try:
        return reply.text()
    except expected_errors() as error:
        reply.event = None
        reply.error = reply.error or f"the state of the resource cannot be reported: {_text_of(error)}"
        return reply.text()


def _text_of(error: BaseException) -> str:
    from .failure import text_of

    return text_of(error)


class _Reply:
    """The answer: an error, the event, or both when an event could not be recorded."""

    def __init__(self, as_yaml: bool) -> None:
        self._as_yaml = as_yaml
        self.error = ""
        self.event: Event | None = None

    def text(self) -> str:
        document: Data = {"protocol": ENSURE_RESPONSE}
        if self.error:
            document["error"] = self.error
        if self._as_yaml:
            if self.event is not None:
                document["state"] = _yaml_form(self.event)
            return dump(document) + "\n"
        if self.event is not None:
            document["state"] = self.event.as_dict()
        return json_document(document)


def _yaml_form(event: Event) -> Data:
    """Return the event under the names that it has in the original's YAML."""
    state = with_times(event.as_dict())
    state["duration"] = format_go(event.duration)
    if event.status is not None:
        details = {**_without_value(event.type), **event.status.details}
        if "metadata" in details:
            details["metadata"] = with_times(details["metadata"])
        state["status"] = {"commonresourcestate": with_times(event.status.common()), **details}
    if event.health_checks:
        state["health_check"] = [{key.lower(): value for key, value in check.items()} for check in event.health_checks]
    return state


def _without_value(type_name: str) -> Data:
    """Return the fields of a type's states that JSON leaves out and YAML does not."""
    from ..resources.descriptions import description

    empty: Data = {"boolean": False, "integer": None}
    return {field.name: empty[field.kind] for field in description(type_name).state_fields if field.kind in empty}


def _parsed(request: bytes) -> ParsedDocument:
    """Return the document of a request. Raises CCMError for what cannot be decoded."""
    try:
        json = load_json(request, "request") if request.lstrip()[:1] in (b"{", b"[") else None
        document: ParsedDocument = json or load(request, "request")
    except YAMLError as error:
        from ..redaction.faults import shown_fault

        error.message = shown_fault(error, request)[0]
        raise CCMError(f"request cannot be decoded: {error}") from None
    except YAMLUnavailable as error:
        raise CCMError(f"request cannot be decoded: {error}") from None
    if not isinstance(document.value, dict):
        raise CCMError(f"invalid protocol {quote('')}", advice=f"send a mapping with protocol: {ENSURE_REQUEST}")
    if json is not None:
        _refuse_repeated_key(json)
    return document


def _refuse_repeated_key(document: JSONDocument) -> None:
    """Refuse, as the original does, keys that properties have twice; of other keys the last one is used."""
    found = document.repeated_key(("properties",))
    if found is not None:
        key, (line, column), (again, there) = found
        raise CCMError(f"[{again}:{there}] mapping key {quote(key)} already defined at [{line}:{column}]")


def _ensure(document: ParsedDocument, values: Values, console: Console, reply: _Reply) -> None:
    request = document.value
    protocol = request.get("protocol")
    if protocol != ENSURE_REQUEST:
        raise CCMError(f"invalid protocol {quote(protocol if isinstance(protocol, str) else '')}")
    type_name = request.get("type")
    for key, wanted in (("type", str), ("properties", (dict, list))):
        if not request.get(key):
            raise CCMError(f"missing {key} in request")
        if not isinstance(request[key], wanted):
            raise CCMError(f"{key} in the request must be {'text' if key == 'type' else 'a mapping or a list'}")
    unknown = [key for key in request if key not in ("protocol", "type", "properties")]
    if unknown and _is_strict():
        raise CCMError(f"unknown key {quote(unknown[0])} in the request", advice="known: protocol, type, properties")
    session = open_session(values)
    environment = ensure_environment(values, console.log)
    type = resource_type(type_name)
    if type is None:
        raise unknown_type(type_name)
    origin = DocumentOrigin(document, "request", ("properties",))
    try:
        declarations = read_declarations(type, request["properties"], origin, ignore_unknown=not _is_strict())
    except WrongKind as error:
        raise error.prefixed("cannot unmarshal: ") from None
    validate_declarations(declarations, environment)
    if len(declarations) != 1:
        raise InvalidResource("multiple resources found" if declarations else "no resources found")
    resource = declarations[0].resource
    require_runnable(resource)
    request = _request(resource, environment, values, console)
    state = session_state(session, values)
    surroundings = Surroundings(request, None, state, None, None, console.user_log)
    context = ensure_context(
        resource,
        environment,
        session,
        values,
        console,
        run_child=lambda properties, parent: run_child(properties, parent, surroundings),
    )
    event = run_one(resource, context)
    reply.event = event
    try:
        session.record(event)
    except SessionError as error:
        reply.error = str(error)


def _request(resource: Resource, environment: Environment, values: Values, console: Console) -> Manifest:
    """Return the request as the manifest that applies the manifest of the requested resource."""
    inputs = Inputs(
        facts=lambda: environment.facts or {},
        environ=dict(environment.environ or {}),
        strict=_is_strict(),
        log=console.log,
        nats=lambda: nats_of(values),
    )
    return Manifest(
        source=_REQUESTER,
        directory="",
        data=dict(environment.data or {}),
        environment=environment,
        resources=[resource],
        inputs=inputs,
    )


def _is_strict() -> bool:
    return os.environ.get("NO_SCHEMA_VALIDATION") != "1"


def _find(name: str) -> Command | None:
    return _PIPED if name in ("piped", "pipe") else None


_PIPED = Command(
    "ensure api piped",
    "STDIN/STDOUT based piped API",
    aliases=("pipe",),
    flags=(Flag("yaml", "switch", "Output YAML instead of JSON", default=False),),
    run=_pipe,
)

API = Command(
    "ensure api",
    "Resource management API",
    commands=(("piped", "STDIN/STDOUT based piped API"),),
    find=_find,
)
