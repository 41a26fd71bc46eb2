# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`ccm ensure api pipe`: every request gets an answer and status 0."""

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
def ask(ccm):
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
    ("port", "said"),
    [
        ("", "port must be an integer number not string"),
        (False, "port must be an integer number not bool"),
        ({}, "port must be an integer number not map[string]interface {}"),
        (0, "port '0' must be between 1 and 65535"),
    ],
)
def test_a_port_that_is_nothing_is_refused_as_what_it_is(ask, port, said):
    entry = {"cluster": "a", "service": "b", "protocol": "c", "address": "192.0.2.1", "port": port, "priority": 1}
    error = ask(request(name="true", register_when_stable=[entry]))["error"]
    assert error.partition("registration is invalid: ")[2] == said


def test_success_is_an_event(ask):
    state = ask(request(name="true"))["state"]
    assert (state["type"], state["name"], state["changed"], state["failed"]) == ("exec", "true", True, False)
    assert state["status"]["exitcode"] == 0


def test_a_failed_resource_is_an_event_too(ask):
    state = ask(request(name="false"))["state"]
    assert state["failed"] is True
    assert "error" not in ask(request(name="false"))


def test_requests_may_be_yaml_and_lists(ask):
    text = f"protocol: {REQUEST}\ntype: exec\nproperties:\n  - id: {{command: true}}\n"
    assert ask(text)["state"]["properties"] == {"name": "id", "ensure": "present", "command": "true"}


def test_answers_in_yaml_have_names_of_their_own(ask):
    state = ask(request(name="true"), "--yaml")["state"]
    assert state["status"]["commonresourcestate"]["type"] == "exec"
    assert state["status"]["exitcode"] == 0
    assert state["duration"].endswith("s")


def test_the_answer_is_json_of_two_blanks(ccm):
    ran = ccm("ensure", "api", "piped", stdin="{}")
    assert ran.out == f'{{\n  "protocol": "{RESPONSE}",\n  "error": "invalid protocol \\"\\""\n}}\n'


def test_logs_go_to_stderr(ccm):
    ran = ccm("ensure", "api", "pipe", stdin=json.dumps(request(name="echo said", logoutput=True)))
    assert json.loads(ran.out)["state"]["changed"]
    assert ran.err == " INFO  said\n"


def test_a_given_session_keeps_the_event(ask, tmp_path):
    (tmp_path / "s").mkdir()
    state = ask(request(name="true"), "--session", "s")["state"]
    assert os.listdir(tmp_path / "s") == [f"{state['event_id']}.event"]


def test_an_event_that_cannot_be_recorded_is_told_with_the_error(ask):
    reply = ask(request(name="true"), "--session", "none")
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
        (request("user", name="a"), "invalid resource: unknown resource type user"),
        ({"protocol": REQUEST, "type": "exec", "properties": [{"a": {}}, {"b": {}}]}, "multiple resources found"),
        ({"protocol": REQUEST, "type": "exec", "properties": [{"defaults": {}}]}, "no resources found"),
        (request(name="a", provider="x"), "invalid resource: provider not found"),
        (request("file", name="/a", ensure="present", owner="a", group="b", mode=""), "mode cannot be empty"),
        (
            request("file", name="/a", ensure="present", owner="a", group="b", mode="1777"),
            'file#/a: invalid resource: mode "1777" exceeds maximum value 0777',
        ),
    ],
)
def test_recorded_errors(ask, given, text):
    assert ask(given) == {"error": text}


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
def test_errors_of_our_own(ask, given, text):
    reply = ask(given)
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
def test_whatever_goes_wrong_is_a_document(ccm, monkeypatch, raised, form):
    def fail(*given, **named):
        raise raised

    monkeypatch.setattr(ensure_api, "run_transaction", fail)
    request = {"protocol": REQUEST, "type": "exec", "properties": {"name": "true"}}
    ran = ccm("ensure", "api", "pipe", *form, stdin=json.dumps(request))
    answer = yaml.safe_load(ran.out)
    assert (ran.status, ran.err, set(answer)) == (0, "", {"protocol", "error"})
    assert answer["error"]


def test_what_has_no_json_is_said(ask, tmp_path):
    (tmp_path / "s").mkdir()
    given = (
        f"{{name: {tmp_path}/t, ensure: present, source: {tmp_path}/s, engine: go, data: {{x: '${{ 1e308 * 10 }}'}}}}"
    )
    answer = ask(f"protocol: {REQUEST}\ntype: scaffold\nproperties: {given}\n")
    assert set(answer) == {"error"}
    assert answer["error"].startswith("the state of the resource cannot be reported: ")


def test_data_that_has_no_json_is_refused(ask, tmp_path):
    given = f"{{name: {tmp_path}/t, ensure: present, source: {tmp_path}/s, engine: go, data: {{x: .nan}}}}"
    answer = ask(f"protocol: {REQUEST}\ntype: scaffold\nproperties: {given}\n")
    assert answer == {"error": "data.x must be a finite number: neither .nan nor .inf can be recorded"}


def test_a_request_that_cannot_be_read_is_answered(capsys, monkeypatch):
    class Unreadable:
        class buffer:
            @staticmethod
            def read():
                raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stdin", Unreadable)
    assert main(["ensure", "api", "pipe"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] == "input/output error"


@pytest.mark.parametrize("form", [[], ["--yaml"]])
def test_texts_that_are_no_unicode_are_answered(ccm, form):
    request = {"protocol": REQUEST, "type": "exec", "properties": {"name": "true \udcff\ud800"}}
    ran = ccm("ensure", "api", "pipe", *form, stdin=json.dumps(request))
    assert ran.status == 0
    assert yaml.safe_load(ran.out.encode("utf-8", "replace"))["state"]["type"] == "exec"


def test_unknown_properties_pass_when_the_schema_is_not_asked(ask, monkeypatch):
    monkeypatch.setenv("NO_SCHEMA_VALIDATION", "1")
    assert ask(request(name="true", colour="red"))["state"]["changed"]


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ('{"name":"/bin/true","name":"/bin/false"}', '[1:21] mapping key "name" already defined at [1:2]'),
        ('{"name": "a",\n "control": {"if": "a", "if": "b"}}', '[2:25] mapping key "if" already defined at [2:14]'),
        ('[1, {"a": [{"name": 1, "na\\u006de": 2}]}]', '[1:24] mapping key "name" already defined at [1:13]'),
    ],
)
def test_keys_that_properties_have_twice_are_refused(ask, properties, said):
    assert ask(f'{{"protocol": "{REQUEST}", "type": "exec", "properties":\n{properties}}}')["error"] == _moved(said)


def _moved(said):
    """What is said of the properties, where they begin a line further down."""
    return said.replace("[2:", "[3:").replace("[1:", "[2:")


def test_of_other_keys_the_last_counts(ask):
    text = f'"protocol": "{REQUEST}", "type": "file", "type": "exec", "properties": {{"name": "a", "name": "b"}}'
    assert ask(f'{{{text}, "properties": {{"name": "true"}}}}')["state"]["name"] == "true"


def test_a_second_document_is_not_looked_at(ask):
    assert ask(f"protocol: {REQUEST}\ntype: exec\nproperties: {{name: 'true'}}\n---\na: b\n")["state"]["type"] == "exec"


@pytest.mark.parametrize(("data", "shown"), [({}, {}), (None, {}), ({"a": {}}, {"data": {"a": {}}})])
def test_an_event_leaves_out_data_that_is_empty(ccm, tmp_path, data, shown):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: [{'true': {creates: /}}]}]}")
    asked = {"name": str(tmp_path / "child.yaml"), "ensure": "present", "data": data}
    text = json.dumps({**request(), "type": "apply", "properties": asked})
    properties = json.loads(ccm("ensure", "api", "pipe", stdin=text).out)["state"]["properties"]
    assert {key: value for key, value in properties.items() if key == "data"} == shown
