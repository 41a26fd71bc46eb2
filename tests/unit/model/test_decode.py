# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that a document, a module or a request gives, and those that it may not give."""

from __future__ import annotations

import pytest
from ccm.model.decode import Origin, decode_properties, described
from ccm.model.errors import InvalidResource, Position
from ccm.resources.types import resource_type

EXEC = resource_type("exec")


class Document(Origin):
    """Places values by the length of their path; `texts` has scalars as written, by path."""

    def __init__(self, texts=None, unquoted=()):
        self.texts = texts or {}
        self.unquoted = unquoted

    def position(self, path):
        return Position("key", len(path), 1)

    def value_position(self, path):
        return Position("value", len(path), 1)

    def written(self, path):
        return self.texts.get(path)

    def is_unquoted(self, path):
        return path in self.unquoted


@pytest.mark.parametrize(
    ("key", "end", "advice"),
    [
        ("comand", ', did you mean "command"?', ""),
        ("retries", "", "write meta: {retry: 3}"),
        ("zzz", "", "known: name, alias, ensure"),
    ],
)
def test_an_unknown_property_has_the_place_of_its_key(key, end, advice):
    with pytest.raises(InvalidResource) as refused:
        decode_properties(EXEC, {"command": "a", key: 1}, Document())
    error = refused.value
    assert (error.message, error.property) == (f'unknown property "{key}" in exec{end}', key)
    assert error.position == Position("key", 1, 1)
    assert error.advice.startswith(advice) and bool(error.advice) == bool(advice)


def test_unknown_properties_are_left_out_on_request_at_any_depth():
    given = {"command": "a", "zzz": 1, "control": {"if": "x", "when": "y"}}
    found = decode_properties(EXEC, given, ignore_unknown=True)
    assert found == {"command": "a", "control": {"if": "x", "unless": ""}}


def test_only_a_mapping_has_properties():
    assert decode_properties(EXEC, None) == {}
    with pytest.raises(InvalidResource, match=r"^properties of exec resources must be a mapping, not a list$"):
        decode_properties(EXEC, [])


def test_another_name_of_a_property_gives_the_property():
    assert decode_properties(EXEC, {"refresh_only": True}) == {"refreshonly": True}


@pytest.mark.parametrize(
    ("value", "word"),
    [(None, "nothing"), (True, "a boolean"), (1, "an integer"), (1.5, "a number"), ("", "text"), (b"", "bytes")],
)
def test_the_words_for_kinds(value, word):
    assert described(value) == word
