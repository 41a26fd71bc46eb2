# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from ccm.lint import sent_values
from ccm.lint.check import findings

MANIFEST = b"""
ccm:
  resources:
    - exec:
        - "true": {}
        - echo: {command: "echo {{ sent('exec#true').colour }}"}
"""


def messages():
    return [finding.message for finding in findings(MANIFEST, "m.yaml", "/", portable=False)]


def test_a_key_that_the_type_does_not_send():
    assert "exec#true sends no colour, only stdout, stderr, exitcode" in messages()


def test_a_type_that_sends_nothing(monkeypatch):
    monkeypatch.setattr(sent_values, "relations", lambda _type: None)
    assert "exec#true sends no colour, only nothing" in messages()
