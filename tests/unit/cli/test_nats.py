# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that need NATS, without a context: the messages of the original, after all other checks."""

from __future__ import annotations

import json

import pytest
from ccm.model.protocols import ENSURE_REQUEST

UNKNOWN = 'nats connection error: unknown context "CCM"'
STREAM = "could not connect to JetStream: "
ENTRY = ["--cluster", "a", "--service", "b", "--protocol", "c", "--address", "192.0.2.1"]


def first_line(ran):
    assert ran.status == 1
    return ran.err.partition("\n")[0].removeprefix("ccm: error: ")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["apply", "obj://B/K"], UNKNOWN),
        (["apply", "obj://"], "bucket name is required for object store manifest source"),
        (["apply", "obj://B"], "key is required for object store manifest source"),
        (["plan", "obj://B/K"], UNKNOWN),
        (["hiera", "parse", "kv://B/K"], UNKNOWN),
        (["hiera", "parse", "kv://B/K/L"], UNKNOWN),
        (["ensure", "exec", "--hiera", "kv://B/K", "true"], UNKNOWN),
        (
            ["ensure", "exec", "{{ kvGet('B', 'K') }}"],
            f"resolving field CommonResourceProperties.Name: {UNKNOWN} (1:1)",
        ),
        (
            ["ensure", "file", "/x", "--mode", "{{ registrations('a', 'b', '*', 'd') }}"],
            f"resolving field Mode: {STREAM}{UNKNOWN} (1:1)",
        ),
        (["registration", "create", *ENTRY, "--port", "80"], UNKNOWN),
        (["registration", "create", *ENTRY, "--port", "80", "--ttl", "never", "-A", "x=y"], UNKNOWN),
        (["reg", "c", *ENTRY, "--port", "80", "--context", "x"], 'nats connection error: unknown context "x"'),
        (["registration", "init", "--replicas", "5", "--max-age", "2m"], STREAM + UNKNOWN),
        (["registration", "query"], STREAM + UNKNOWN),
        (["r", "q", "a", "b", "c", "d", "--json", "--yaml", "-R", "X"], STREAM + UNKNOWN),
        (["registration", "watch", "--json"], STREAM + UNKNOWN),
        (["registration", "rm", "--force", *ENTRY, "--port", "80"], STREAM + UNKNOWN),
    ],
)
def test_a_missing_context(ccm, words, text):
    assert first_line(ccm(*words)) == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([*ENTRY[:-1], "a b", "--port", "80"], 'address "a b" is not a valid Address address'),
        ([*ENTRY, "--port", "0"], "port '0' must be between 1 and 65535"),
        ([*ENTRY[2:], "--cluster", "1a", "--port", "80"], 'cluster "1a" is not a valid name'),
        ([*ENTRY, "--port", "80", "--priority", "300"], "priority '300' must be between 1 and 255"),
    ],
)
def test_an_entry_is_validated_before_a_context_is_read(ccm, words, text):
    wanted = f"invalid registration entry: registration is invalid: {text}"
    assert first_line(ccm("registration", "create", *words)) == wanted
    if "--priority" not in words:
        assert first_line(ccm("registration", "rm", *words)) == wanted


def test_other_errors_in_entries(ccm):
    wrong_ttl = ccm("registration", "create", *ENTRY, "--port", "80", "--ttl", "xx")
    assert first_line(wrong_ttl).startswith('invalid TTL duration "xx": invalid duration')
    assert first_line(ccm("registration", "init", "--replicas", "9")) == "replicas must be between 1 and 5"
    missing = first_line(ccm("registration", "create", "--port", "1", "--service", "x"))
    assert missing == "error: required flags --cluster, --protocol, --address not provided"
    assert first_line(ccm("registration", "rm", *ENTRY)) == "error: required flag --port not provided"


def test_removal_is_validated(ccm):
    words = ["registration", "rm", *ENTRY, "--port", "80"]
    ran = ccm(*words, stdin="n\n")
    assert (ran.status, ran.out) == (0, "? Remove registration entry a/b/c at 192.0.2.1:80? (y/N) ")
    assert first_line(ccm(*words, stdin="yes\n")) == STREAM + UNKNOWN
    assert first_line(ccm(*words)) == "EOF"


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("", "nats context not set"),
        ("a/b", "nats connection error: invalid context name a/b"),
        ("..", "nats connection error: invalid context name .."),
        ("here", "nats connection error: context here: url must be text"),
        ("there", 'nats connection error: unknown context "there"'),
    ],
)
def test_contexts(ccm, tmp_path, context, text):
    known = tmp_path / "home/.config/nats/context/here.json"
    known.parent.mkdir(parents=True)
    known.write_text('{"url": 5}')
    assert first_line(ccm("apply", "obj://B/K", f"--context={context}")) == text


def test_a_context_comes_from_the_environment(ccm, monkeypatch):
    monkeypatch.setenv("NATS_CONTEXT", "other")
    assert first_line(ccm("apply", "obj://B/K")) == 'nats connection error: unknown context "other"'
    monkeypatch.setenv("NATS_CONTEXT", "")
    assert first_line(ccm("apply", "obj://B/K")) == UNKNOWN


def test_children_and_the_pipe_use_the_context(ccm, tmp_path):
    (tmp_path / "child.yaml").write_text("ccm: {resources: [{exec: {name: \"{{ kvGet('a', 'b') }}\"}}]}")
    (tmp_path / "m.yaml").write_text("ccm: {resources: [{apply: {name: child.yaml}}]}")
    ran = ccm("apply", "--context", "z", "m.yaml")
    assert 'nats connection error: unknown context "z"' in ran.out
    request = {"protocol": ENSURE_REQUEST, "type": "exec", "properties": {"name": "{{ kvGet('a', 'b') }}"}}
    assert UNKNOWN in json.loads(ccm("ensure", "api", "pipe", stdin=json.dumps(request)).out)["error"]
    request.update(type="apply", properties={"name": str(tmp_path / "child.yaml")})
    assert UNKNOWN in json.loads(ccm("ensure", "api", "pipe", stdin=json.dumps(request)).out)["state"]["error"][0]
