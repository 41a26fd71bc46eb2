# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest as it will run, for users and for the original (behaviour.md 15.5)."""

from __future__ import annotations

import pytest
import yaml


def test_render_keeps_engine_settings(ccm, manifest):
    text = "ccm: {engine: {autogroup: false}, resources: [{exec: [{'true': {creates: /}}]}]}"
    assert "  engine:\n    autogroup: false\n" in ccm("apply", manifest(text), "--render").out


@pytest.fixture
def manifest(tmp_path):
    def write(text):
        (tmp_path / "m.yaml").write_text(text)
        return "m.yaml"

    return write


GRAPH = """
ccm:
  engine: {order: graph}
  resources:
    - exec: {name: second, command: "true", require: [exec#first]}
    - exec: {name: first, command: "true", meta: {retry: 1}}
"""


def test_a_manifest_for_the_original_is_rendered_without_extensions(ccm, manifest):
    """What comes first in the graph comes first in the list."""
    shown = yaml.safe_load(ccm("apply", manifest(GRAPH), "--render", "--upstream").out)["ccm"]
    assert list(shown) == ["fail_on_error", "resources"]
    assert [entry["exec"]["name"] for entry in shown["resources"]] == ["first", "second"]
    assert "meta" not in shown["resources"][0]["exec"]
    assert ccm("lint", manifest(yaml.safe_dump({"ccm": shown})), "--upstream").status == 0


def test_what_is_notified_subscribes_for_the_original(ccm, manifest):
    text = """
    ccm:
      resources:
        - exec: {name: changer, command: ls, meta: {notify: [exec#told, file#/f]}}
        - exec: {name: handler, alias: told, command: ls, refreshonly: true, subscribe: [exec#first]}
        - file: {name: /f, ensure: absent}
    """
    shown = yaml.safe_load(ccm("apply", manifest(text), "--render", "--upstream").out)["ccm"]["resources"]
    assert shown[1]["exec"]["subscribe"] == ["exec#first", "exec#changer"]
    assert "subscribe" not in shown[2]["file"]


def test_only_what_is_rendered_is_for_the_original(ccm, manifest):
    ran = ccm("apply", manifest(GRAPH), "--upstream")
    assert (ran.status, "add --render" in ran.err) == (1, True)
