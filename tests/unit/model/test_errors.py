# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors carry resource, property, position and advice; texts come from them alone."""

from __future__ import annotations

import pytest
from ccm.model.errors import CCMError, DataError, InvalidResource, NotThereYet, Position, ResourceFailed, WrongKind
from ccm.model.meta import NotDoneInTime


def test_a_position_is_shown_as_editors_read_it():
    position = Position("dir/m.yaml", 3, 25)
    assert str(position) == "dir/m.yaml:3:25"
    assert repr(position) == "Position('dir/m.yaml', 3, 25)"


def test_positions_are_equal_where_file_line_and_column_are():
    assert {Position("m", 1, 2), Position("m", 1, 2), Position("m", 2, 1)} == {Position("m", 1, 2), Position("m", 2, 1)}
    assert Position("m", 1, 2) != "m:1:2"


def test_an_error_with_a_prefix_keeps_its_class_and_its_fields():
    position = Position("m.yaml", 1, 2)
    fields = {"resource": "file#/x", "property": "mode", "value": "9", "advice": "write 0644", "excerpt": "mode: 9\n^"}
    error = WrongKind("mode must be text", position=position, **fields)
    error.path = ("files", 0, "mode")
    copy = error.prefixed("invalid resource: ")
    assert copy.__class__ is WrongKind
    assert str(copy) == copy.message == "invalid resource: mode must be text"
    assert {name: getattr(copy, name) for name in fields} == fields
    assert (copy.position, copy.path) == (position, ("files", 0, "mode"))
    assert str(error) == "mode must be text"


def test_a_prefix_keeps_what_only_some_errors_have():
    data = DataError("two faults")
    data.parts = ("one", "other")
    missing = NotThereYet("no such unit")
    missing.expected = object()
    assert data.prefixed("x: ").parts == ("one", "other")
    assert missing.prefixed("x: ").expected is missing.expected


def test_only_the_message_has_to_be_given():
    error = CCMError("wrong")
    empty = (error.resource, error.property, error.value, error.position, error.advice, error.excerpt)
    assert (empty, error.path, error.traceback) == (("", "", None, None, "", ""), (), None)


@pytest.mark.parametrize(
    ("kind", "base"),
    [(WrongKind, InvalidResource), (NotThereYet, ResourceFailed), (NotDoneInTime, ResourceFailed)],
)
def test_who_handles_an_error_handles_its_special_cases(kind, base):
    assert issubclass(kind, base)
