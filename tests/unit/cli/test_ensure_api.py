# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure api pipe`: each request gets a response and status 0."""

from __future__ import annotations

import json
import os
import sys

import pytest
import yaml
from ccm.cli import ensure_api
from ccm.cli.main import main

REQUEST = "io.choria.ccm.v1.resource.ensure.request"
RESPONSE = "io.choria.ccm.v1.resource.ensure.response"


@pytest.fixture
def send(ccm):
    def run(request, *flags):
        ran = ccm("ensure", "api", "pipe", *flags, stdin=request if isinstance(request, str) else json.dumps(request))
        assert ran.status == 0
        reply = yaml.safe_load(ran.out) if "--yaml" in flags else json.loads(ran.out)
        assert reply.pop("protocol") == RESPONSE
        return reply

    return run


def request(type="exec", **properties):
    return {"protocol": REQUEST, "type": type, "properties": properties}


@pytest.mark.parametrize(
    ("port", "message"),
    [
        ("", "port must be an integer number not string"),
        (False, "port must be an integer number not bool"),
        ({}, "port must be an integer number not map[string]interface {}"),
        (0, "port '0' must be between 1 and 65535"),
    ],
)
def test_an_invalid_port_is_refused(send, port, message):
    entry = {"cluster": "a", "service": "b", "protocol": "c", "address": "192.0.2.1", "port": port, "priority": 1}
    error = send(request(name="true", register_when_stable=[entry]))["error"]
    assert error.partition("registration is invalid: ")[2] == message


@pytest.mark.starts_processes
def test_success_returns_an_event(send):
    state = send(request(name="true"))["state"]
    assert (state["type"], state["name"], state["changed"], state["failed"]) == ("exec", "true", True, False)
    assert state["status"]["exitcode"] == 0


@pytest.mark.starts_processes
def test_a_failed_resource_returns_an_event(send):
    state = send(request(name="false"))["state"]
    assert state["failed"] is True
    assert "error" not in send(request(name="false"))


@pytest.mark.starts_processes
def test_requests_can_be_yaml_and_lists(send):
    text = f"protocol: {REQUEST}\ntype: exec\nproperties:\n  - id: {{command: true}}\n"
    assert send(text)["state"]["properties"] == {"name": "id", "ensure": "present", "command": "true"}


@pytest.mark.starts_processes
def test_responses_in_yaml_have_their_own_names(send):
    state = send(request(name="true"), "--yaml")["state"]
    assert state["status"]["commonresourcestate"]["type"] == "exec"
    assert state["status"]["exitcode"] == 0
    assert state["duration"].endswith("s")


def test_the_response_is_json_with_two_blanks(ccm):
    ran = ccm("ensure", "api", "piped", stdin="{}")
    assert ran.out == f'{{\n  "protocol": "{RESPONSE}",\n  "error": "invalid protocol \\"\\""\n}}\n'


@pytest.mark.starts_processes
def test_logs_go_to_stderr(ccm):
    ran = ccm("ensure", "api", "pipe", stdin=json.dumps(request(name="echo said", logoutput=True)))
    assert json.loads(ran.out)["state"]["changed"]
    assert ran.err == " INFO  said\n"


@pytest.mark.starts_processes
def test_the_given_session_records_the_event(send, tmp_path):
    (tmp_path / "s").mkdir()
    state = send(request(name="true"), "--session", "s")["state"]
    assert os.listdir(tmp_path / "s") == [f"{state['event_id']}.event"]


@pytest.mark.starts_processes
def test_an_event_that_cannot_be_recorded_is_returned_with_the_error(send):
    reply = send(request(name="true"), "--session", "none")
    assert "does not exist" in reply["error"]
    assert reply["state"]["changed"] is True


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("", 'invalid protocol ""'),
        ("[]", 'invalid protocol ""'),
        ({"protocol": "x", "type": "exec", "properties": {"name": "a"}}, 'invalid protocol "x"'),
        ({"protocol": REQUEST, "properties": {"name": "a"}}, "missing type in request"),
        ({"protocol": REQUEST, "type": "exec"}, "missing properties in request"),
        (request("lamp", name="a"), "invalid resource: unknown resource type lamp"),
        ({"protocol": REQUEST, "type": "exec", "properties": [{"a": {}}, {"b": {}}]}, "multiple resources found"),
        ({"protocol": REQUEST, "type": "exec", "properties": [{"defaults": {}}]}, "no resources found"),
        (request(name="a", provider="x"), "invalid resource: provider not found"),
        (request("file", name="/a", ensure="present", owner="a", group="b", mode=""), "mode cannot be empty"),
        (
            request("file", name="/a", ensure="present", owner="a", group="b", mode="17777"),
            'file#/a: invalid resource: mode "17777" exceeds maximum value 7777',
        ),
    ],
)
def test_recorded_errors(send, given, text):
    assert send(given) == {"error": text}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ('{"protocol": ', "request cannot be decoded: "),
        ("a: [", "request cannot be decoded: "),
        ("\x00", "request cannot be decoded: "),
        ("[" * 100_000, "request cannot be decoded: "),
        ({"protocol": REQUEST, "type": ["exec"], "properties": {"name": "a"}}, "type in the request must be text"),
        ({"protocol": REQUEST, "type": "exec", "properties": "x"}, "properties in the request must be"),
        ({**request(name="true"), "colour": 1}, 'unknown key "colour"'),
        (request(name="true", colour="red"), "colour"),
        (request(name="true", returns={"a": 1}), "returns must be a list"),
    ],
)
def test_errors_without_a_recording(send, given, text):
    reply = send(given)
    assert list(reply) == ["error"]
    assert text in reply["error"]


@pytest.mark.parametrize("form", [[], ["--yaml"]])
@pytest.mark.parametrize(
    "raised",
    [
        OSError(5, "Input/output error", "/f"),
        MemoryError(),
        RecursionError(),
    ],
)
def test_each_failure_returns_a_document(ccm, monkeypatch, raised, form):
    def fail(*given, **named):
        raise raised

    monkeypatch.setattr(ensure_api, "run_one", fail)
    request = {"protocol": REQUEST, "type": "exec", "properties": {"name": "true"}}
    ran = ccm("ensure", "api", "pipe", *form, stdin=json.dumps(request))
    answer = yaml.safe_load(ran.out)
    assert (ran.status, ran.err, set(answer)) == (0, "", {"protocol", "error"})
    assert answer["error"]


def test_values_without_a_json_form_are_reported(send, tmp_path):
    (tmp_path / "s").mkdir()
    given = (
        f"{{name: {tmp_path}/t, ensure: present, source: {tmp_path}/s, engine: go, data: {{x: '${{ 1e308 * 10 }}'}}}}"
    )
    answer = send(f"protocol: {REQUEST}\ntype: scaffold\nproperties: {given}\n")
    assert set(answer) == {"error"}
    assert answer["error"].startswith("the state of the resource cannot be reported: ")


def test_data_without_a_json_form_is_refused(send, tmp_path):
    given = f"{{name: {tmp_path}/t, ensure: present, source: {tmp_path}/s, engine: go, data: {{x: .nan}}}}"
    answer = send(f"protocol: {REQUEST}\ntype: scaffold\nproperties: {given}\n")
    assert answer == {"error": "data.x must be a finite number: neither .nan nor .inf can be recorded"}


def test_a_request_that_cannot_be_read_gets_a_response(capsys, monkeypatch):
    class Unreadable:
        class buffer:
            @staticmethod
            def read():
                raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", Unreadable)
    assert main(["ensure", "api", "pipe"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] == "input/output error"


@pytest.mark.parametrize("form", [[], ["--yaml"]])
def test_invalid_unicode_gets_a_response(ccm, form):
    request = {"protocol": REQUEST, "type": "exec", "properties": {"name": "true \udcff\ud800"}}
    ran = ccm("ensure", "api", "pipe", *form, stdin=json.dumps(request))
    assert ran.status == 0
    assert yaml.safe_load(ran.out.encode("utf-8", "replace"))["state"]["type"] == "exec"


def test_content_that_is_no_text_is_an_error(ccm, tmp_path, me):
    owner, group = me
    properties = {"name": str(tmp_path / "one"), "ensure": "present", "content": "\ud800", "mode": "0644"}
    request = {"protocol": REQUEST, "type": "file", "properties": {**properties, "owner": owner, "group": group}}
    ran = ccm("ensure", "api", "pipe", stdin=json.dumps(request))
    assert "content cannot be written as UTF-8: surrogates not allowed" in ran.out
    assert not (tmp_path / "one").exists()


@pytest.mark.starts_processes
def test_unknown_properties_are_accepted_without_schema_validation(send, monkeypatch):
    monkeypatch.setenv("NO_SCHEMA_VALIDATION", "1")
    assert send(request(name="true", colour="red"))["state"]["changed"]


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ('{"name":"/bin/true","name":"/bin/false"}', '[1:21] mapping key "name" already defined at [1:2]'),
        ('{"name": "a",\n "control": {"if": "a", "if": "b"}}', '[2:25] mapping key "if" already defined at [2:14]'),
        ('[1, {"a": [{"name": 1, "na\\u006de": 2}]}]', '[1:24] mapping key "name" already defined at [1:13]'),
    ],
)
def test_duplicate_keys_of_properties_are_refused(send, properties, message):
    assert send(f'{{"protocol": "{REQUEST}", "type": "exec", "properties":\n{properties}}}')["error"] == _moved(message)


def _moved(message):
    """Return the error of these properties, which begin one line further down."""
    return message.replace("[2:", "[3:").replace("[1:", "[2:")


@pytest.mark.starts_processes
def test_the_last_one_of_other_duplicate_keys_is_used(send):
    text = f'"protocol": "{REQUEST}", "type": "file", "type": "exec", "properties": {{"name": "a", "name": "b"}}'
    assert send(f'{{{text}, "properties": {{"name": "true"}}}}')["state"]["name"] == "true"


@pytest.mark.starts_processes
def test_a_second_document_is_ignored(send):
    assert (
        send(f"protocol: {REQUEST}\ntype: exec\nproperties: {{name: 'true'}}\n---\na: b\n")["state"]["type"] == "exec"
    )


@pytest.mark.parametrize(("data", "expected"), [({}, {}), (None, {}), ({"a": {}}, {"data": {"a": {}}})])
def test_empty_data_is_left_out_of_an_event(ccm, tmp_path, data, expected):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: [{'true': {creates: /}}]}]}")
    child_properties = {"name": str(tmp_path / "child.yaml"), "ensure": "present", "data": data}
    text = json.dumps({**request(), "type": "apply", "properties": child_properties})
    properties = json.loads(ccm("ensure", "api", "pipe", stdin=text).out)["state"]["properties"]
    assert {key: value for key, value in properties.items() if key == "data"} == expected
