# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of each kind from what a document, a module or a request has, and what is refused, with its place."""

from __future__ import annotations

import pytest
from ccm.manifest.declarations import read_declarations
from ccm.model.errors import InvalidResource, Position, WrongKind
from ccm.model.kinds import Unquoted, decode_value
from ccm.model.property import DEFERRED, NEVER, CutInteger, Property
from ccm.resources.types import resource_type

from tests.unit.model.test_decode import Document

EXEC = resource_type("exec")
INF = float("inf")


def named(value):
    """Return the name of a value in the names of tests, the same in each process."""
    return value.kind if isinstance(value, Property) else repr(value)


FIELDS = (Property("size", "integer", default=7), Property("tags", "strings"), Property("note", nullable=True))


@pytest.mark.parametrize(
    ("prop", "value", "decoded"),
    [
        (Property("p"), "", ""),
        (Property("p"), None, ""),
        (Property("p", nullable=True), None, None),
        (Property("p"), True, "true"),
        (Property("p"), 7, "7"),
        (Property("p"), 1.5, "1.5"),
        (Property("p"), b"\xff", "\udcff"),
        (Property("p", "mode"), 420, "420"),
        (Property("p", "boolean"), None, False),
        (Property("p", "boolean", nullable=True), None, None),
        (Property("p", "boolean", choices=("mask",)), "mask", "mask"),
        (Property("p", "integer"), None, 0),
        (Property("p", "integer", nullable=True), None, None),
        (Property("p", "integer", nullable=True), "0", 0),
        (Property("p", "strings", nullable=True), None, None),
        (Property("p", "strings", nullable=True), [], []),
        (Property("p", "integer"), "-922337203685477580", -922337203685477580),
        (Property("p", "integer"), 2.0, 2),
        (CutInteger("p", "integer"), -2.9, -2),
        (CutInteger("p", "integers"), [1, "2", 3.7], [1, 2, 3]),
        (Property("p", "number_or_template"), "{{ 1 }}", "{{ 1 }}"),
        (Property("p", "strings"), None, []),
        (Property("p", "strings"), ["a", 1, None], ["a", "1", ""]),
        (Property("p", "string_map"), {"a": 1, "b": None}, {"a": "1", "b": ""}),
        (Property("p", "string_maps"), [{"a": True}], [{"a": "true"}]),
        (Property("p", "data"), None, {}),
        (Property("p", "data", nullable=True), None, None),
        (Property("p", "data"), {"a": [None]}, {"a": [None]}),
        (Property("p", "object", fields=FIELDS), None, None),
        (Property("p", "object", fields=FIELDS), {"size": "3"}, {"size": 3, "tags": [], "note": None}),
        (Property("p", "objects", fields=FIELDS), [{}], [{"size": 7, "tags": [], "note": None}]),
    ],
    ids=named,
)
def test_a_value_of_the_declared_kind(prop, value, decoded):
    found = decode_value(prop, value)
    assert (found, found.__class__) == (decoded, decoded.__class__)


@pytest.mark.parametrize(
    ("prop", "value", "message"),
    [
        (Property("p"), [], "p must be text, not a list"),
        (Property("p", "boolean"), "yes", "p must be true or false, not text ('yes')"),
        (Property("p", "boolean", choices=("mask",)), 1, "p must be true, false or mask, not an integer (1)"),
        (Property("p", "integer"), True, "p must be an integer, not a boolean (True)"),
        (Property("p", "integer"), 1.5, "p must be an integer, not a number (1.5)"),
        (Property("p", "integer"), 2**63, f"p must be an integer, not an integer of more than 64 bits ({2**63})"),
        (CutInteger("p", "integer"), 1e19, "p must be an integer, not a number (1e+19)"),
        (Property("p", "strings"), {}, "p must be a list, not a mapping"),
        (Property("p", "strings"), ["a", {}], "p.2 must be text, not a mapping"),
        (Property("p", "string_map"), {"k": []}, "p.k must be text, not a list"),
        (Property("p", "string_maps"), ["a"], "p.1 must be a mapping, not text ('a')"),
        (Property("p", "data"), "x" * 60, "p must be a mapping, not text"),
        (Property("p", "objects", fields=FIELDS), [{}, None], "p.2 must be a mapping, not nothing"),
        (Property("p", "objects", fields=FIELDS), [{"tags": 1}], "p.1.tags must be a list, not an integer (1)"),
        (Property("p", "string", secret=True), ["canary"], "p must be text, not a list"),
        (Property("p", "boolean", secret=True), "canary", "p must be true or false, not text"),
    ],
    ids=named,
)
def test_a_value_of_another_kind_is_refused_where_it_is(prop, value, message):
    with pytest.raises(WrongKind) as refused:
        decode_value(Property("all", "object", fields=(prop,)), {"p": value}, Document())
    error = refused.value
    assert error.message == message
    assert error.position.file == "value"
    assert "canary" not in repr((error.value, error.message))


@pytest.mark.parametrize("text", ["++5", "+-5", "²", "+", "", "5.0", "9" * 30])
def test_text_that_is_not_an_integer_is_refused(text):
    with pytest.raises(InvalidResource, match=r"returns\.1 must be an integer, not text"):
        read_declarations(EXEC, [{"/bin/true": {"returns": [text]}}])


@pytest.mark.parametrize(("text", "number"), [("5", 5), ("+5", 5), ("-5", -5)])
def test_text_of_an_integer_is_accepted(text, number):
    [declaration] = read_declarations(EXEC, [{"/bin/true": {"returns": [text]}}])
    assert declaration.resource.properties.returns == [number]


def test_a_fraction_of_what_the_original_knows_is_cut_off():
    given = {"returns": [1.5], "health_checks": [{"command": "a", "tries": 2.5}]}
    [declaration] = read_declarations(EXEC, [{"/bin/true": given}])
    properties = declaration.resource.properties
    assert (properties.returns, properties.health_checks[0]["tries"]) == ([1], 2)


def test_a_scalar_of_a_document_is_text_as_it_was_written():
    origin = Document({(): "0644"})
    assert decode_value(Property("p"), 420, origin) == "0644"
    assert decode_value(Property("p", "strings"), [1.10], Document({(0,): "1.10"})) == ["1.10"]


def test_a_long_number_without_quotes_is_called_a_number():
    with pytest.raises(WrongKind, match=r"not an integer of more than 64 bits \(9{30}\)$"):
        decode_value(Property("p", "integer"), "9" * 30, Document(unquoted=[()]))


def test_what_was_without_quotes_is_known_of_data_that_is_resolved_last():
    origin = Document(unquoted=[("a", 0)])
    given = {"a": ["{{ n }}", "{{ n }}"]}
    late = decode_value(Property("p", "data", when=NEVER), given, origin)
    assert [item.__class__ for item in late["a"]] == [Unquoted, str]
    early = decode_value(Property("p", "data", when=DEFERRED), given, origin)
    assert [item.__class__ for item in early["a"]] == [str, str]


def test_a_number_that_no_event_can_hold_is_refused_in_data():
    with pytest.raises(InvalidResource, match=r"^a\.2 must be a finite number"):
        decode_value(Property("p", "data"), {"a": [1, INF]}, Document())


def test_a_rule_of_an_object_has_the_place_of_the_field():
    def check(values):
        raise InvalidResource("wrong", property="size")

    prop = Property("p", "objects", fields=FIELDS, check=check)
    with pytest.raises(InvalidResource) as refused:
        decode_value(prop, [{"size": 1}], Document())
    assert (refused.value.property, refused.value.position) == ("p.size", Position("value", 2, 1))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (f"[{10**30}]", f"returns.1 must be an integer, not an integer of more than 64 bits ({10**30})"),
        (f"[{10**19 - 1}]", f"returns.1 must be an integer, not an integer of more than 64 bits ({10**19 - 1})"),
        (f"[-{10**30}]", f"returns.1 must be an integer, not an integer of more than 64 bits (-{10**30})"),
        (f"[{10**60}]", "returns.1 must be an integer, not an integer of more than 64 bits\n"),
        (f"['{10**30}']", f"returns.1 must be an integer, not text ('{10**30}')"),
        (f"{10**30}", f"returns must be a list, not an integer of more than 64 bits ({10**30})"),
    ],
)
def test_an_integer_that_is_too_large_is_called_one(ccm, tmp_path, given, message):
    (tmp_path / "p.yaml").write_text(f"ccm: {{resources: [{{exec: [{{'true': {{returns: {given}}}}}]}}]}}")
    assert f"resource 1: {message}" in ccm("apply", "p.yaml").err
