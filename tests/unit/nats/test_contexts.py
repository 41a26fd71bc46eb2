# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contexts of the `nats` command: which are found, what their fields mean, and what is refused."""

from __future__ import annotations

import json
import os

import pytest
from ccm.nats.contexts import read_context
from ccm.nats.errors import NatsError

PREFIX = "nats connection error: "
SECRET = "Hidden1234"


@pytest.fixture
def context(tmp_path):
    """Call it with the fields of a context, or the text of its file, and variables; it returns the context."""

    def read(content=None, name="CCM", **variables):
        path = tmp_path / "nats/context/CCM.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, dict):
            content = json.dumps(content).encode()
        if content is not None:
            path.write_bytes(content)
        return read_context(name, {"XDG_CONFIG_HOME": str(tmp_path), **variables})

    return read


def refused(read, *given, **variables):
    with pytest.raises(NatsError) as error:
        read(*given, **variables)
    assert SECRET not in f"{error.value} {error.value.advice}"
    return str(error.value)


def test_all_fields(context):
    texts = {
        "user": "ann",
        "password": "$NOT_A_VARIABLE",
        "user_jwt": "eyJ",
        "user_seed": "SU",
        "inbox_prefix": "_I.ann",
        "jetstream_domain": "hub",
        "creds": "/etc/ann.creds",
        "nkey": "/etc/ann.nk",
        "cert": "/etc/ann.pem",
        "key": "/etc/ann.key",
        "ca": "/etc/ca.pem",
    }
    found = context({"url": "tls://a:1", "token": "t", "tls_first": True, "description": "x", "later": 1, **texts})
    assert {name: getattr(found, name) for name in texts} == texts
    assert (found.name, found.token, found.tls_first, found.api_prefix) == ("CCM", "t", True, "$JS.hub.API")
    assert context({"jetstream_api_prefix": "from.hub."}).api_prefix == "from.hub"
    assert context({"jetstream_domain": ""}).api_prefix == "$JS.API"


def test_servers(context):
    url = "nats://a, tls://ann:p%40s@[::1]:4333,t0ken@b.example:1"
    servers = context({"url": url}).servers
    assert [server.address for server in servers] == ["a:4222", "[::1]:4333", "b.example:1"]
    assert [(server.user, server.password, server.tls) for server in servers] == [
        (None, None, False),
        ("ann", "p@s", True),
        ("t0ken", None, False),
    ]
    assert context({"url": url}).addresses == "a:4222, [::1]:4333, b.example:1"
    assert context({}).addresses == context({"url": ""}).addresses == "127.0.0.1:4222"


def test_variables_and_homes(context, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ann")
    fields = {"creds": "~/a.creds", "ca": "$DIR/ca.pem", "nkey": "${DIR}x", "token": "$T", "url": "nats://$HOST:1"}
    found = context(fields, DIR="/d", T=SECRET, HOST="h")
    assert (found.creds, found.ca, found.nkey, found.token) == ("/home/ann/a.creds", "/d/ca.pem", "/dx", SECRET)
    assert found.addresses == "h:1"
    assert refused(context, fields, T=SECRET, HOST="h") == PREFIX + "context CCM: the variable $DIR in ca is not set"


def test_the_directory_of_contexts(context, tmp_path, monkeypatch):
    context({"url": "nats://there:1"})
    (tmp_path / ".config").symlink_to(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_context("CCM", {}).addresses == "there:1"
    assert read_context(str(tmp_path / "nats/context/CCM.json"), {}).addresses == "there:1"


def test_names(context):
    assert refused(context, name="") == "nats context not set"
    assert refused(context, name="a/b") == PREFIX + "invalid context name a/b"
    assert refused(context, name="..") == PREFIX + "invalid context name .."
    assert refused(context, name="NO\nPE") == PREFIX + 'unknown context "NO\\nPE"'
    assert refused(context, name="/nonexistent") == PREFIX + 'unknown context "/nonexistent"'


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"{", "/CCM.json is not valid JSON"),
        (b"\xff", "/CCM.json is not valid JSON"),
        (b"[" * 100_000, "/CCM.json is not valid JSON"),
        (b"[]", "/CCM.json must be a JSON object"),
        (b" " * (1 << 20) + b"{}", "/CCM.json has more than 1 MiB"),
        ({"nsc": SECRET}, "context CCM: ccm does not support nsc"),
        ({"socks_proxy": SECRET}, "context CCM: ccm does not support socks_proxy"),
        ({"windows_cert_store": SECRET}, "context CCM: ccm does not support windows_cert_store"),
        ({"password": [SECRET]}, "context CCM: password must be text"),
        ({"tls_first": SECRET}, "context CCM: tls_first must be true or false"),
        ({"cert": SECRET}, "context CCM: cert needs key too"),
        ({"user_seed": SECRET}, "context CCM: user_seed needs user_jwt too"),
        ({"inbox_prefix": SECRET + ".*"}, "context CCM: inbox_prefix cannot be part of a subject"),
        ({"jetstream_domain": SECRET + "\r\n"}, "context CCM: jetstream_domain cannot be part of a subject"),
        ({"url": f"ws://{SECRET}@a"}, "ccm does not support URLs that begin with ws://, only nats:// and tls://"),
        ({"url": f"nats://ann:{SECRET}@a:b"}, "url has a server that is not [nats://][USER:PASSWORD@]HOST[:PORT]"),
        ({"url": f"nats://ann:{SECRET}@"}, "url has a server that is not [nats://][USER:PASSWORD@]HOST[:PORT]"),
        ({"url": f"nats://ann:{SECRET}@a:0"}, "url has a server that is not [nats://][USER:PASSWORD@]HOST[:PORT]"),
        ({"url": f"ann:{SECRET}@://a"}, "url has a server that is not [nats://][USER:PASSWORD@]HOST[:PORT]"),
        ({"token": f"a${SECRET}"}, "context CCM: a variable in token is not set"),
        ({"token": f"a${{{SECRET}}}"}, "context CCM: a variable in token is not set"),
        ({"url": f"nats://ann:a${SECRET}@a"}, "context CCM: a variable in url is not set"),
        ({"url": "nats://$NOWHERE"}, "context CCM: the variable $NOWHERE in url is not set"),
        ({"url": " , "}, "context CCM: url has no server"),
    ],
)
def test_refused_contexts(context, content, text):
    assert refused(context, content).endswith(text)


def test_a_file_that_cannot_be_read(context, tmp_path):
    context({})
    (tmp_path / "nats/context/CCM.json").unlink()
    (tmp_path / "nats/context/CCM.json").mkdir()
    assert refused(context).endswith("CCM.json: is a directory")
    (tmp_path / "nats/context/CCM.json").rmdir()
    os.mkfifo(tmp_path / "nats/context/CCM.json")
    assert refused(context).endswith("/CCM.json is not valid JSON")
