# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The argument specifications of the modules."""

from __future__ import annotations

from ccm.ansible_tasks.argument_spec import argument_spec


def test_secrets_are_not_logged():
    from ccm.resources.archive.type import TYPE as ARCHIVE

    spec = argument_spec(ARCHIVE)
    assert [name for name, option in spec.items() if option.get("no_log")] == ["headers", "password"]
