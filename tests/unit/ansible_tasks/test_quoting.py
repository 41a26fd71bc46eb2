# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that YAML did not read as text: the messages."""

from __future__ import annotations

import datetime

import pytest
from ccm.ansible_tasks.argument_spec import argument_spec
from ccm.ansible_tasks.quoting import check_booleans, check_quoted, check_version
from ccm.ansible_tasks.written import NotQuoted, written_boolean, written_mode
from ccm.model.errors import InvalidResource
from ccm.model.property import Property
from ccm.resources.exec.type import TYPE as EXEC
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1], "a list"),
        ({"a": 1}, "a mapping"),
        (datetime.date(2026, 1, 2), "a date"),
        (True, "the boolean true"),
        (None, "nothing"),
        (0.5, "the number 0.5"),
    ],
)
def test_unquoted_modes(value, kind):
    with pytest.raises(NotQuoted) as caught:
        written_mode(value)
    assert str(caught.value) == f'mode must be text from "0000" to "7777", but YAML reads {kind}: quote it'


@pytest.mark.parametrize(("value", "kind"), [(18, "the number 18"), (22, "the number 22"), (True, "the boolean true")])
def test_unquoted_umasks(value, kind):
    """18 may have been 022, and 22 may have been 026."""
    with pytest.raises(NotQuoted) as caught:
        written_mode(value, "umask")
    assert str(caught.value) == f'umask must be text from "0000" to "0777", but YAML reads {kind}: quote it'
    with pytest.raises(NotQuoted, match=r"^umask must be text"):
        check_quoted(argument_spec(EXEC), {"umask": value})
    assert written_mode("022", "umask") == "022"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ([1], "a list: write it as text"),
        ({"a": 1}, "a mapping: write it as text"),
        (datetime.date(2026, 1, 2), "a date: quote it, or give a template the filter string"),
        (90, "the number 90: quote it, or give a template the filter string"),
    ],
)
def test_unquoted_versions(value, kind):
    with pytest.raises(NotQuoted) as caught:
        check_version("ensure", value)
    assert str(caught.value) == f"ensure must be text, but YAML reads {kind}"


def test_octal_modes_are_converted_back():
    for mode in range(0o1000):
        assert written_mode(mode) == f"{mode:04o}"


@given(st.one_of(st.booleans(), st.floats(), st.integers(max_value=-1), st.integers(min_value=0o1000), st.none()))
def test_other_modes_must_be_quoted(mode):
    with pytest.raises(NotQuoted, match="quote it"):
        written_mode(mode)


def test_text_options_accept_text():
    spec = {
        "text": {"type": "str", "aliases": ["other"]},
        "list": {"type": "list", "elements": "str"},
        "number": {"type": "int"},
        "mode": {"type": "raw"},
    }
    check_quoted(spec, {"text": "1.10", "list": ["1.5", 3], "number": 1.5, "mode": 0o644, "unknown": 1.5})
    for wrong in ({"text": 1.1}, {"other": True}, {"list": ["a", 1.5]}, {"mode": 0.5}):
        with pytest.raises(NotQuoted, match="quote it"):
            check_quoted(spec, wrong)


ENABLE = Property("enable", "boolean", choices=("mask",))


def test_a_boolean_that_takes_words_is_read_as_ansible_reads_booleans():
    for word in (True, "yes", "On", "1", 1, "true", "y", " t "):
        assert written_boolean(ENABLE, word) is True, word
    for word in (False, "no", "Off", "0", 0, "False", "n", "f"):
        assert written_boolean(ENABLE, word) is False, word
    assert written_boolean(ENABLE, "mask") == "mask"
    check_booleans([ENABLE, Property("other", "boolean")], {"enable": "mask", "other": "?"})
    check_booleans([ENABLE], {"enable": None})
    for word in ("masked", 2, ["mask"], ""):
        with pytest.raises(InvalidResource) as caught:
            check_booleans([ENABLE], {"enable": word})
        assert str(caught.value) == f"enable must be true, false or mask, not {word!r}"
