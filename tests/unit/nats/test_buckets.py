# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Buckets of keys and of objects: what is read and written, and what of a hostile server is refused."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from ccm.nats.client import Client
from ccm.nats.contexts import NatsContext
from ccm.nats.errors import NatsError, NotStored
from ccm.nats.key_values import KeyValues, create_values
from ccm.nats.objects import Objects, create_objects

from tests.conformance.nats_cases.wire import subject_of
from tests.patience import PATIENCE
from tests.unit.nats.fake_server import answering, fake_server

pytestmark = pytest.mark.starts_processes

LARGEST = 1 << 20


@pytest.fixture
def client(nats):
    found = Client.open(NatsContext("X", {"url": nats.url}))
    yield found
    found.close()


@pytest.fixture(params=[True, False], ids=["direct", "without direct get"])
def direct(request):
    return request.param


def content_of(objects, name="o"):
    file = io.BytesIO()
    objects.get(name, file, LARGEST, lambda _done, _total: None)
    return file.getvalue()


def put(objects, content, name="o"):
    objects.put(name, io.BytesIO(content), hashlib.sha256(content).digest(), len(content))


def test_values(client, nats, direct):
    nats.connection.make_bucket("kv", "B", allow_direct=direct)
    values = KeyValues(client, "B")
    for key in ("k", "a.b/c=d_e-f"):
        with pytest.raises(NotStored, match=r"^nats: key not found$") as error:
            values.get(key)
        assert error.value.advice == f"bucket B has no key {key}"
        assert values.put(key, b"\0value") > 0
        assert values.get(key) == b"\0value"
        assert nats.connection.stored("KV_B")[-1].subject == f"$KV.B.{key}"
    for history in (False, True):
        values.put("k", b"x")
        nats.connection.remove_value("B", "k", history)
        with pytest.raises(NotStored, match=r"^nats: key not found$"):
            values.get("k")


@pytest.mark.parametrize("key", ["", "a b", ".a", "a.", "a..b", "a*", ">", "ä", "a\r\nPUB x"])
def test_keys_that_cannot_be(client, nats, key):
    nats.connection.make_bucket("kv", "B")
    with pytest.raises(NatsError, match=r"^nats: invalid key$"):
        KeyValues(client, "B").get(key)


def test_buckets_that_are_not_there(client):
    for kind, made, text in ((KeyValues, create_values, "bucket"), (Objects, create_objects, "object-store")):
        with pytest.raises(NotStored, match=r"^nats: bucket not found$"):
            kind(client, "B")
        for name in ("", "a.b", "a b", "ä", "a\r\n"):
            with pytest.raises(NatsError, match=f"^nats: invalid {text} name$"):
                kind(client, name)
            with pytest.raises(NatsError, match=f"^nats: invalid {text} name$"):
                made(client, name)


def test_buckets_are_made_as_others_make_them(client, nats):
    assert (create_values(client, "B"), create_values(client, "B")) == (True, False)
    assert (create_objects(client, "B"), create_objects(client, "B")) == (True, False)
    config = nats.connection.stream("KV_B")["config"]
    wanted = {"max_msgs_per_subject": 1, "discard": "new", "deny_delete": True, "allow_rollup_hdrs": True}
    wanted.update(allow_direct=True, storage="file", subjects=["$KV.B.>"], max_age=0, max_bytes=-1)
    assert {name: config[name] for name in wanted} == wanted
    assert nats.connection.stream("OBJ_B")["config"]["subjects"] == ["$O.B.C.>", "$O.B.M.>"]


@pytest.mark.parametrize("size", [0, 1, 131072, 131073, 700_000])
def test_objects(client, nats, direct, size):
    nats.connection.make_bucket("obj", "B")
    objects = Objects(client, "B")
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    nats.connection.put_object("B", "a/ö.tgz", content)
    if not direct:
        config = nats.connection.stream("OBJ_B")["config"]
        nats.connection.api("STREAM.UPDATE.OBJ_B", {**config, "allow_direct": False})
        objects = Objects(client, "B")
        assert content_of(objects, "a/ö.tgz") == content
        return
    assert content_of(objects, "a/ö.tgz") == content
    put(objects, b"former", "o")
    put(objects, content, "o")
    assert content_of(objects, "o") == content
    about = nats.connection.about_object("B", "o")
    assert (about["size"], about["digest"]) == (size, nats.connection.about_object("B", "a/ö.tgz")["digest"])
    pieces = [each for each in nats.connection.stored("OBJ_B") if each.subject.startswith("$O.B.C.")]
    assert sum(len(each.data) for each in pieces) == 2 * size, "those of the former object are removed"
    nats.connection.remove_object("B", "o")
    for name in ("o", "never"):
        with pytest.raises(NotStored, match=r"^nats: object not found$"):
            content_of(objects, name)


def test_progress(client, nats):
    nats.connection.make_bucket("obj", "B")
    nats.connection.put_object("B", "o", b"x" * 300_000)
    told = []
    Objects(client, "B").get("o", io.BytesIO(), LARGEST, lambda *given: told.append(given))
    assert told == [(131072, 300_000), (262144, 300_000), (300_000, 300_000)]


def describe(nats, name="o", bucket="B", **about):
    about = {"name": name, "bucket": bucket, "nuid": "N1", "size": 3, "chunks": 1, "digest": digest(b"abc"), **about}
    nats.connection.publish(subject_of(bucket, name), json.dumps(about).encode(), {"Nats-Rollup": "sub"})


def digest(content):
    return "SHA-256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode()


def test_links(client, nats):
    for bucket in ("B", "C"):
        nats.connection.make_bucket("obj", bucket)
    nats.connection.put_object("C", "target", b"content")
    describe(nats, "other", digest="", options={"link": {"bucket": "C", "name": "target"}})
    describe(nats, "o", digest="", options={"link": {"bucket": "B", "name": "other"}})
    assert content_of(Objects(client, "B")) == b"content"
    describe(nats, "o", digest="", options={"link": {"bucket": "C"}})
    with pytest.raises(NatsError, match=r"^nats: object is a link to a bucket$"):
        content_of(Objects(client, "B"))
    describe(nats, "o", digest="", options={"link": {"bucket": "B", "name": "o"}})
    with pytest.raises(NatsError, match=r"^nats: object is a link to a link to a link$"):
        content_of(Objects(client, "B"))


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({"digest": digest(b"abd")}, "nats: received a corrupt object, digests do not match"),
        ({"digest": "SHA-256="}, "nats: received a corrupt object, digests do not match"),
        ({"size": 4}, "nats: object o has another size than its bucket says"),
        ({"size": 2}, "nats: object o has another size than its bucket says"),
        ({"chunks": 0}, "nats: object o has another size than its bucket says"),
        ({"chunks": 2}, "nats: object o is cut off: 3 of 3 bytes came"),
        ({"size": LARGEST + 1}, "nats: object o has more than 1 MiB"),
        ({"nuid": ">"}, "nats: what the bucket says of object o is not valid"),
        ({"nuid": ""}, "nats: what the bucket says of object o is not valid"),
        ({"digest": "MD5=x"}, "nats: what the bucket says of object o is not valid"),
        ({"size": -1}, "nats: what the bucket says of object o is not valid"),
    ],
)
def test_objects_that_are_not_what_is_said(client, nats, monkeypatch, about, text):
    monkeypatch.setattr("ccm.nats.objects._SILENCE", 0.2)
    nats.connection.make_bucket("obj", "B")
    nats.connection.publish("$O.B.C.N1", b"abc")
    describe(nats, **about)
    with pytest.raises(NatsError) as error:
        content_of(Objects(client, "B"))
    assert str(error.value) == text


@pytest.mark.parametrize("said", [b"", b"{", b"[]", b"5", b"{}"])
def test_what_is_said_of_an_object_is_no_object(client, nats, said):
    nats.connection.make_bucket("obj", "B")
    nats.connection.publish(subject_of("B", "o"), said)
    with pytest.raises(NatsError, match=r"^nats: what the bucket says of object o is not valid$"):
        content_of(Objects(client, "B"))


def test_an_object_that_cannot_be_stored_leaves_nothing(client, nats):
    nats.connection.make_bucket("obj", "B", max_bytes=200_000)
    objects = Objects(client, "B")
    put(objects, b"former")
    content = bytes(400_000)
    with pytest.raises(NatsError, match=r"description=maximum bytes exceeded"):
        put(objects, content)
    assert content_of(objects) == b"former"
    pieces = [each for each in nats.connection.stored("OBJ_B") if each.subject.startswith("$O.B.C.")]
    assert len(pieces) == 1


def test_several_publish_an_object_at_once(nats):
    """The last one's pieces stay, and no other ones."""
    nats.connection.make_bucket("obj", "B")
    contents = [bytes([number]) * 300_000 for number in range(4)]

    def publish(content):
        found = Client.open(NatsContext("X", {"url": nats.url}))
        try:
            for _ in range(3):
                put(Objects(found, "B"), content)
            return content_of(Objects(found, "B"))
        finally:
            found.close()

    with ThreadPoolExecutor() as pool:
        for content in pool.map(publish, contents):
            assert content in contents
    stored = nats.connection.stored("OBJ_B")
    assert [each.subject for each in stored if each.subject.startswith("$O.B.M.")] == [subject_of("B", "o")]
    assert len([each for each in stored if each.subject.startswith("$O.B.C.")]) == 3


def test_an_object_that_others_always_replace():
    def answer(subject, _payload):
        if subject.startswith("$O.B.M."):
            return b"", json.dumps({"error": {"code": 400, "err_code": 10071, "description": "wrong last"}}).encode()
        if "GET" in subject:
            return b"NATS/1.0 404\r\n\r\n", b""
        if subject.startswith("$O."):
            return b"", b'{"stream": "OBJ_B", "seq": 1}'
        return b"", json.dumps({"config": {"allow_direct": True}}).encode()

    with fake_server(answering(answer)) as port:
        found = Client.open(NatsContext("X", {"url": f"nats://127.0.0.1:{port}"}))
        try:
            with pytest.raises(NatsError, match=r"^nats: object o is replaced again and again$"):
                put(Objects(found, "B"), b"x")
        finally:
            found.close()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ((b"NATS/1.0\r\nNats-Subject: $KV.B.other\r\nNats-Sequence: 1\r\n\r\n", b"x"), "a message of another subject"),
        ((b"", b"x"), "a message of another subject"),
        ((b"NATS/1.0 500 \x1b[31m\r\n\r\n", b""), "nats: 500 \\x1b[31m"),
    ],
)
def test_answers_with_something_else(answer, text):
    info = json.dumps({"config": {"allow_direct": True}}).encode()
    react = answering(lambda subject, _payload: (b"", info) if "INFO" in subject else answer)
    with fake_server(react) as port:
        found = Client.open(NatsContext("X", {"url": f"nats://127.0.0.1:{port}"}))
        try:
            with pytest.raises(NatsError) as error:
                KeyValues(found, "B").get("k")
        finally:
            found.close()
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (None, "a message of another subject"),
        ({"subject": "$KV.B.k", "data": "~"}, "nats: the answer of JetStream has no valid message"),
        ({"subject": "$KV.B.k", "seq": "x", "time": 5, "data": "eA=="}, ""),
    ],
)
def test_answers_without_direct_gets(message, text):
    def answer(subject, _payload):
        return b"", json.dumps({"config": {}} if "INFO" in subject else {"message": message}).encode()

    with fake_server(answering(answer)) as port:
        found = Client.open(NatsContext("X", {"url": f"nats://127.0.0.1:{port}"}))
        try:
            if text:
                with pytest.raises(NatsError, match=text):
                    KeyValues(found, "B").get("k")
            else:
                assert KeyValues(found, "B").get("k") == b"x"
        finally:
            found.close()


def test_following(client, nats):
    nats.connection.make_bucket("kv", "B")
    nats.connection.make_bucket("obj", "B")
    nats.connection.put_value("B", "k", b"1")
    nats.connection.put_object("B", "o", b"1")
    values, objects = KeyValues(client, "B").follow("k"), Objects(client, "B").follow("o")
    assert values.read(PATIENCE).payload == b"1"
    assert json.loads(objects.read(PATIENCE).payload)["size"] == 1
    nats.connection.put_value("B", "other", b"2")
    nats.connection.put_value("B", "k", b"2")
    nats.connection.put_object("B", "o", b"12")
    assert values.read(PATIENCE).payload == b"2"
    assert json.loads(objects.read(PATIENCE).payload)["size"] == 2


def test_an_object_without_a_name(client, nats):
    nats.connection.make_bucket("obj", "B")
    with pytest.raises(NatsError, match=r"^nats: object name is required$"):
        Objects(client, "B").info("")
