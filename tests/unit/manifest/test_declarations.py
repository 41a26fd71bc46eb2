# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Declarations with values of the wrong type are refused with a message that names resource and property."""

from __future__ import annotations

import pytest
from ccm.manifest.declarations import read_declarations
from ccm.model.errors import InvalidResource
from ccm.resources.types import resource_type


@pytest.mark.parametrize(
    "value", [[{"/tmp/x": {"contents": "x"}}], {"name": "/tmp/x", "contents": "x"}, [{"/tmp/x": {"content": []}}]]
)
def test_an_error_of_a_property_names_its_resource(value: object) -> None:
    with pytest.raises(InvalidResource) as refused:
        read_declarations(resource_type("file"), value)
    assert refused.value.resource == "file#/tmp/x"
    assert refused.value.property.startswith("content")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("/tmp/x", "file resources must be a mapping with a name or a list of names, not text"),
        ([], "file resources must be a mapping with a name or a list of names, not an empty list"),
        (["/x"], "an entry in a list of file resources must be a mapping from a name to properties, not text"),
        ([{"/x": {}, "/y": {}}], "multiple resource names found in package resource"),
        ([{"/x": []}], "properties of file resources must be a mapping, not a list"),
        ([{"defaults": {}}, {"defaults": {}}], "multiple defaults found in package resource"),
    ],
)
def test_what_is_no_declaration(value, message):
    with pytest.raises(InvalidResource) as refused:
        read_declarations(resource_type("file"), value)
    assert refused.value.message == message


NAMED = "an entry begins with the name itself, without the word name"


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("/x", "write - /x: {}"),
        (["/x"], "write - /x: {}"),
        (["a: b"], "write - NAME: {}"),
        ([1], ""),
        ([{"name": "/x"}], f"{NAMED}: - /x: {{}}"),
        ([{"name": "/x", "mode": "0644"}], f"{NAMED}: - /x: {{…}}"),
        ([{"/x": "0644"}], ""),
        ({"/x": {"mode": "0644"}, "/y": None}, "begin each entry of a list with -, like - /x:"),
        ({"a b": None}, "begin each entry of a list with -, like - NAME:"),
    ],
)
def test_the_advice_for_a_list_of_another_form(value, advice):
    with pytest.raises(InvalidResource) as refused:
        read_declarations(resource_type("file"), value)
    assert refused.value.advice == advice


@pytest.mark.parametrize("value", [{"/x": {}, "mode": "0644"}, {"/x": "0644"}, {"name": "/x", "/y": {}}])
def test_an_unknown_property_is_no_list_without_dashes(value):
    with pytest.raises(InvalidResource, match="unknown property") as refused:
        read_declarations(resource_type("file"), value)
    assert refused.value.advice.startswith("known: ")


def test_both_forms_declare_the_same():
    file = resource_type("file")
    [one] = read_declarations(file, {"name": "/x", "mode": "0644"})
    [other] = read_declarations(file, [{"/x": {"mode": "0644"}}])
    assert vars(one.resource.properties) == vars(other.resource.properties)
    assert one.written == other.written == "file#/x"


def test_defaults_hold_for_each_entry_with_properties_and_give_way_to_its_own():
    file = resource_type("file")
    items = [{"/a": {"mode": "0600"}}, {"defaults": {"ensure": "absent", "mode": "0644"}}, {"/b": {}}, {"/c": None}]
    found = [(each.resource.properties, each.advice) for each in read_declarations(file, items)]
    assert [(each.name, each.ensure, each.mode) for each, _advice in found] == [
        ("/a", "absent", "0600"),
        ("/b", "absent", "0644"),
        ("/c", "", None),
    ]
    assert [bool(advice) for _each, advice in found] == [False, False, True]


def test_unknown_properties_are_left_out_on_request():
    with pytest.raises(InvalidResource, match="unknown property"):
        read_declarations(resource_type("file"), [{"/x": {"contents": "x"}}])
    [found] = read_declarations(resource_type("file"), [{"/x": {"contents": "x"}}], ignore_unknown=True)
    assert found.resource.properties.content is None
