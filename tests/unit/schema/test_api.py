# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON schemas of requests and responses match the behaviour of `ccm ensure api pipe`."""

from __future__ import annotations

import functools
import json

import pytest
import yaml as pyyaml
from ccm.data.environment import Environment
from ccm.engine.prerequisites import require_runnable
from ccm.lang import yaml
from ccm.manifest.declarations import read_declarations
from ccm.manifest.loader import validate_declarations
from ccm.model.errors import CCMError, InvalidResource
from ccm.model.protocols import ENSURE_REQUEST as REQUEST
from ccm.model.protocols import ENSURE_RESPONSE as RESPONSE
from ccm.resources.types import resource_type
from ccm.schema.api import request_schema, response_schema
from jsonschema import Draft202012Validator

from tests.conformance.vectors import OURS, read
from tests.unit.recorded import PLACES, ComparedVectors, cases

REQUEST_SCHEMA = Draft202012Validator(request_schema())
RESPONSE_SCHEMA = Draft202012Validator(response_schema())

# Refused by us and accepted by the schema, by reason: regular expressions for our message.
BEYOND_THE_SCHEMA = {
    "the outcome of expressions": (r"expr compile error",),
    "properties that depend on each other": (
        r"'command' or 'goss_rules' are mutually exclusive",
        r"'format' flag is required",
        r"'format' must be '(goss|nagios)'",
        r"'force: true' ",
        r"cleanup requires (creates|extract_parent) to be set",
        r"url and name must have the same archive type",
    ),
    "properties that the defaults of a list may give": (r"(owner|group|mode|source|url) cannot be empty",),
    "names, paths and addresses that a type reads in code": (
        r"(file path|name) must be (an? )?(absolute|canonical)( path)?",
        r"(creates|extract_parent) path must be absolute",
        r"invalid path: ",
        r"name must be a file path, not a URL",
        r"(package|service) name contains (invalid|dangerous) characters",
        r"package version/ensure contains dangerous characters",
        r"(url|url filename|name) must (be absolute|have a filename|end in)",
        r"invalid url: ",
    ),
    "commands, variables and references": (
        r"Unterminated ",
        r"invalid command",
        r"invalid environment variable",
        r"invalid (subscribe format|require properties)",
        r"post (keys|value)",
    ),
    "registrations, checked once their expressions are resolved": (r"registration is invalid: ",),
}


@functools.lru_cache(maxsize=1)
def _compared():
    """Return each vector with the properties of resources: id, our error, the first error of the schema."""
    environments = json.loads((OURS / "envs.json").read_text(encoding="utf-8"))
    found = []
    for vector in read(OURS / "validate.jsonl"):
        api_request = vector["input"]
        if api_request["mode"] != "model":
            continue
        try:
            document = yaml.load(api_request["yaml"], "request").value
        except yaml.YAMLError:
            continue
        request = {"protocol": REQUEST, "type": api_request["type"], "properties": document}
        refusal = _refusal(request, environments[api_request["env"]])
        found.append((vector["id"], refusal, next(REQUEST_SCHEMA.iter_errors(request), None)))
    return ComparedVectors(found, BEYOND_THE_SCHEMA)


def _refusal(request, env):
    """Return our message; empty when the request would be executed."""
    environment = Environment(env.get("facts") or {}, env.get("data") or {}, env.get("environ") or {})
    type = resource_type(request["type"])
    if type is None:
        return "unknown type"
    if not request["properties"]:
        return "missing properties"
    try:
        declarations = read_declarations(type, request["properties"])
        validate_declarations(declarations, environment)
        if len(declarations) != 1:
            raise InvalidResource("not one resource")
        require_runnable(declarations[0].resource)
    except CCMError as error:
        return error.message
    return ""


def test_the_schemas_are_valid():
    for schema in (REQUEST_SCHEMA.schema, RESPONSE_SCHEMA.schema):
        Draft202012Validator.check_schema(schema)


def test_there_are_accepted_and_refused_vectors():
    compared = _compared()
    assert len(compared.vectors) > 500
    assert 200 < len(compared.refused) < len(compared.vectors) - 200


def test_the_schema_accepts_accepted_vectors():
    assert _compared().errors_of_accepted() == []


def test_the_schema_refuses_wrong_structure_key_type_or_choice():
    assert _compared().missed() == []


@pytest.mark.parametrize("expression", [each for group in BEYOND_THE_SCHEMA.values() for each in group])
def test_each_limit_of_the_schema_occurs_in_the_vectors(expression):
    assert _compared().has_beyond(expression)


def _request(type="exec", **properties):
    return {"protocol": REQUEST, "type": type, "properties": properties}


@pytest.mark.parametrize(
    "request_",
    [
        {},
        [],
        {"protocol": "x", "type": "exec", "properties": {"name": "a"}},
        {"protocol": REQUEST, "properties": {"name": "a"}},
        {"protocol": REQUEST, "type": "exec"},
        _request("lamp", name="a"),
        {**_request(name="true"), "colour": 1},
        {"protocol": REQUEST, "type": "exec", "properties": "x"},
        {"protocol": REQUEST, "type": "exec", "properties": {}},
        {"protocol": REQUEST, "type": "exec", "properties": [{"a": {}}, {"b": {}}]},
        {"protocol": REQUEST, "type": "exec", "properties": [{"defaults": {}}]},
        _request(name="true", colour="red"),
        _request(name="true", returns={"a": 1}),
        _request("package", name="x", ensure=None),
        _request("package", name="x", ensure=""),
        _request("file", name="/f", ensure="", owner="root", group="root", mode="0644"),
        {"protocol": REQUEST, "type": "package", "properties": [{"defaults": {"ensure": "absent"}}, {"x": None}]},
        _request("file", name="/f", ensure="stopped", owner="root", group="root", mode="0644"),
        _request("archive", name="/a.zip", ensure="latest", url="http://h/a.zip", owner="root", group="root"),
        _request("scaffold", name="/s", ensure="directory", source="s"),
        _request("service", name="nginx", ensure="present"),
        _request("apply", name="m.yaml", ensure="absent"),
        _request("file", name="f", ensure="absent"),
        _request("file", name=5, ensure="absent"),
        {"protocol": REQUEST, "type": "scaffold", "properties": [{"a/b": {"ensure": "absent", "source": "s"}}]},
        _request("archive", name="a.zip", ensure="absent", url="http://h/a.zip", owner="root", group="root"),
        _request(name="true", timeout=-1),
        _request(name="true", timeout="x"),
        _request(name="true", timeout="5"),
        _request(name="true", timeout=True),
        _request(name="true", health_checks=[{"command": "true", "timeout": 10}]),
        _request(name="true", health_checks=[{"command": "true", "try_sleep": "soon"}]),
        _request(name="true", provider="csh"),
        _request("package", name="x", ensure="present", provider="pip"),
    ],
)
def test_both_refuse(ccm, request_):
    reply = json.loads(ccm("ensure", "api", "pipe", "--noop", stdin=json.dumps(request_)).out)
    assert "error" in reply
    RESPONSE_SCHEMA.validate(reply)
    assert list(REQUEST_SCHEMA.iter_errors(request_))


@pytest.mark.starts_processes
@pytest.mark.parametrize(
    "request_",
    [
        _request(name="true"),
        _request(name="false", health_checks=[{"command": "echo well"}], alias="a"),
        _request(name="true", control={"if": "false"}),
        _request("file", name="/nowhere/x", ensure="absent"),
        _request("file", name="{{ '/nowhere' }}/x", ensure="{{ 'absent' }}", provider="posix"),
        {"protocol": REQUEST, "type": "file", "properties": [{"/nowhere/x": {"ensure": "absent", "name": "x"}}]},
        {
            "protocol": REQUEST,
            "type": "file",
            "properties": [{"defaults": {"ensure": "absent"}}, {"/nowhere/x": {}}],
        },
        _request(name="true", ensure="stopped", provider=""),
        *(_request(name="true", timeout=each) for each in ("", None, 0, "0", "1y", "1.5s", "{{ '9s' }}", "1h 30m")),
        _request(name="true", health_checks=[{"command": "true", "timeout": "0", "try_sleep": "{{ '1ms' }}"}]),
        {"protocol": REQUEST, "type": "exec", "properties": [{"true": None}, {"defaults": {"logoutput": True}}]},
    ],
)
def test_responses_match_the_schema(ccm, request_):
    REQUEST_SCHEMA.validate(request_)
    text = json.dumps(request_)
    reply = json.loads(ccm("ensure", "api", "pipe", stdin=text).out)
    assert "state" in reply
    RESPONSE_SCHEMA.validate(reply)
    RESPONSE_SCHEMA.validate(pyyaml.load(ccm("ensure", "api", "pipe", "--yaml", stdin=text).out, _TextualTimes))


class _TextualTimes(pyyaml.SafeLoader):
    """A loader that reads times in YAML as text, like in JSON."""


_TextualTimes.add_constructor("tag:yaml.org,2002:timestamp", pyyaml.SafeLoader.construct_yaml_str)


def test_a_response_has_an_error_or_an_event():
    assert list(RESPONSE_SCHEMA.iter_errors({"protocol": RESPONSE}))
    RESPONSE_SCHEMA.validate({"protocol": RESPONSE, "error": "x"})
    assert list(RESPONSE_SCHEMA.iter_errors({"protocol": RESPONSE, "error": ""}))
    assert list(RESPONSE_SCHEMA.iter_errors({"protocol": RESPONSE, "error": "x", "state": {}}))


def test_requests_of_the_cases():
    """A request with an event in its response is valid by the schema."""
    compared = 0
    for path, case in cases():
        for step in case.get("steps", ()):
            want = step.get("want") or {}
            if want.get("reply") is None or not want.get("events"):
                continue
            api_request = step["stdin"] if isinstance(step["stdin"], str) else json.dumps(step["stdin"])
            for place, found in PLACES.items():
                api_request = api_request.replace(place, found)
            complaint = next(REQUEST_SCHEMA.iter_errors(yaml.load(api_request, "request").value), None)
            assert complaint is None, f"{path.stem}: {complaint.message}"
            compared += 1
    assert compared > 50
