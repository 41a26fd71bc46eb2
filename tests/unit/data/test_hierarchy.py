# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ccm.data.hierarchy import MAX_DEPTH, normalised, resolve, resolve_document, validate_data
from ccm.data.reading import parse_document
from ccm.model.errors import DataError, TemplateError
from ccm.testing import RecordedLog

DOCUMENT = """\
hierarchy:
  order: ["env:${ Facts.env }", "role:{{ Facts.role }}", static]
  merge: {merge}
data:
  # @require
  user: ""
  # @validate isIPv4(value)
  ip: 10.0.0.1
  pk: [a]
  n: {p: 80, q: 1.0}
overrides:
  env:prod: {user: bob, pk: [b], n: {p: 443}}
  static: {st: 1}
"""


def resolved(text, facts=None, **options):
    return resolve_document(parse_document(text, "d.yaml"), facts or {}, **options)


def document(merge):
    return DOCUMENT.replace("{merge}", merge)


def test_deep_merges_all_matches():
    data = resolved(document("deep"), {"env": "prod"}).data
    assert data == {"user": "bob", "ip": "10.0.0.1", "pk": ["a", "b"], "n": {"p": 443, "q": 1}, "st": 1}
    assert isinstance(data["n"]["q"], int)


def test_first_replaces_keys_with_the_first_match():
    data = resolved(document("first"), {"env": "prod"}).data
    assert data == {"user": "bob", "ip": "10.0.0.1", "pk": ["b"], "n": {"p": 443}}


def test_all_errors_are_reported_in_the_order_of_the_document():
    found = resolved(document("deep").replace("10.0.0.1", "x"))
    with pytest.raises(DataError) as caught:
        validate_data(found.data, found.rules)
    assert str(caught.value).split("\n") == [
        'key "user" is required but has no value',
        'key "ip" failed validation "isIPv4(value)": x is not an IPv4 address',
    ]
    assert str(caught.value.position) == "d.yaml:6:3"


def test_overriding_data_can_satisfy_requirements():
    found = resolved(document("deep"), overrides_data={"user": "{{ as it is }}", "pk": ["z"]})
    validate_data(found.data, found.rules)
    assert (found.data["user"], found.data["pk"]) == ("{{ as it is }}", ["a", "z"])


def test_expressions_can_use_only_facts_and_lookup():
    text = "data: {a: '{{ Facts.x }}', b: '{{ Data.a }}', c: '{{ Environ.HOME }}', d: '{{ upper(Facts.y) }}'}"
    assert resolved(text, {"x": 5, "y": "q"}).data == {"a": 5, "b": None, "c": "", "d": "Q"}
    with pytest.raises(TemplateError, match="unknown name readFile"):
        resolved("data: {a: \"{{ readFile('/etc/hostname') }}\"}")


def test_an_expression_that_fails_has_a_position():
    with pytest.raises(TemplateError) as caught:
        resolved("data:\n  a:\n    - x\n    - b: '{{ nosuch }}'\n")
    assert str(caught.value.position) == "d.yaml:4:7"
    with pytest.raises(TemplateError) as caught:
        resolved("hierarchy:\n  order:\n    - '{{ nosuch }}'\n")
    assert str(caught.value.position) == "d.yaml:3:7"


def test_an_unused_override_is_not_evaluated():
    text = "hierarchy: {order: [a]}\noverrides: {a: {x: 1}, b: {x: '{{ nosuch }}'}}"
    assert resolved(text).data == {"x": 1}


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("hierarchy: null", "hierarchy section is required", "d.yaml:1:1"),
        ("hierarchy: {order: x}", "hierarchy.order must be a list", "d.yaml:1:13"),
        ("hierarchy:\n  order: [a, 1]", "hierarchy.order must contain only strings", "d.yaml:2:14"),
        ("hierarchy: {order: [a], merge: Odd}\noverrides: {a: {}}", "unsupported merge mode: odd", "d.yaml:1:25"),
        ("overrides: [1]", "overrides must be a map", "d.yaml:1:1"),
    ],
)
def test_invalid_structures(text, message, place):
    with pytest.raises(DataError) as caught:
        resolved(text)
    assert (str(caught.value), str(caught.value.position)) == (message, place)


@pytest.mark.parametrize("value", [None, [], "text", 5])
def test_a_document_must_be_a_mapping(value):
    with pytest.raises(DataError, match="must be a map"):
        resolve(value, {})


def test_arguments_are_not_changed():
    given = {"data": {"l": [1.0], "t": "{{ 1 }}"}, "overrides": {"default": {"l": [2]}}, "hierarchy": None}
    del given["hierarchy"]
    facts = {}
    resolve(given, facts, overrides_data={"l": [3]})
    assert given == {"data": {"l": [1.0], "t": "{{ 1 }}"}, "overrides": {"default": {"l": [2]}}}
    assert isinstance(given["data"]["l"][0], float)


def test_numbers():
    found = normalised([1.0, -2.0, 1.5, 1e18, 1e19, float("inf"), True, 2**70])
    assert found == [1, -2, 1.5, 10**18, 1e19, float("inf"), True, 2**70]
    assert [type(value) for value in found] == [int, int, float, int, float, float, bool, int]


def test_a_document_that_is_too_deep_is_refused():
    nested = []
    for _level in range(MAX_DEPTH * 20):
        nested = [nested]
    with pytest.raises(DataError, match="maps and lists in each other"):
        resolve({"data": nested}, {})
    fits = "[" * (MAX_DEPTH - 2) + "]" * (MAX_DEPTH - 2)
    assert resolved(f'{{"data": {{"a": {fits}}}}}', overrides_data={"b": 1}).data["b"] == 1


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("port: 1\nrole: web\n", "port, role"),
        ("x-anchors: {}\nhierarchy: {order: []}\nport: 1\n", "port"),
        ("data: {}\nport: 1\n", ""),
        ("overrides: {}\nport: 1\n", ""),
        ("ccm: {}\n", ""),
    ],
)
def test_keys_of_a_document_without_data_are_logged(text, unread):
    log = RecordedLog()
    assert resolved(text, log=log).data == {}
    line = ("WARN", "Hiera data has no key data: its other keys are not read", {"unread": unread})
    assert log.lines == ([line] if unread else [])


def test_unknown_annotations_are_logged():
    log = RecordedLog()
    resolved("data:\n  # @foo bar\n  c: 1\n", log=log)
    assert log.lines == [("WARN", "Unrecognized annotation in hiera data", {"key": "c", "annotation": "@foo bar"})]


@pytest.mark.parametrize(
    "expression",
    ["isIP(value)", "isHostname(value)", "isShellSafe(value)", "int(value) > 0", "string(duration(value)) == ''"],
)
@pytest.mark.parametrize("key", ["db_password", "token", "password: {value", "db: {api-key"])
def test_the_value_of_an_invalid_secret_is_hidden(key, expression):
    outer, nested, inner = key.partition(": {")
    text = f"data:\n  # @validate {expression}\n  {outer}: hunter$2\n"
    if nested:
        text = f"data:\n  {outer}:\n    # @validate {expression}\n    {inner}: hunter$2\n"
    found = resolved(text)
    with pytest.raises(DataError) as caught:
        validate_data(found.data, found.rules)
    name = f"{outer}.{inner}" if nested else outer
    message = str(caught.value)
    assert message.startswith(f'key "{name}" ')
    assert message.endswith(": why is not shown, since the key is called like a secret")
    assert "hunter" not in message
    assert "$" not in message


def test_the_error_in_a_validation_of_a_secret_is_shown():
    found = resolved("data:\n  # @validate nothing(value)\n  db_password: x\n")
    with pytest.raises(DataError, match=r"unknown name nothing"):
        validate_data(found.data, found.rules)
