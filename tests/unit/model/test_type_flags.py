# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flags of the command line that follow from the properties of a type."""

from __future__ import annotations

import pytest
from ccm.model.flags import Values
from ccm.model.property import Property
from ccm.model.type_flags import FLAG_KINDS, PropertyFlags, TypeFlags
from ccm.resources.types import TYPE_NAMES, resource_type


class Type:
    own_properties = (
        Property("on_hold", "boolean", help="Whether it is held."),
        Property("tries", "integer", help="How often."),
        Property("tags", "strings", help="Words."),
        Property("labels", "string_map", help="Words by name."),
        Property("rules", "data", help="No flag can give this."),
    )


OWN = PropertyFlags(
    Type(),
    without=("rules",),
    renamed={"on_hold": "hold"},
    settings={"tries": {"default": 3, "short": "t", "help": "n"}},
)


def test_each_property_has_a_flag_of_its_kind():
    found = [(flag.name, flag.kind, flag.help, flag.short, flag.default) for flag in OWN.flags]
    assert found == [
        ("hold", "set", "Whether it is held", "", None),
        ("tries", "integer", "n", "t", 3),
        ("tags", "texts", "Words", "", None),
        ("labels", "map", "Words by name", "", None),
    ]


def test_a_kind_that_no_flag_can_give_has_to_be_left_out():
    with pytest.raises(KeyError, match="data"):
        PropertyFlags(Type())


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
    assert OWN.properties(parsed) == properties


def test_a_type_says_how_its_flags_give_properties():
    class Incomplete(TypeFlags):
        arguments = ()

    flags = Incomplete()
    with pytest.raises(NotImplementedError, match=r"^Incomplete\.properties$"):
        flags.properties(Values())
    assert (flags.options(Values()), flags.status_name("/x"), flags.check_result(Values(), ["e"])) == ({}, "/x", None)


@pytest.mark.parametrize("name", TYPE_NAMES)
def test_every_kind_of_a_flag_is_one_of_the_command_line(name):
    kinds = {prop.kind for prop in resource_type(name).own_properties}
    assert kinds <= FLAG_KINDS.keys() | {"data", "string_maps", "object", "objects"}
