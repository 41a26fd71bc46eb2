# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in the options that Ansible logs are hidden by action plugins, and modules get them."""

from __future__ import annotations

import json

import pytest
from ccm.ansible_tasks.argument_spec import HIDDEN, given_options
from ccm.resources.archive.type import TYPE as ARCHIVE
from ccm.resources.exec.type import TYPE as EXEC
from ccm.resources.file.type import TYPE as FILE
from ccm.resources.package.type import TYPE as PACKAGE
from ccm.resources.scaffold.type import TYPE as SCAFFOLD
from hypothesis import given
from hypothesis import strategies as st

from plugins.plugin_utils.secret_options import without_secrets

CANARY = "hunter/2?#x"
CHECKS = [{"command": f"/check --password {CANARY}", "name": "c", "tries": 2, "timeout": None}]
SECRET = {
    "content": (FILE, {"content": CANARY}, {}),
    "name": (EXEC, {"name": f"curl https://u:{CANARY}@h/"}, {"name": "curl https://REDACTED@h/"}),
    "command": (EXEC, {"command": f"x --password {CANARY}"}, {"command": "x --password REDACTED"}),
    "guard": (EXEC, {"onlyif": f"curl h?token={CANARY}"}, {"onlyif": "curl h?token=REDACTED#x"}),
    "other guard": (EXEC, {"unless": f"SECRET_X={CANARY} x"}, {"unless": "SECRET_X=REDACTED x"}),
    "variable": (EXEC, {"environment": ["A=b", f"SECRET_X={CANARY}"]}, {"environment": ["A=b", "SECRET_X=REDACTED"]}),
    "data": (SCAFFOLD, {"data": {"password": CANARY, "a": 1}}, {"data": {"password": "REDACTED", "a": 1}}),
    "post": (SCAFFOLD, {"post": [{"*": f"x --token={CANARY}"}]}, {"post": [{"*": "x --token=REDACTED"}]}),
    "address": (ARCHIVE, {"url": f"http://u:{CANARY}@h/a.tgz"}, {"url": "http://REDACTED@h/a.tgz"}),
    "headers": (ARCHIVE, {"headers": {"X": CANARY}}, {}),
    "password": (ARCHIVE, {"password": CANARY}, {}),
    "check": (
        PACKAGE,
        {"name": ["a", "b"], "health_checks": CHECKS},
        {"name": ["a", "b"], "health_checks": [{**CHECKS[0], "command": "/check --password REDACTED"}]},
    ),
}


class Module:
    def __init__(self, params):
        self.params = params


@pytest.mark.parametrize("case", SECRET)
def test_a_secret_is_in_no_logged_option(case):
    type, options, expected = SECRET[case]
    passed = without_secrets(type, options)
    hidden = passed.pop(HIDDEN)
    assert passed == expected
    assert "hunter" not in hidden
    module = Module({**passed, HIDDEN: hidden})
    assert given_options(module) == {**options, HIDDEN: hidden}
    assert "hunter" not in json.dumps(module.params)


def test_what_is_no_option_is_hidden():
    passed = without_secrets(EXEC, {"name": "x"}, {"variables": {"A": CANARY}})
    assert passed == {"name": "x", HIDDEN: passed[HIDDEN]}
    assert given_options(Module(passed)) == {**passed, "variables": {"A": CANARY}}


def test_options_without_secrets_are_passed_unchanged():
    options = {"name": "x", "command": "touch /a", "environment": ["A=b"], "creates": "/token=x", "refresh": True}
    assert without_secrets(EXEC, options) == options
    assert given_options(Module({**options, HIDDEN: None})) == {**options, HIDDEN: None}


@given(st.text(st.characters(codec=None, exclude_categories=()), min_size=1))
def test_content_arrives_unchanged(content):
    assert given_options(Module(without_secrets(FILE, {"content": content})))["content"] == content
