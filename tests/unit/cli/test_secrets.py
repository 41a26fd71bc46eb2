# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A secret in any place of a manifest is hidden in each output format (decisions.md Q38)."""

from __future__ import annotations

import pytest

CANARY = "canary/4711?x#y"
# Text after `?` or `#` in a parameter is not part of its value.
SHORT = "canary4711"
OWN = "owner: root, group: root"
PLACES = {
    "variable": f"- exec: {{name: sh -c false, environment: ['SECRET_X={CANARY} canary']}}",
    "user of an address in a command": f"- exec: {{name: x, command: 'false https://u:{CANARY}@127.0.0.1/'}}",
    "parameter": f"- exec: {{name: x, command: 'false https://127.0.0.1/?token={SHORT}'}}",
    "flag": f"- exec: {{name: x, command: 'false --password {CANARY}'}}",
    "flag in the name": f"- exec: {{name: 'false --password={CANARY}'}}",
    "no program": f"- exec: {{name: 'https://u:{CANARY}@127.0.0.1/'}}",
    "unreadable command": f"- exec: {{name: x, command: 'false --password={CANARY} \"'}}",
    "name and reference": (
        f"- exec: {{name: 'false --token {CANARY}'}}\n"
        f"    - exec: {{name: 'true', require: ['exec#false --token {CANARY}']}}"
    ),
    "subscription": f"- exec: {{name: 'true', refreshonly: true, subscribe: ['exec#false --token {CANARY}']}}",
    "reference": (
        f"- exec: {{name: 'false --token {SHORT}'}}\n"
        f"    - exec: {{name: 'true', require: ['exec#false --token {SHORT}']}}\n"
        f"    - exec: {{name: 'true x', subscribe: ['exec#none --token {SHORT}']}}"
    ),
    "short names": f"- exec: {{name: x, command: 'false --pass {SHORT}', environment: ['MYSQL_PWD={CANARY}']}}",
    "header without quotes": f"- exec: {{name: x, command: 'false -H Authorization:{CANARY}'}}",
    "password with digits first": f"- exec: {{name: x, command: 'false http://u:12/{SHORT}@h/'}}",
    "address with digits first": (
        f"- archive: {{name: /x.tgz, ensure: present, url: 'http://u:12/{SHORT}@127.0.0.1:9/x.tgz', {OWN}}}"
    ),
    "guard": f"- exec: {{name: 'false', onlyif: 'true --password {CANARY}', unless: 'false SECRET_X={CANARY}'}}",
    "check": f"- exec: {{name: 'true', health_checks: [{{command: 'false --password {CANARY}'}}]}}",
    "check that there is not": f"- exec: {{name: 'true', health_checks: [{{command: 'http://u:{CANARY}@h/none'}}]}}",
    "address": f"- archive: {{name: /x.tgz, ensure: present, url: 'http://u:{CANARY}@127.0.0.1:9/x.tgz', {OWN}}}",
    "parameter of an address": (
        f"- archive: {{name: /x.tgz, ensure: present, url: 'http://127.0.0.1:9/x.tgz?token={SHORT}', {OWN}}}"
    ),
    "header": (
        "- archive: {name: /x.tgz, ensure: present, url: 'http://127.0.0.1:9/x.tgz', "
        f"headers: {{X: '{CANARY}'}}, password: '{CANARY}', username: u, {OWN}}}"
    ),
    "wrong address": f"- archive: {{name: /x.tgz, ensure: present, url: 'ftp://u:{CANARY}@127.0.0.1:9/x.tgz', {OWN}}}",
    "wrong property": f"- exec: {{name: x, command: 'false https://u:{CANARY}@127.0.0.1/', timeout: soon}}",
    "unknown property": f"- exec: {{name: 'false --token {CANARY}', comand: 'false --password {CANARY}'}}",
}
COMMANDS = (
    ("apply", "--session", "session"),
    ("apply", "--noop", "--debug"),
    ("apply", "--render"),
    ("apply", "--session", "session", "--log-format", "json"),
    ("plan",),
    ("plan", "--json"),
    ("lint",),
    ("lint", "--json"),
)


@pytest.mark.starts_processes
@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_hidden_everywhere(ccm, tmp_path, place):
    text = f"ccm:\n  engine: {{download_tries: 1}}\n  resources:\n    {PLACES[place]}\n"
    (tmp_path / "m.yaml").write_text(text)
    (tmp_path / "session").mkdir()
    for command, *options in COMMANDS:
        ran = ccm(command, "m.yaml", *options)
        assert ran.out + ran.err
        assert "canary" not in ran.out + ran.err, (command, options)
    for file in (tmp_path / "session").iterdir():
        assert "canary" not in file.read_text(), file
    output = ccm("session", "report", "--session", "session")
    assert "canary" not in output.out + output.err


@pytest.mark.starts_processes
def test_references_find_commands_in_other_processes(ccm, tmp_path):
    (tmp_path / "session").mkdir()
    (tmp_path / "one.yaml").write_text(f"ccm: {{resources: [exec: {{name: 'true --token {SHORT}'}}]}}\n")
    (tmp_path / "two.yaml").write_text(
        "ccm: {resources: [exec: {name: 'true', refreshonly: true, "
        f"subscribe: ['exec#true --token {SHORT}'], require: ['exec#true --token {SHORT}']}}]}}\n"
    )
    assert ccm("apply", "one.yaml", "--session", "session").status == 0
    ran = ccm("apply", "two.yaml", "--session", "session")
    assert (ran.status, "exec#true refreshed" in ran.out + ran.err) == (0, True)


@pytest.mark.parametrize("sign", "/?#")
def test_a_difference_hides_the_password_of_a_url(ccm, tmp_path, sign):
    (tmp_path / "m.yaml").write_text(
        f"ccm: {{resources: [file: {{name: {tmp_path}/x, ensure: present, {OWN}, mode: '0600', "
        f"content: 'at: http://u:canary{sign}4711@h/'}}]}}\n"
    )
    for command in (("plan", "m.yaml"), ("apply", "m.yaml", "--diff", "--noop")):
        output = ccm(*command)
        assert "at: http://REDACTED@h/" in output.out + output.err
        assert "canary" not in output.out + output.err


@pytest.mark.starts_processes
def test_a_long_last_argument_of_a_command_is_cut(ccm, tmp_path):
    command = "head -c 500000 /dev/zero | tr \\\\0 w >&2; false"
    (tmp_path / "m.yaml").write_text(
        f"ccm: {{resources: [exec: {{name: x, provider: shell, command: '{command}'}}]}}\n"
    )
    ran = ccm("apply", "m.yaml")
    assert "w" * 1000 + " ..." in ran.out
    assert "w" * 1001 not in ran.out + ran.err


def test_the_log_of_a_file_that_cannot_be_stored_hides_secrets(ccm, tmp_path, me):
    user, group = me
    path = "/nope/token=canary4711"
    (tmp_path / "m.yaml").write_text(
        "ccm: {resources: [file: {name: "
        f"{path}, ensure: present, owner: {user}, group: {group}, mode: '0600', content: x}}]}}\n"
    )
    ran = ccm("apply", "m.yaml")
    assert "Could not store new file" in ran.err
    assert "canary" not in ran.err


def test_the_error_of_a_request_that_cannot_be_decoded_hides_secrets(ccm):
    request = "properties:\n  password: !!int canary4711\n"
    ran = ccm("ensure", "api", "pipe", stdin=request)
    assert "request cannot be decoded: " in ran.out
    assert "canary" not in ran.out + ran.err
