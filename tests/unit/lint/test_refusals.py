# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run refuses before it changes anything, lint finds, in the same words and line."""

from __future__ import annotations

import pytest
from ccm.lint.check import findings
from ccm.manifest.loader import Inputs
from ccm.manifest.reader import read_manifest
from ccm.model.errors import CCMError

SENT = "{{ sent('exec#true').stdout }}"
EARLY = "sent() works only in what is resolved just before a resource of a manifest is managed"


def errors(text):
    return [each for each in findings(text.encode(), "m.yaml", "/", portable=False) if each.level == "error"]


def refusal(text):
    with pytest.raises(CCMError) as raised:
        read_manifest(text.encode(), "m.yaml", "/", Inputs(facts={}, environ={}))
    return raised.value


@pytest.mark.parametrize(
    "given, message",
    [
        ("echo: {meta: {poll: 3}}", 'poll "3": invalid duration'),
        ("echo: {meta: {watch: no}}", "watch must be one of repair, alert, false, true"),
        ("echo: {meta: {grace: 5}}", 'grace "5": invalid duration'),
        ("echo: {meta: {limit: 2}}", 'limit "2" is not a number of checks in a time'),
        ('echo: {meta: {limit: "2/x"}}', 'limit "2/x" is not a number of checks in a time'),
        ("echo: {meta: {burst: 2}}", "burst needs a limit"),
        (f'echo: {{user: "{SENT}"}}', EARLY),
        (f'"echo {SENT}": {{}}', EARLY),
        (f'echo: {{health_checks: [{{command: "{SENT}"}}]}}', EARLY),
    ],
)
def test_in_a_resource(given, message):
    text = f"ccm: {{resources: [{{exec: [true: {{}}, {given}]}}]}}"
    refused, [found] = refusal(text), errors(text)
    assert found.message == message
    assert message in refused.message
    assert found.position.line == refused.position.line


def test_in_a_message():
    text = f'ccm: {{pre_message: "{SENT}", resources: [{{exec: [true: {{}}]}}]}}'
    assert EARLY in refusal(text).message
    assert [found.message for found in errors(text)] == [EARLY]


def test_values_may_be_sent_to_what_is_resolved_late():
    text = f'ccm: {{resources: [{{exec: [true: {{}}, echo: {{environment: ["A={SENT}"], cwd: "/{SENT}"}}]}}]}}'
    assert errors(text) == []
