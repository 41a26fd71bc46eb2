# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words of other tools: what to write for each, and that all that is written for them exists here."""

from __future__ import annotations

import re

import pytest
from ccm.model import foreign_words as words
from ccm.model.common import MetaProperty
from ccm.resources.descriptions import description
from ccm.resources.types import TYPE_NAMES, resource_type

TYPES = [resource_type(name) for name in TYPE_NAMES]
PROPERTIES = {prop.name for type in TYPES for prop in type.properties}
META = {field.name for field in MetaProperty().fields} | {"reverse"}
META |= {field.name for type in TYPES for field in type.own_meta}
STATES = {state for type in TYPES for state in type.ensure_choices}
STATES |= {word for name in TYPE_NAMES for word in description(name).version_words}
SERVICE, PACKAGE = (
    ({"running", "stopped"}, {"enable", "subscribe"}),
    ({"present", "absent", "latest"}, {"mark"}),
)


def test_each_word_to_write_is_one_of_a_type():
    assert {*words.PROPERTIES.values(), *words.BUILTIN_OPTIONS.values()} - {"update_cache"} <= PROPERTIES
    assert {text.partition(":")[0] for text in words.IN_META.values()} <= META


def test_each_property_that_an_advice_needs_is_one_of_a_type():
    assert {needed for needed, _advice in words.WITHOUT_PROPERTY.values()} <= PROPERTIES | {"meta"}


def test_each_state_to_write_is_one_of_a_type():
    advice = [*words.STATES.values(), *(text for texts in words.BOOLEAN_STATES.values() for text in texts)]
    named = {match for text in advice for match in re.findall(r"ensure: (\S+)", text)}
    assert len(named) > 3
    assert named <= STATES
    assert named.isdisjoint(words.STATES)


@pytest.mark.parametrize(
    ("word", "known", "advice"),
    [
        ("started", SERVICE, "write ensure: running"),
        ("started", PACKAGE, ""),
        ("held", PACKAGE, "write mark: hold"),
        ("held", SERVICE, ""),
        ("Yes", SERVICE, "write ensure: running"),
        ("yes", PACKAGE, "write ensure: present"),
        ("off", SERVICE, "write ensure: stopped"),
        ("stoped", SERVICE, "write ensure: stopped"),
        ("elephant", SERVICE, ""),
    ],
)
def test_a_state_of_another_tool(word, known, advice):
    assert words.state_advice(word, *known) == advice


@pytest.mark.parametrize(
    ("advice", "is_of_table"),
    [("write mark: hold", True), ("write ensure: stopped", True), ("write ensure: unmanaged", False)],
)
def test_what_the_table_says(advice, is_of_table):
    assert words.is_of_table(advice) is is_of_table


@pytest.mark.parametrize(
    ("word", "advice"),
    [
        ("present", ""),
        ("1.2-3", ""),
        ("v2", ""),
        ("installed", "write ensure: present"),
        ("file", "write ensure: present"),
        ("lastest", "write ensure: latest"),
        ("bookworm", "write a version, or one of present, absent, latest"),
    ],
)
def test_a_word_in_the_place_of_a_version(word, advice):
    assert words.version_advice(word, ("present", "absent", "latest"), {"mark"}) == advice


@pytest.mark.parametrize(
    ("word", "known", "ours"),
    [
        ("user", ["owner", "mode"], "owner"),
        ("state", ["alias", "ensure"], "ensure"),
        ("permissions", ["owner", "mode"], "mode"),
        ("retries", ["retry", "delay"], "retry"),
        ("chdir", ["cwd"], "cwd"),
        ("chdir", ["mode"], ""),
        ("contnt", ["content", "mode"], "content"),
    ],
)
def test_a_property_of_another_tool(word, known, ours):
    assert words.property_for(word, known) == ours


@pytest.mark.parametrize(
    ("word", "known", "advice"),
    [
        ("retries", ["meta"], "write meta: {retry: 3}"),
        ("retries", ["mode"], ""),
        ("refresh", ["meta"], words.WITHOUT_PROPERTY["refresh"][1]),
        (
            "template",
            ["meta", "content"],
            "write content: \"${ template(readFile('FILE')) }\", or a scaffold for Jinja2",
        ),
        ("template", ["meta"], ""),
        ("colour", ["meta"], ""),
    ],
)
def test_a_property_that_is_said_elsewhere(word, known, advice):
    assert words.property_advice(word, known) == advice


@pytest.mark.parametrize(
    ("value", "advice"),
    [("yes", "write true, without quotes"), ("FALSE", "write false, without quotes"), ("mask", "")],
)
def test_a_text_in_the_place_of_a_boolean(value, advice):
    assert words.boolean_advice(value) == advice


def test_a_word_that_is_no_choice():
    assert words.choice_advice("jinja", ("go", "jinja2")) == "write jinja2"
    assert words.choice_advice("erb", ("go", "jinja2")) == "write go or jinja2"
