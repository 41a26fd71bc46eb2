# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests that a playbook contains: modes that YAML read as numbers, and values that need quotes."""

from __future__ import annotations

import json

import pytest
from ccm.ansible_tasks.inline_manifest import mend_inline_manifest
from ccm.ansible_tasks.quoting import NotQuoted


def test_modes_in_inline_manifests_are_converted_back():
    manifest = {
        "data": {"mode": 420, "ratio": 0.5},
        "ccm": {
            "resources": [
                {"file": [{"defaults": {"mode": 0o600}}, {"/a": {"mode": 0o644}}, {"/b": None}, "odd"]},
                {"file": {"name": "/c", "mode": "0640"}, "unknown": [{"x": {"mode": 1.5}}]},
                {"exec": {"name": "x", "timeout": "10s", "returns": [1]}},
                "odd",
            ]
        },
    }
    mend_inline_manifest(manifest)
    file = manifest["ccm"]["resources"][0]["file"]
    assert (file[0]["defaults"]["mode"], file[1]["/a"]["mode"]) == ("0600", "0644")
    assert manifest["data"] == {"mode": 420, "ratio": 0.5}


@pytest.mark.parametrize(
    "odd", [{}, {"ccm": None}, {"ccm": {"resources": "x"}}, {"ccm": {"resources": [[], {"file": 1}]}}]
)
def test_invalid_inline_manifests_are_left_to_validation(odd):
    before = json.dumps(odd)
    mend_inline_manifest(odd)
    assert json.dumps(odd) == before


@pytest.mark.parametrize(("key", "value"), [("mode", 644), ("content", 1.1), ("ensure", True), ("owner", 1.5)])
def test_inline_manifests_with_unquoted_values_are_refused(key, value):
    manifest = {"ccm": {"resources": [{"file": [{"/a": {key: value}}]}]}}
    with pytest.raises(NotQuoted, match=f"^file#/a: {key} must be text.*quote it"):
        mend_inline_manifest(manifest)
