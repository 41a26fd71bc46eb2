# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid rules of goss: the messages."""

from __future__ import annotations

import re

import pytest
from ccm.health.goss.check import run_goss_check
from ccm.health.goss.spec import check_rule
from ccm.lang.yaml import load
from ccm.model.errors import ResourceFailed
from ccm.model.provider import RunContext

from tests.unit.health.goss.test_check import NamedResource, RecordedResults, check


@pytest.mark.parametrize(
    ("kind", "attributes", "message"),
    [
        ("command", {"exec": {"a": 1}}, "exec of Command:x must be text, not a mapping"),
        ("dns", {"server": []}, "server of DNS:x must be text, not a list"),
        ("http", {"request-headers": 1}, "request-headers of HTTP:x must be a list, not an integer"),
        ("file", {"meta": 1}, "meta of File:x must be a mapping, not an integer"),
        ("file", 1, "File:x must be a mapping, not an integer"),
        ("file", None, "Could not parse resource File:x"),
        ("gossfile", None, "Could not parse resource Gossfile:x"),
        ("gossfile", 1, "Gossfile:x must be a mapping, not an integer"),
        ("gossfile", {"skip": 7}, "skip of Gossfile:x must be true or false, not an integer"),
        ("gossfile", {"file": ["x"]}, "file of Gossfile:x must be text, not a list"),
    ],
)
def test_invalid_rules(kind, attributes, message):
    with pytest.raises(ResourceFailed) as caught:
        check_rule(kind, "x", attributes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"gossfile": 1}, "rules of gossfile must be a mapping, not an integer"),
        ({"gossfile": {"x": None}}, "Could not parse resource Gossfile:x"),
        ({"gossfile": {"x": 1}}, "Gossfile:x must be a mapping, not an integer"),
        ({"gossfile": {"x": {"skip": 7}}}, "skip of Gossfile:x must be true or false, not an integer"),
        ({"gossfile": {"x": {"file": ["x"]}}}, "file of Gossfile:x must be text, not a list"),
        ({"gossfile": {"x": {"file": 5}}}, 'no matched files were found: "5"'),
    ],
)
def test_invalid_files_of_rules(rules, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x").write_text("{}", encoding="utf-8")
    with pytest.raises(ResourceFailed) as caught:
        run_goss_check(check(rules), NamedResource, RunContext())
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [("a: [", "could not read rules in .*: "), ("[1]", "could not read rules in .*: they must be a mapping")],
)
def test_contents_of_files_of_rules(text, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ResourceFailed, match=message):
        run_goss_check(check({"gossfile": {"x.yaml": {}}}), NamedResource, RunContext())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "matches: !!binary aGk=",
            "Error Syntax Error: Invalid 'matcher' argument. Expected map value, but received: .*",
        ),
        ("matches: {not: {or: [{gt: 1}]}}", 'Error matchers.ToNumeric{}: .* parsing "hi": invalid syntax'),
    ],
)
def test_a_rule_that_cannot_be_evaluated(text, message):
    rules = load(f"matching: {{x: {{content: hi, {text}}}}}", "x").value
    log = RecordedResults()
    run_goss_check(check(rules), NamedResource, RunContext(user_log=log))
    assert re.fullmatch(f"fail Matching: x: matches: {message}", log.results[0])
