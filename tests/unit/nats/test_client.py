# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client: who may connect, what is answered in which words, and what it does when servers fail or lie."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import threading
import time

import pytest
from ccm.nats.client import Client
from ccm.nats.contexts import NatsContext
from ccm.nats.errors import NatsError, NatsUnreachable, NotStored

from tests.patience import PATIENCE, wait_until
from tests.unit.nats.fake_server import INFO, answering, fake_server, silent
from tests.unit.nats.test_credentials import USER

pytestmark = pytest.mark.starts_processes

SECRET = "Hidden1234"
STREAM = {"name": "S", "subjects": ["s.>"], "max_msgs_per_subject": 1}


@pytest.fixture
def opened():
    """Call it with a URL, or a server, and fields of a context; it returns a client."""
    clients = []

    def open_client(server, timeout=5.0, **fields):
        url = server if isinstance(server, str) else server.url
        clients.append(Client.open(NatsContext("X", {"url": url, **fields}), timeout))
        return clients[-1]

    yield open_client
    for client in clients:
        client.close()


def refused(opened, *given, **fields):
    with pytest.raises(NatsError) as error:
        opened(*given, **fields)
    assert SECRET not in str(error.value)
    assert SECRET not in error.value.advice
    return str(error.value)


def closed_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_no_server(opened):
    ports = [closed_port(), closed_port()]
    url = f"nats://ann:{SECRET}@127.0.0.1:{ports[0]},nats://127.0.0.1:{ports[1]}"
    addresses = "; ".join(f"127.0.0.1:{port}: connection refused" for port in ports)
    assert refused(opened, url) == f"nats connection error: {addresses}"


def test_a_name_without_addresses(opened):
    assert refused(opened, f"nats://{SECRET}@x.invalid:1") == "nats connection error: x.invalid:1: no such host"
    assert refused(opened, "nats://x.invalid:1") == "nats connection error: x.invalid:1: no such host"


def test_the_second_server_is_used(opened, nats):
    assert opened(f"nats://127.0.0.1:{closed_port()},{nats.url}").api("STREAM.NAMES")["streams"] is None


@pytest.mark.parametrize(
    ("info", "text"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "nats: empty response from server when expecting INFO message"),
        (b"INFO [1]\r\n", "object has no attribute"),
        (b"INFO {\r\n", "nats: info message, json parse error"),
        (b"x" * 100_000, "it does not answer as a NATS server does"),
        (b"", "no answer within 0.5 s"),
    ],
)
def test_what_is_no_server(opened, info, text):
    with fake_server(silent, info=info) as port:
        said = refused(opened, f"nats://127.0.0.1:{port}", timeout=0.5)
    assert said.startswith(f"nats connection error: 127.0.0.1:{port}: ")
    assert text in said or info.startswith(b"x")


@pytest.mark.parametrize(
    ("settings", "login", "fields"),
    [
        (
            "authorization { users: [ {user: ann, password: Hidden1234} ] }",
            {"user": "ann", "password": SECRET},
            {"user": "ann", "password": SECRET},
        ),
        ("authorization { token: Hidden1234 }", {"token": SECRET}, {"token": SECRET}),
    ],
)
def test_logins(opened, own_nats_server, settings, login, fields):
    server = own_nats_server(settings=settings, login=login)
    assert opened(server, **fields).api("INFO")
    with pytest.raises(NatsError) as error:
        opened(server, user="eve", password=SECRET + "x")
    assert error.value.advice == "the context X names this server and the user eve"
    in_url = SECRET if "token" in fields else f"ann:{SECRET}"
    assert opened(f"nats://{in_url}@127.0.0.1:{server.port}").api("INFO")
    text = f"nats connection error: 127.0.0.1:{server.port}: nats: Authorization Violation"
    assert refused(opened, server) == text
    assert refused(opened, server, user="ann", password=SECRET + "x") == text


def test_nkeys(opened, own_nats_server, tmp_path):
    from ccm.nats.credentials import signer_of

    public = signer_of(NatsContext("X", {"user_seed": USER, "user_jwt": "x"})).public
    (tmp_path / "nk").write_text(USER)
    settings = f"authorization {{ users: [ {{nkey: {public}}}, {{user: tests, password: p}} ] }}"
    server = own_nats_server(settings=settings, login={"user": "tests", "password": "p"})
    assert opened(server, nkey=str(tmp_path / "nk")).api("INFO")
    assert "Authorization Violation" in refused(opened, server)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Files of an authority, and of a server that it has signed."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    folder = tmp_path_factory.mktemp("tls")
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.datetime.now(datetime.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "x")])
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    made = made.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(30))
    signed = made.add_extension(address, critical=False).sign(key, hashes.SHA256())
    (folder / "cert.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(*form))
    return folder


def test_tls(opened, own_nats_server, certificates):
    cert, key = str(certificates / "cert.pem"), str(certificates / "key.pem")
    server = own_nats_server(settings=f"tls {{ cert_file: {cert}, key_file: {key} }}", login={"ca": cert})
    assert opened(server, ca=cert).api("INFO")
    assert opened(f"tls://127.0.0.1:{server.port}", ca=cert).api("INFO")
    said = refused(opened, server)
    assert f"127.0.0.1:{server.port}: its certificate cannot be trusted: self" in said
    assert refused(opened, server, ca=key).endswith("context X: ca cannot be used")
    assert refused(opened, server, ca=cert, cert=cert, key=cert).endswith("context X: cert or key cannot be used")
    missing = refused(opened, server, ca=cert, cert=cert, key="/nonexistent/key.pem")
    assert missing.endswith("key: open /nonexistent/key.pem: no such file or directory")
    os.mkfifo(certificates / "fifo")
    assert refused(opened, server, ca=str(certificates / "fifo")).endswith("/fifo is not a regular file")
    missing = refused(opened, server, ca="/nonexistent/ca.pem")
    assert missing.endswith("ca: open /nonexistent/ca.pem: no such file or directory")


def test_a_fault_of_tls_is_in_words(opened, certificates):
    """The server sends text where the encrypted connection should begin."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            connection, _address = listener.accept()
            with connection:
                connection.sendall(b"INFO " + json.dumps({**INFO, "tls_required": True}).encode() + b"\r\n")
                connection.recv(1 << 16)
                connection.sendall(b"-ERR 'no'\r\n" * 10)
                connection.recv(1 << 16)

        thread = threading.Thread(target=serve)
        thread.start()
        said = refused(opened, f"nats://127.0.0.1:{listener.getsockname()[1]}", ca=str(certificates / "cert.pem"))
        thread.join()
    assert said.endswith(": TLS: wrong version number")


def test_tls_before_anything_is_said(own_nats_server, certificates):
    cert, key = str(certificates / "cert.pem"), str(certificates / "key.pem")
    settings = f"tls {{ cert_file: {cert}, key_file: {key}, handshake_first: 300ms }}"
    server = own_nats_server(settings=settings, login={"ca": cert})
    client = Client.open(NatsContext("X", {"url": server.url, "ca": cert}, tls_first=True))
    assert client.api("INFO")
    client.close()


@pytest.mark.parametrize("fields", [{"user": "ann", "password": SECRET}, {"token": SECRET}, {}])
def test_nothing_secret_is_sent_where_a_server_does_not_encrypt(opened, fields):
    lines = []
    with fake_server(lambda _say, line, _payload: lines.append(line), info={"auth_required": True}) as port:
        said = refused(opened, f"tls://127.0.0.1:{port}", **fields)
    assert said == f"nats connection error: 127.0.0.1:{port}: nats: secure connection not available"
    assert SECRET not in str(lines)


def test_without_the_package(opened, monkeypatch):
    monkeypatch.setitem(sys.modules, "nats.aio.client", None)
    assert refused(opened, "nats://127.0.0.1:1") == (
        "NATS needs the Python package nats-py, which is not installed: install ccm-core[nats] with pip"
    )


def test_the_words_of_the_api(opened, nats):
    client = opened(nats)
    with pytest.raises(NotStored) as error:
        client.api("STREAM.INFO.NOPE")
    assert str(error.value) == "nats: API error: code=404 err_code=10059 description=stream not found"
    assert (error.value.code, error.value.err_code) == (404, 10059)
    with pytest.raises(NatsError, match=r"^nats: no response from stream$"):
        client.publish("no.stream", b"")
    with pytest.raises(NatsError, match="no responders available for request") as error:
        client.request("nobody.answers")
    assert error.value.code == 503
    client.api("STREAM.CREATE.S", STREAM)
    assert (client.publish("s.a", b"x", {"A": "b"}).stream, client.publish("s.b", b"x").sequence) == ("S", 2)
    with pytest.raises(NatsError, match=r"err_code=10060 description=expected stream does not match"):
        client.publish("s.a", b"x", {"Nats-Expected-Stream": "T"})


def test_a_server_without_jetstream(opened, own_nats_server):
    server = own_nats_server(jetstream=False)
    with pytest.raises(NatsError, match=rf"^nats: JetStream does not answer on 127.0.0.1:{server.port}: no responders"):
        opened(server).api("INFO")


def test_a_subject_that_is_forbidden(opened, own_nats_server):
    limited = '{user: a, password: b, permissions: {publish: {deny: ["$JS.API.STREAM.INFO.>"]}}}'
    settings = f"authorization {{ users: [ {limited}, {{user: t, password: t}} ] }}"
    client = opened(own_nats_server(settings=settings, login={"user": "t", "password": "t"}), user="a", password="b")
    with pytest.raises(NatsError, match=r'^nats: Permissions Violation for Publish to "\$JS.API.STREAM.INFO.S"$'):
        client.api("STREAM.INFO.S")
    assert client.api("INFO"), "other subjects are not forbidden"


@pytest.mark.parametrize(
    ("rights", "text"),
    [
        ('publish: {deny: ["$JS.FC.>"]}', 'nats: permissions violation for publish to "$js.fc.s.'),
        ('publish: {deny: ["s.>"]}', 'nats: Permissions Violation for Publish to "s.a"'),
        ('subscribe: {deny: ["_INBOX.>"]}', 'nats: permissions violation for subscription to "_inbox.'),
    ],
)
def test_a_right_that_is_missing_is_named(opened, own_nats_server, rights, text):
    """Flow control: what a stream with many bytes delivers stops without an answer to it."""
    users = f"{{user: a, password: b, permissions: {{{rights}}}}}, {{user: t, password: t}}"
    server = own_nats_server(settings=f"authorization {{ users: [ {users} ] }}", login={"user": "t", "password": "t"})
    connection = server.connection
    connection.api("STREAM.CREATE.s", {"name": "s", "subjects": ["s.>"]})
    for _ in range(40):
        connection.publish("s.many", bytes(128 * 1024))
    client = opened(server, user="a", password="b")
    with pytest.raises(NatsError) as error:
        client.publish("s.a", b"x")
        feed = client.follow("s", ["s.>"], "all", lasting=False)
        for _ in range(42):
            assert feed.read(PATIENCE) is not None
    assert str(error.value).startswith(text)
    assert error.value.advice == "the rights of this user on the server lack this subject, unless a name in it is wrong"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"{", "nats: the answer of JetStream is not a JSON object"),
        (b"[1]", "nats: the answer of JetStream is not a JSON object"),
        (b'{"error": 5}', "nats: API error: code=0 err_code=0 description="),
        (
            json.dumps({"error": {"code": "x", "description": "\x1b[31mred\n"}}).encode(),
            "nats: API error: code=0 err_code=0 description=\\x1b[31mred",
        ),
    ],
)
def test_answers_that_are_none(opened, content, text):
    server = fake_server(answering(lambda _subject, _payload: (b"", content)))
    with server as port, pytest.raises(NatsError) as error:
        opened(f"nats://127.0.0.1:{port}").api("INFO")
    assert str(error.value) == text


def test_a_server_that_does_not_answer(opened):
    with fake_server(silent) as port:
        client = opened(f"nats://127.0.0.1:{port}", timeout=0.3)
        with pytest.raises(NatsUnreachable) as error:
            client.api("INFO")
    assert str(error.value) == f"nats: timeout: 127.0.0.1:{port} did not answer within 0.3 s"


def test_a_server_that_never_ends_a_message(opened):
    def flood(say, line, _payload):
        if line.startswith(b"PUB"):
            say(b"MSG x 1 999999999999\r\n" + b"x" * (100 << 20))

    with fake_server(flood) as port, pytest.raises(NatsError, match="it sent a message that is too large"):
        opened(f"nats://127.0.0.1:{port}").api("INFO")


def test_a_server_that_is_killed(opened, own_nats_server):
    server = own_nats_server()
    client = opened(server)
    assert client.api("INFO")
    server.kill()
    with pytest.raises(NatsUnreachable, match=f"127.0.0.1:{server.port}"):
        client.api("INFO")
    server.start()
    assert client.api("INFO"), "it connects again"


def test_a_connection_that_is_cut_off_while_it_waits(opened):
    def cut(say, line, _payload):
        if line.startswith(b"PUB"):
            raise OSError

    with fake_server(cut) as port:
        client = opened(f"nats://127.0.0.1:{port}", timeout=3)
        with pytest.raises(NatsUnreachable):
            client.api("INFO")


@pytest.fixture(params=[{"allow_direct": True}, {}], ids=["direct", "without direct get"])
def stream(request, opened, nats):
    client = opened(nats)
    client.api("STREAM.CREATE.S", {**STREAM, **request.param})
    return client


def test_last_messages(stream):
    assert stream.last_per_subject("S", ["s.>"], 1 << 20) == []
    assert stream.last("S", "s.1", direct=True) is None
    assert stream.last("S", "s.1", direct=False) is None
    before = time.time_ns()
    for number in range(3):
        stream.publish(f"s.{number}", b"old")
        stream.publish(f"s.{number}", b"%d" % number, {"Name": "völue"})
    found = stream.last_per_subject("S", ["s.1", "s.2", "s.none"], 1 << 20)
    assert [(each.subject, each.payload, each.sequence) for each in found] == [("s.1", b"1", 4), ("s.2", b"2", 6)]
    assert found[0].headers["Name"] == "völue"
    assert abs(found[0].time - before) < 3600e9
    for direct in (True, False):
        one = stream.last("S", "s.1", direct=direct)
        assert (one.subject, one.payload, one.sequence, one.time) == ("s.1", b"1", 4, found[0].time)
        assert one.headers["Name"] == "völue"
    with pytest.raises(NatsError, match=r"^nats: stream S has more than 300 bytes of messages$"):
        stream.last_per_subject("S", ["s.>"], 300)


def test_more_messages_than_a_direct_get_returns(stream, nats):
    for number in range(2500):
        nats.connection.send(f"s.{number}", b"x" * 500)
    nats.connection.flush()
    wait_until(lambda: nats.connection.stream("S")["state"]["messages"] == 2500)
    found = stream.last_per_subject("S", ["s.>"], 1 << 22)
    assert [each.subject for each in found] == [f"s.{number}" for number in range(2500)]


def test_reading_a_stream_that_is_not_there(opened, nats):
    with pytest.raises(NotStored, match="description=stream not found"):
        opened(nats).last_per_subject("NOPE", ["s.>"], 1 << 20)


@pytest.mark.parametrize("deliver", ["new", "last_per_subject"])
def test_following(opened, nats, deliver):
    client = opened(nats)
    client.api("STREAM.CREATE.S", STREAM)
    client.publish("s.a", b"before")
    feed = client.follow("S", ["s.a", "s.b"], deliver)
    if deliver == "last_per_subject":
        assert feed.read(PATIENCE).payload == b"before"
    assert feed.read(0.01) is None
    client.publish("s.c", b"another")
    client.publish("s.b", b"1", {"A": "b"})
    found = feed.read(PATIENCE)
    assert (found.subject, found.payload, found.sequence, found.headers) == ("s.b", b"1", 3, {"A": "b"})
    threading.Timer(0.05, feed.close).start()
    assert list(feed) == []
    assert feed.read() is None


def test_following_tells_by_a_descriptor(opened, nats):
    import select

    client = opened(nats)
    client.api("STREAM.CREATE.S", STREAM)
    feed = client.follow("S", ["s.>"])
    assert select.select([feed.fileno()], [], [], 0)[0] == []
    client.publish("s.a", b"1")
    assert select.select([feed.fileno()], [], [], PATIENCE)[0]
    assert feed.read(0).payload == b"1"
    assert feed.read(0) is None
    assert select.select([feed.fileno()], [], [], 0)[0] == []


@pytest.mark.parametrize("deliver", ["new", "last_per_subject"])
def test_following_goes_on_after_the_server_was_away(opened, own_nats_server, deliver):
    server = own_nats_server()
    client = opened(server)
    client.api("STREAM.CREATE.S", STREAM)
    client.publish("s.a", b"0")
    feed = client.follow("S", ["s.>"], deliver)
    if deliver == "last_per_subject":
        assert feed.read(PATIENCE).payload == b"0"
    for number in range(3):
        server.kill()
        wait_until(lambda: feed.read(0) is None and feed.problem)
        server.start()
        server.connection.publish("s.a", b"missed %d" % number)
        found = None
        while found is None:
            found = feed.read(PATIENCE)
        assert found.payload == b"missed %d" % number
        wait_until(lambda: not feed.problem)
    assert feed.read(0) is None


def test_following_a_stream_that_is_made_again(opened, nats):
    client = opened(nats)
    client.api("STREAM.CREATE.S", STREAM)
    for _ in range(5):
        client.publish("s.a", b"0")
    feed = client.follow("S", ["s.>"])
    client.api("STREAM.DELETE.S")
    wait_until(lambda: feed.read(0) is None and feed.problem)
    client.api("STREAM.CREATE.S", STREAM)
    client.publish("s.a", b"of the new one")
    found = None
    while found is None:
        found = feed.read(PATIENCE)
    assert found.payload == b"of the new one"


def test_following_what_is_not_there(opened, nats):
    with pytest.raises(NotStored, match="stream not found"):
        opened(nats).follow("NOPE", ["s.>"])


def test_closing_leaves_no_thread_and_no_descriptor(nats):
    before = threading.active_count(), len(os.listdir("/proc/self/fd"))
    client = Client.open(NatsContext("X", {"url": nats.url}))
    client.api("STREAM.CREATE.S", STREAM)
    feed = client.follow("S", ["s.>"])
    feed.fileno()
    feed.close()
    client.close()
    client.close()
    assert (threading.active_count(), len(os.listdir("/proc/self/fd"))) == before


def test_closing_where_the_server_hangs(own_nats_server):
    import signal

    server = own_nats_server()
    client = Client.open(NatsContext("X", {"url": server.url}))
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        client.close()
    finally:
        os.kill(server.process.pid, signal.SIGCONT)


def test_an_answer_to_publishing_that_is_none(opened):
    with fake_server(answering(lambda _subject, _payload: (b"", b"{}"))) as port:
        client = opened(f"nats://127.0.0.1:{port}")
        with pytest.raises(NatsError, match=r"^nats: invalid jetstream publish response$"):
            client.publish("s.a", b"")


def test_a_call_that_takes_too_long():
    client = Client(NatsContext("X", {"url": "nats://127.0.0.1:1"}), timeout=0.01)
    try:
        with pytest.raises(NatsUnreachable, match=r"^nats: timeout: 127.0.0.1:1: no answer within 0.01 s$"):
            client._call(lambda: asyncio.sleep(PATIENCE), -2.0)
    finally:
        client.close()
