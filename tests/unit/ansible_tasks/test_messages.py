# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The message of an error in the result of a task."""

from __future__ import annotations

from ccm.ansible_tasks.messages import failure_of, message_of
from ccm.model.errors import InvalidResource, Position
from ccm.model.event import Event


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


def test_a_secret_at_the_end_of_a_name_takes_no_colon_with_it():
    assert message_of(InvalidResource("no"), "exec#x --token=canary") == "exec#x --token=REDACTED: no"
    event = Event("exec", "x --token=canary", "")
    event.errors = ["no"]
    event.causes = [None]
    assert failure_of(event) == "exec#x --token=REDACTED: no"
