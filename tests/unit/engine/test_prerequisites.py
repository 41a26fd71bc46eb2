# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is checked before the first resource of a manifest is managed: known providers and absolute paths (Q18)."""

from __future__ import annotations

import pytest
from ccm.engine.prerequisites import require_absolute_paths, require_known_provider, require_runnable
from ccm.model.errors import InvalidResource
from ccm.model.resource import Resource, complete

from tests.unit.manifest.runs import loaded
from tests.unit.manifest.slot_type import TYPE as SLOT


def resource(type, text):
    return loaded(f"- {type}: {text}").resources[0]


ARCHIVE = "{name: /a.tar, ensure: present, url: 'http://h/a.tar', owner: o, group: g, "


def test_an_unknown_provider_is_refused_with_the_known_ones():
    with pytest.raises(InvalidResource) as refused:
        require_runnable(resource("exec", "{name: ls, provider: bash}"))
    error = refused.value
    assert (error.message, error.property, error.value) == ("invalid resource: provider not found", "provider", "bash")
    assert (error.resource, error.advice) == ("exec#ls", "providers of exec: posix, shell")
    assert str(error.position) == "m.yaml:3:34"


@pytest.mark.parametrize("provider", ["", "shell"])
def test_a_known_provider_or_none_is_right(provider):
    require_known_provider(resource("exec", f"{{name: ls, provider: '{provider}'}}"))


@pytest.mark.parametrize(
    ("type", "text", "property"),
    [
        ("archive", ARCHIVE + "extract_parent: out}", "extract_parent"),
        ("archive", ARCHIVE + "creates: '{{ ''out'' }}'}", "creates"),
    ],
)
def test_a_relative_path_is_refused_with_its_place(type, text, property):
    with pytest.raises(InvalidResource) as refused:
        require_runnable(resource(type, text))
    error = refused.value
    assert error.message == f"{property} path must be absolute"
    assert (error.property, error.advice) == (property, "write a path that begins with /")
    assert error.position.line == 3


def test_a_late_expression_is_checked_when_it_is_resolved():
    found = Resource(SLOT, SLOT.made(complete(SLOT, {"name": "/s", "content": "x", "link": "{{ Data.path }}"})))
    require_absolute_paths(found)
    with pytest.raises(InvalidResource, match="link path must be absolute"):
        require_absolute_paths(found, is_resolved=True)
    require_absolute_paths(found.with_properties({"link": "/made"}), is_resolved=True)
