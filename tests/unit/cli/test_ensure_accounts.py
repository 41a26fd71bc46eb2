# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups on the command line, in requests, in noop and in lint; root exists everywhere and stays as it is."""

from __future__ import annotations

import json

import pytest

HASH = "$6$abcdefgh$ijklmnopqrstuvwxyz012345"


@pytest.mark.parametrize("words", [("user", "root", "--uid", "0"), ("group", "root", "--gid", "0", "--system")])
def test_ensure(ccm, words):
    ran = ccm("ensure", *words, "--noop")
    assert (ran.status, f"{words[0]}#root stable ensure=present" in ran.out) == (0, True)


def test_flags_of_lists_and_refusals(ccm):
    ran = ccm("ensure", "user", "root", "--groups", "a,b", "--groups", "c")
    assert "a name in groups is not allowed" in ran.err + ran.out
    assert "unknown long flag '--password'" in ccm("ensure", "user", "root", "--password", HASH).err
    ran = ccm("ensure", "group", "g:x")
    assert 'group name is not allowed: "g:x"' in ran.err + ran.out
    assert ccm("ensure", "group", "g", "gone").status != 0


@pytest.mark.parametrize(("kind", "field"), [("user", "uid"), ("group", "gid")])
def test_status(ccm, kind, field):
    found = json.loads(ccm("status", kind, "root", "--json").out)
    assert "0" in json.dumps(found)
    assert f'"{field}": 0' in json.dumps(found)


def test_requests(ccm):
    request = {"protocol": "io.choria.ccm.v1.resource.ensure.request", "type": "user"}
    given = {"name": "root", "uid": 0, "home": "/root"}
    ran = ccm("ensure", "api", "pipe", "--noop", stdin=json.dumps({**request, "properties": given}))
    reply = json.loads(ran.out)
    assert reply["state"]["status"]["stable"] is True
    given = {"name": "root", "password": "s3cr3t"}
    ran = ccm("ensure", "api", "pipe", stdin=json.dumps({**request, "properties": given}))
    assert "password must be a hash" in json.loads(ran.out)["error"]
    assert "s3cr3t" not in ran.out + ran.err


def test_lint(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(
        "ccm:\n  resources:\n    - user: {name: a, ensure: present, gid: g}\n    - group: {name: g, ensure: present}\n"
    )
    shown = ccm("lint", "m.yaml", "--upstream")
    assert "the original has no type user" in shown.out
    assert "the original has no type group" in shown.out
    # In the order of the list the group is too late.
    assert "group#g" in ccm("lint", "m.yaml").out


def test_a_run_in_noop_shows_no_hash(ccm, tmp_path):
    (tmp_path / "m.yaml").write_text(f"ccm:\n  resources:\n    - user: {{name: new-one, password: '{HASH}'}}\n")
    shown = ccm("apply", "m.yaml", "--noop", "--diff", "--debug")
    assert "user#new-one" in shown.out
    assert HASH not in shown.out + shown.err
