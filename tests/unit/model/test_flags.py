# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kind of a flag or an argument says about its use."""

from __future__ import annotations

import pytest
from ccm.model.flags import REGISTRATION, Argument, Flag, Values


@pytest.mark.parametrize(
    ("kind", "takes_value", "repeats"),
    [
        ("text", True, False),
        ("file", True, False),
        ("integer", True, False),
        ("duration", True, False),
        ("set", False, False),
        ("switch", False, False),
        ("texts", True, True),
        ("integers", True, True),
        ("map", True, True),
    ],
)
def test_which_flags_take_a_word_and_which_repeat(kind, takes_value, repeats):
    flag = Flag("dry-run-of", kind, "Help")
    assert (flag.takes_value, flag.repeats, flag.key) == (takes_value, repeats, "dry_run_of")


@pytest.mark.parametrize(("kind", "repeats"), [("text", False), ("texts", True), ("map", True)])
def test_which_arguments_take_all_words_that_are_left(kind, repeats):
    assert Argument("word", "Help", kind=kind).repeats is repeats


@pytest.mark.parametrize(("make", "words"), [(Flag, ("x", "text", "Help")), (Argument, ("x", "Help"))])
def test_completion_proposes_the_choices_unless_something_else_is_offered(make, words):
    assert make(*words, choices=("a", "b")).offered == ("a", "b")
    assert make(*words, choices=("a", "b"), offered=("a",)).offered == ("a",)
    assert make(*words).offered == ()


def test_shells_propose_files_for_a_flag_that_is_a_file():
    assert Flag("facts", "file", "Help").path == "file"
    assert Flag("to", "text", "Help", path="directory").path == "directory"
    assert Flag("to", "text", "Help").path == ""


def test_values_are_none_of_the_command_line_at_first():
    first, second = Values(), Values()
    first.given.add("x")
    assert second.given == set()


def test_the_stream_of_registrations_has_a_default():
    assert (REGISTRATION.default, REGISTRATION.short, REGISTRATION.key) == ("REGISTRATION", "R", "registration")
