# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The argument specifications of the modules."""

from __future__ import annotations

from ccm.ansible_tasks.argument_spec import argument_spec
from ccm.model.property import Property
from ccm.model.simple_type import SimpleType
from ccm.resources.exec.type import TYPE as EXEC
from ccm.resources.file.type import TYPE as FILE
from ccm.resources.service.type import TYPE as SERVICE


def test_secrets_are_not_logged():
    from ccm.resources.archive.type import TYPE as ARCHIVE

    spec = argument_spec(ARCHIVE)
    assert [name for name, option in spec.items() if option.get("no_log")] == ["headers", "password"]


def test_types_that_declare_subscriptions_have_the_option_refresh():
    class LampType(SimpleType):
        name = "lamp"
        own_properties = (Property("subscribe", "strings"),)

        def decide(self, state, properties, refresh):
            raise NotImplementedError

    given = {type.name: argument_spec(type).get("refresh") for type in (EXEC, SERVICE, FILE, LampType())}
    assert given == {
        "exec": {"type": "bool", "no_log": False},
        "service": {"type": "raw", "no_log": False},
        "file": None,
        "lamp": {"type": "bool", "no_log": False},
    }
