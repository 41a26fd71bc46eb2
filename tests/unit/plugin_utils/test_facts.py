# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts that a play passes to expressions."""

from __future__ import annotations

from ccm.data.factfiles import gather
from ccm.host.facts.fields import without_field_names

from plugins.plugin_utils.facts import manifest_facts


def kinds(value, place=()):
    """The classes of the maps in a value, by their places."""
    if isinstance(value, dict):
        own = {place: {name.__name__ for name in type(value).__mro__ if name.__name__[0].isupper()} - {"Facts"}}
        return {
            **own,
            **{at: kind for name, entry in value.items() for at, kind in kinds(entry, (*place, name)).items()},
        }
    if isinstance(value, list):
        return {at: kind for entry in value for at, kind in kinds(entry, (*place, "[]")).items()}
    return {}


def test_the_facts_of_the_system_have_the_names_that_manifests_know():
    gathered = gather(None)
    assert kinds(manifest_facts(without_field_names(gathered))) == kinds(gathered)
    assert manifest_facts(without_field_names(gathered))["host"]["info"]["OS"] == "linux"


def test_other_facts_have_their_own_names_only():
    facts = manifest_facts(
        {"custom": {"foo": 1}, "empty": {"": 1}, "host": {"info": {"os": "x"}, "other": {"os": "y"}}}
    )
    assert "Foo" not in facts["custom"]
    assert facts["host"]["info"]["OS"] == "x"
    assert "OS" not in facts["host"]["other"]
    assert manifest_facts(None) == {}
