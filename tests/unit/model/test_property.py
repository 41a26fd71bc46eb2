# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a property's declaration says: its value when none is given, and what of it is shown."""

from __future__ import annotations

import pytest
from ccm.model.property import Property, boolean_words, shown_properties


@pytest.mark.parametrize(
    ("kind", "empty"),
    [
        ("string", ""),
        ("mode", ""),
        ("boolean", False),
        ("integer", 0),
        ("number_or_template", None),
        ("strings", []),
        ("integers", []),
        ("string_map", {}),
        ("string_maps", []),
        ("data", {}),
        ("object", None),
        ("objects", []),
    ],
)
def test_what_is_not_given_is_empty(kind, empty):
    prop = Property("p", kind)
    assert (prop.default_value(), prop.default_value().__class__) == (empty, empty.__class__)
    assert empty is None or not isinstance(empty, (list, dict)) or prop.default_value() is not prop.default_value()


@pytest.mark.parametrize(
    ("prop", "value"),
    [
        (Property("p", nullable=True), None),
        (Property("p", "boolean", default=True), True),
        (Property("p", "boolean", nullable=True, default=False), False),
        (Property("p", "integer", default=0), 0),
    ],
    ids=["nullable", "default", "false", "zero"],
)
def test_a_default_wins(prop, value):
    assert prop.default_value() is value


def test_the_name_in_messages_of_the_original():
    assert Property("register_when_stable").recorded_name == "RegisterWhenStable"
    assert Property("onlyif", recorded_name="OnlyIf").recorded_name == "OnlyIf"


@pytest.mark.parametrize(
    ("choices", "text"),
    [((), "true or false"), (("mask",), "true, false or mask"), (("a", "b"), "true, false, a or b")],
)
def test_what_a_boolean_may_be(choices, text):
    assert boolean_words(Property("p", "boolean", choices=choices)) == text


@pytest.mark.parametrize(
    ("given", "value", "is_shown"),
    [
        ({}, "", False),
        ({}, "x", True),
        ({"kind": "boolean"}, False, False),
        ({"kind": "integer"}, 0, False),
        ({"always_shown": True}, "", True),
        ({"nullable": True}, "", True),
        ({"nullable": True}, None, False),
        ({"kind": "boolean", "nullable": True}, False, True),
        ({"kind": "data", "nullable": True}, {}, False),
    ],
)
def test_empty_values_are_not_shown(given, value, is_shown):
    assert shown_properties((Property("p", **given),), {"p": value}) == ({"p": value} if is_shown else {})


@pytest.mark.parametrize(
    ("given", "value", "shown"),
    [
        ({"secret": True}, "canary", "REDACTED"),
        ({"secret": True, "kind": "strings"}, ["canary", "canary"], ["REDACTED", "REDACTED"]),
        ({"secret": True, "kind": "string_map"}, {"a": "canary"}, {"a": "REDACTED"}),
        ({"may_hold_secrets": True}, "curl https://u:canary@h/", "curl https://REDACTED@h/"),
        ({"may_hold_secrets": True, "kind": "strings"}, ["TOKEN=canary", "A=b"], ["TOKEN=REDACTED", "A=b"]),
        (
            {"may_hold_secrets": True, "kind": "data", "nullable": True},
            {"http": {"https://u:canary@h/": {"status": 200}}},
            {"http": {"https://REDACTED@h/": {"status": 200}}},
        ),
        (
            {"kind": "object", "fields": (Property("key", secret=True), Property("note"))},
            {"key": "canary", "note": ""},
            {"key": "REDACTED"},
        ),
        (
            {"kind": "objects", "fields": (Property("key", secret=True), Property("note"))},
            [{"key": "canary", "note": "n"}, {"key": "", "note": "m"}],
            [{"key": "REDACTED", "note": "n"}, {"note": "m"}],
        ),
    ],
)
def test_secrets_are_replaced_wherever_they_are(given, value, shown):
    assert shown_properties((Property("p", **given),), {"p": value}) == {"p": shown}


def test_values_with_the_name_of_a_secret_are_replaced_in_events():
    data = Property("p", "data")
    value = {"db": {"password": "canary", "host": "h"}}
    assert shown_properties((data,), {"p": value}, named=True) == {"p": {"db": {"password": "REDACTED", "host": "h"}}}
    assert shown_properties((data,), {"p": value}) == {"p": value}
