# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The message of an error in the result of a task."""

from __future__ import annotations

from ccm.ansible_tasks.messages import message_of
from ccm.model.errors import InvalidResource, Position


def test_messages_contain_all_fields_of_an_error():
    error = InvalidResource(
        "is wrong",
        resource="file#/x",
        property="mode",
        value="u+x",
        position=Position("m.yaml", 3, 4),
        advice="do this",
    )
    assert message_of(error) == 'm.yaml:3:4: file#/x: is wrong (mode: "u+x"); do this'
    assert message_of(InvalidResource("no"), "exec#y") == "exec#y: no"
    assert message_of(InvalidResource('mode "u+x" is wrong', property="mode", value="u+x")) == 'mode "u+x" is wrong'
    assert message_of(InvalidResource("x", property="name", value="v" * 500)) == f'x (name: "{"v" * 80}...")'
