# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kind of a flag or an argument says about its use, and the flags of the properties of a type."""

from __future__ import annotations

import pytest
from ccm.model.flags import REGISTRATION, Argument, Flag, Values
from ccm.model.property import Property
from ccm.model.type_flags import FLAG_KINDS, TypeFlags
from ccm.resources.types import TYPE_NAMES, resource_type


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


class Type:
    own_properties = (
        Property("on_hold", "boolean", help="Whether it is held."),
        Property("tries", "integer", help="How often."),
        Property("tags", "strings", help="Words."),
        Property("labels", "string_map", help="Words by name."),
        Property("rules", "data", help="No flag can give this."),
    )


OWN = TypeFlags(
    Type(),
    renamed={"on_hold": "hold"},
    settings={"tries": {"default": 3, "short": "t", "help": "n"}},
)


def test_each_property_has_a_flag_of_its_kind():
    found = [(flag.name, flag.kind, flag.help, flag.short, flag.default) for flag in OWN.own_flags]
    assert found == [
        ("hold", "set", "Whether it is held", "", None),
        ("tries", "integer", "n", "t", 3),
        ("tags", "texts", "Words", "", None),
        ("labels", "map", "Words by name", "", None),
    ]


def test_flags_of_properties_need_no_declaration():
    """A property of a kind that no flag can give has none."""
    assert [flag.name for flag in TypeFlags(Type()).own_flags] == ["on-hold", "tries", "tags", "labels"]


@pytest.mark.parametrize(
    ("given", "values", "properties"),
    [
        ((), {}, {"tries": 3}),
        (("hold",), {"hold": True}, {"on_hold": True, "tries": 3}),
        (("tries",), {"tries": 0}, {"tries": 0}),
        (("tags",), {"tags": []}, {"tries": 3, "tags": []}),
    ],
)
def test_properties_are_those_that_were_given_or_have_a_default(given, values, properties):
    parsed = Values()
    parsed.given = set(given)
    vars(parsed).update({"hold": False, "tries": 3, "tags": [], "labels": {}, **values})
    assert OWN.own_properties(parsed) == properties


def test_a_type_says_how_its_flags_give_properties():
    class Incomplete(TypeFlags):
        arguments = ()

    flags = Incomplete(Type())
    with pytest.raises(NotImplementedError, match=r"^Incomplete\.properties$"):
        flags.properties(Values())
    assert (flags.options, flags.status_name("/x"), flags.check_result(Values(), ["e"])) == ((), "/x", None)


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_every_kind_of_a_flag_is_one_of_the_command_line(name):
    kinds = {prop.kind for prop in resource_type(name).own_properties}
    assert kinds <= FLAG_KINDS.keys() | {"data", "string_maps", "object", "objects"}
