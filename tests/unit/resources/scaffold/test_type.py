# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scaffold type: delimiters; its decisions are in cases/decisions.yaml."""

from __future__ import annotations

import pytest
from ccm.model.resource import complete
from ccm.resources.scaffold.type import TYPE as SCAFFOLD


def properties(**given):
    values = complete(SCAFFOLD, {"name": "/t", "source": "/s", "ensure": "present", **given})
    made = SCAFFOLD.made(values)
    SCAFFOLD.validate(made)
    return SCAFFOLD.made({**vars(made), **SCAFFOLD.derived_values(made)})


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, ("jet", "[[", "]]")),
        ({"engine": ""}, ("jet", "[[", "]]")),
        ({"engine": "go"}, ("go", "{{", "}}")),
        ({"engine": "jinja2"}, ("jinja2", "{{", "}}")),
        ({"engine": "go", "left_delimiter": "<<"}, ("go", "<<", "}}")),
        ({"right_delimiter": ">>"}, ("jet", "[[", ">>")),
    ],
)
def test_languages_have_their_own_delimiters(given, wanted):
    made = properties(**given)
    assert (made.engine, made.left_delimiter, made.right_delimiter) == wanted
