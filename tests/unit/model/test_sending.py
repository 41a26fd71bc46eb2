# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensitive values that resources send to others."""

from __future__ import annotations

import pytest
from ccm.model.sending import is_sensitive, received, receiving

from tests.unit.engine.lamp_type import lamp


def with_send(send):
    return lamp("hall", meta={"send": send}).properties


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        (lamp("hall").properties, False),
        (with_send(None), False),
        (with_send({"sensitive": False}), False),
        (with_send({"sensitive": True}), True),
        (with_send(receiving(["b"], ["x"])), True),
    ],
    ids=["no meta", "no send", "false", "true", "received"],
)
def test_which_values_are_never_shown(properties, expected):
    assert is_sensitive(properties) is expected


def test_what_was_received_is_sorted_and_read_again():
    send = receiving({"path", "command"}, {"z", "a"})
    assert received(with_send(send)) == (["command", "path"], ["a", "z"])


@pytest.mark.parametrize(
    "properties",
    [lamp("hall").properties, with_send(None), with_send({"sensitive": True})],
    ids=["no meta", "no send", "own"],
)
def test_a_resource_that_received_nothing(properties):
    assert received(properties) == ([], [])
