# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the schema of manifests refuses, with the JSON pointer of the value and its place (behaviour.md 15.4)."""

from __future__ import annotations

import pytest
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import InvalidResource

ENTRY = "cluster: c, service: s, protocol: p, address: h, port: 1, priority: 1"
BEFORE = "exec: {name: ls}\n    - "


def read(resources, strict=True):
    text = f"ccm:\n  resources:\n    - {resources}\n"
    return read_manifest(text.encode(), "m.yaml", "", Inputs(facts={}, environ={}, strict=strict))


@pytest.mark.parametrize(
    ("resources", "problem", "property", "place"),
    [
        (
            "exec: {name: ls, ensure: link}",
            "at '/ccm/resources/0/exec/ensure': value must be one of 'present', 'absent'",
            "ensure",
            "3:32",
        ),
        (
            BEFORE + "exec: {name: ls, subscribe: [exec#a, Exec#b]}",
            "at '/ccm/resources/1/exec/subscribe/1': 'Exec#b' does not match pattern '^[a-z_]+#.+$'",
            "subscribe",
            "4:44",
        ),
        (
            "exec: [{a: {}}, {b: {environment: [A=b, '1=c']}}]",
            "at '/ccm/resources/1/exec/environment/1': '1=c' does not match pattern '^[A-Za-z_][A-Za-z0-9_]*=.*$'",
            "environment",
            "3:47",
        ),
        (
            "exec: {name: ls, require: ['{{ Data.x }}#a']}",
            "at '/ccm/resources/0/exec/require/0': '{{ Data.x }}#a' does not match pattern '^[a-z_]+#.+$'",
            "require",
            "3:34",
        ),
        (
            "scaffold: {name: /s, source: s, post: [{'*.a': x, '*.b': y}]}",
            "at '/ccm/resources/0/scaffold/post/0': wants exactly one pattern: command",
            "post",
            "3:46",
        ),
        (
            "exec: {name: ls, health_checks: [{command: x, tries: 1}, {command: x, tries: -1}]}",
            "at '/ccm/resources/0/exec/health_checks/1/tries': got -1, want at least 1",
            "health_checks",
            "3:84",
        ),
        (
            f"exec: {{name: ls, register_when_stable: [{{{ENTRY.replace('port: 1, ', '')}}}]}}",
            "at '/ccm/resources/0/exec/register_when_stable/0': missing property 'port'",
            "register_when_stable",
            "3:47",
        ),
    ],
)
def test_what_the_schema_refuses(resources, problem, property, place):
    with pytest.raises(InvalidResource) as refused:
        read(resources)
    error = refused.value
    assert error.message == f"jsonschema validation failed: {problem}"
    assert (error.property, str(error.position)) == (property, f"m.yaml:{place}")
    assert error.resource.partition("#")[0] == resources.removeprefix(BEFORE).partition(":")[0]


@pytest.mark.parametrize(
    "resources",
    [
        "exec: {name: ls, environment: ['{{ Data.x }}=b', '${ Data.x }=b']}",
        "exec: {name: ls, health_checks: [{command: x}]}",
        f"exec: {{name: ls, register_when_stable: [{{{ENTRY}}}]}}",
    ],
)
def test_what_is_not_known_yet_or_not_given_is_not_refused(resources):
    read(resources)


def test_without_the_schema_none_of_this_is_checked():
    assert read("exec: {name: ls, environment: ['1=x']}", strict=False).resources[0].properties.environment == ["1=x"]
