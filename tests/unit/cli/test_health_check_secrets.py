# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in health checks are hidden in logs, events, responses and errors (decisions.md Q38), and lint finds them."""

from __future__ import annotations

import json

import pytest

URL = "http://bob:hunter2@127.0.0.1:1/"
# Each check contains a secret with the text hunter2.
RULES = [
    {"http": {URL: {"status": 200}}},
    {"http": {"page": {"url": URL, "status": 200}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "password": "hunter2"}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "request-headers": ["Authorization: Bearer hunter2"]}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "request-headers": ["X-Token: hunter2"]}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "proxy": URL}}},
    {"command": {f"false {URL}": {"exit-status": 0}}},
    {"command": {"x": {"exec": f"false {URL}", "exit-status": 0}}},
    {"command": {f"echo {URL}": {"exit-status": 0, "stdout": {"equal": "x"}}}},
]
# The same in rules that are invalid, for the run or for lint.
WRONG = [
    {"http": {URL: {"stats": 200}}},
    {"http": {URL: None}},
    {"http": {URL: {"status": 200, "request-headers": "X: hunter2"}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "request-headers": ["X-Auth hunter2"]}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "request-headers": ["X-Auth hunter2: x"]}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "request-headers": ["X-Auth: hunter2\n"]}}},
    {"http": {"http://127.0.0.1:1/": {"status": 200, "request-body": "hunter2"}}},
    {"http": {"http://bob:hunter2\u2100@127.0.0.1:1/": {"status": 200}}},
]
CHECKS = [{"goss_rules": rules} for rules in (*RULES, *WRONG)]
CHECKS += [{"command": f"false {URL}"}, {"command": f"no-such-program{URL}"}, {"command": f"false {URL[:-1]}"}]


def manifest(check):
    """A manifest, as JSON, with one resource that has this check."""
    return json.dumps({"ccm": {"resources": [{"exec": {"name": "true", "health_checks": [check]}}]}})


@pytest.mark.starts_processes
@pytest.mark.parametrize("check", CHECKS)
def test_a_secret_of_a_check_is_not_in_the_output(ccm, tmp_path, check):
    (tmp_path / "m.json").write_text(manifest(check))
    (tmp_path / "session").mkdir()
    ran = ccm("apply", "m.json", "--session", "session", "--debug")
    events = "".join(path.read_text() for path in (tmp_path / "session").rglob("*") if path.is_file())
    plan = ccm("apply", "m.json", "--render")
    assert "exec#true failed" in ran.out
    assert '"health_checks"' in events
    assert "hunter2" not in ran.out + ran.err + events + plan.out + plan.err


@pytest.mark.starts_processes
@pytest.mark.parametrize("check", CHECKS)
def test_a_secret_of_a_check_is_not_in_the_response(ccm, check):
    protocol = "io.choria.ccm.v1.resource.ensure.request"
    properties = {"name": "true", "health_checks": [check]}
    ran = ccm(
        "ensure", "api", "pipe", stdin=json.dumps({"protocol": protocol, "type": "exec", "properties": properties})
    )
    assert json.loads(ran.out)["state"]["failed"]
    assert "hunter2" not in ran.out + ran.err


@pytest.mark.parametrize("rules", RULES)
def test_lint_finds_secrets_in_rules(ccm, tmp_path, rules):
    text = manifest({"goss_rules": rules})
    (tmp_path / "m.json").write_text(text)
    ran = ccm("lint", "m.json")
    assert "plain-secret" in ran.out
    assert "hunter2" not in ran.out + ran.err
    (tmp_path / "m.json").write_text(text.replace("hunter2", "{{ Environ.X }}"))
    assert "plain-secret" not in ccm("lint", "m.json").out


@pytest.mark.parametrize("rules", WRONG)
def test_lint_hides_secrets_of_invalid_rules(ccm, tmp_path, rules):
    (tmp_path / "m.json").write_text(manifest({"goss_rules": rules}))
    ran = ccm("lint", "m.json")
    assert "hunter2" not in ran.out + ran.err


@pytest.mark.starts_processes
def test_a_rule_prints_no_terminal_escapes(ccm, tmp_path):
    (tmp_path / "hostile").write_text("\x1b[2J\x9b2J\x7f")
    rules = {"file": {"hostile": {"exists": True, "contents": {"equal": "x"}, "size": {"gt": {"a": 1}}}}}
    rules["matching"] = {"m": {"content": "\x1b[2J", "matches": {"have-key": "x"}}}
    (tmp_path / "m.json").write_text(manifest({"goss_rules": rules}))
    ran = ccm("apply", "m.json")
    assert ran.out.count("ERROR ") == 5
    assert ran.out.replace("\n", "").isprintable()
    assert r"\x1b[2J" in ran.out


@pytest.mark.starts_processes
@pytest.mark.parametrize("message", ["db_password=hunter2", "OK: http://u:hunter2@h/", '{"token": "hunter2"}'])
@pytest.mark.parametrize("status", [0, 2])
def test_the_output_of_a_check_is_shown_without_secrets(ccm, tmp_path, message, status):
    (tmp_path / "says").write_text(f"#!/bin/sh\necho '{message}'\nexit {status}\n")
    (tmp_path / "says").chmod(0o755)
    (tmp_path / "m.json").write_text(manifest({"command": str(tmp_path / "says")}))
    (tmp_path / "session").mkdir()
    ran = ccm("apply", "m.json", "--session", "session", "--debug")
    events = "".join(path.read_text() for path in (tmp_path / "session").rglob("*") if path.is_file())
    assert "REDACTED" in events
    assert "hunter2" not in ran.out + ran.err + events


@pytest.mark.starts_processes
def test_the_name_of_a_check_is_shown_without_secrets(ccm, tmp_path):
    (tmp_path / "m.json").write_text(manifest({"command": "false", "name": "page?token=hunter2"}))
    (tmp_path / "session").mkdir()
    ran = ccm("apply", "m.json", "--session", "session", "--debug")
    events = "".join(path.read_text() for path in (tmp_path / "session").rglob("*") if path.is_file())
    assert "page?token=REDACTED" in ran.out
    assert "hunter2" not in ran.out + ran.err + events
    for words in (("apply", "m.json", "--render"), ("plan", "m.json"), ("plan", "m.json", "--json")):
        ran = ccm(*words)
        assert "hunter2" not in ran.out + ran.err, words
