# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to web servers: certificates, proxies, and receivers of secrets."""

from __future__ import annotations

import contextlib
import datetime
import http.server
import ipaddress
import os
import ssl
import threading

import pytest
from ccm.host import http_probe
from ccm.host.errors import HostError
from ccm.host.http_probe import Request

from tests.unit.host.slow_answers import send_slowly


class RequestRecorder(http.server.BaseHTTPRequestHandler):
    """A handler that returns the request that it received; /away redirects to the other name of this host."""

    def do_GET(self):
        away = self.path == "/away"
        self.send_response(302 if away else 200)
        if away:
            self.send_header("Location", f"http://localhost:{self.server.server_port}/there")
        body = f"{self.path} {self.headers.get('Authorization')}".encode()
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def serve():
    servers = []

    def start(context=None):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), RequestRecorder)
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return server.server_port

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a self-signed certificate for 127.0.0.1 and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "first_url")])
    now = datetime.datetime.now(datetime.UTC)
    first_url = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
    signed = builder.add_extension(first_url, critical=False).sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("tls") / "here.pem"
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(
        signed.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, form, plain)
    )
    return str(path)


def answer(*arguments, **options):
    found = Request(*arguments, **options).send(5)
    try:
        return found.status, found.body().decode()
    finally:
        found.close()


def test_certificates(serve, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    url = f"https://127.0.0.1:{serve(context)}/x"
    with pytest.raises(HostError, match="certificate"):
        answer(url)
    assert answer(url, trusted=certificate) == (200, "/x None")
    assert answer(url, insecure=True) == (200, "/x None")
    with pytest.raises(HostError, match="no such file"):
        answer(url, trusted="/nowhere.pem")


def test_servers_that_require_a_client_certificate(serve, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificate)
    url = f"https://127.0.0.1:{serve(context)}/x"
    assert answer(url, trusted=certificate, certificate=certificate, key=certificate)[0] == 200
    with pytest.raises(HostError):
        answer(url, trusted=certificate)


def test_a_proxy_receives_the_whole_url(serve):
    proxy = f"http://127.0.0.1:{serve()}"
    assert answer("http://no.test/a?b=c", proxy=proxy) == (200, "http://no.test/a?b=c None")


def test_a_proxy_of_the_environment_is_not_used_for_this_host(serve, monkeypatch):
    port = serve()
    monkeypatch.setenv("http_proxy", f"127.0.0.1:{port}")
    assert answer("http://no.test/a")[1] == "http://no.test/a None"
    assert answer(f"http://127.0.0.1:{port}/a")[1] == "/a None"


def test_another_host_does_not_receive_the_password(serve):
    port = serve()
    url = f"http://127.0.0.1:{port}"
    assert answer(f"{url}/a", username="ann", password="x")[1] == "/a Basic YW5uOng="
    assert answer(f"{url}/away", username="ann", password="x")[1] == "/there None"


def test_an_error_hides_the_password(serve):
    with pytest.raises(HostError, match="REDACTED") as caught:
        answer("http://ann:s3cret@127.0.0.1:1/")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://x/", "nonsense", "http://", "http://[x/", "http://s3:s3\u2100@h/"])
def test_an_invalid_url_is_refused(url):
    with pytest.raises(HostError) as caught:
        answer(url)
    assert "s3" not in str(caught.value)


@pytest.mark.parametrize(
    ("lead", "part", "message"),
    [
        (b"", b"X-A: b\r\n", "exceeded while awaiting headers"),
        (b"Transfer-Encoding: chunked\r\n\r\n", b"0", "or context cancellation while reading body"),
        (b"\r\n", b"x", "or context cancellation while reading body"),
    ],
)
def test_a_slow_response_ends_at_the_timeout(serve, monkeypatch, lead, part, message):
    monkeypatch.setattr(
        RequestRecorder, "do_GET", lambda handler: send_slowly(handler, b"HTTP/1.1 200 OK\r\n" + lead, part)
    )
    question = Request(f"http://127.0.0.1:{serve()}/")
    with (  # in the second case, the headers are slow
        pytest.raises(HostError, match=rf"context deadline exceeded \(Client.Timeout {message}\)$"),
        contextlib.closing(question.send(0.4)) as answer,
    ):
        answer.body()


def respond(monkeypatch, *lines):
    """Make the server respond with these bytes only."""

    def respond(handler):
        with contextlib.suppress(OSError):
            handler.wfile.write(b"".join(lines))
            handler.wfile.flush()
        handler.close_connection = True

    monkeypatch.setattr(RequestRecorder, "do_GET", respond)


@pytest.mark.parametrize(
    ("location", "message"),
    [
        (b"http://[::1", "the address cannot be read"),
        (b"http://h:port/", "the address cannot be read"),
        (b"http://h:99999999/", "the address cannot be read"),
        (b"file:///etc/shadow", 'unsupported protocol scheme "file"'),
        (b"http://\x1b[2J" + b"x" * 9000, "the address cannot be read"),
    ],
)
def test_a_redirect_without_a_url_is_refused(serve, monkeypatch, location, message):
    respond(monkeypatch, b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\n\r\n")
    with pytest.raises(HostError, match=message) as caught:
        answer(f"http://127.0.0.1:{serve()}/")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_the_beginning_of_a_response_is_quoted_without_terminal_escapes(serve, monkeypatch):
    respond(monkeypatch, b"HTTP/1.1 \x1b[2J\x1b]0;pwn\x07" + b"junk" * 5000 + b"\r\n\r\n")
    with pytest.raises(HostError, match=r"HTTP/1.1 \\x1b\[2J\\x1b\]0;pwn\\x07") as caught:
        answer(f"http://127.0.0.1:{serve()}/")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


def test_an_endless_body_is_refused(serve, monkeypatch):
    monkeypatch.setattr(http_probe, "LARGEST", 2 << 20)
    respond(monkeypatch, b"HTTP/1.1 200 OK\r\n\r\n", b"x" * (3 << 20))
    with pytest.raises(HostError, match="the body is larger than 2 MiB"):
        answer(f"http://127.0.0.1:{serve()}/")


def test_given_headers_are_sent_only_to_their_server_and_public_ones_to_all(serve, monkeypatch):
    def record_headers(handler):
        host = {"/away": "localhost", "/near": "127.0.0.1"}.get(handler.path)
        handler.send_response(307 if host else 200)
        if host:
            handler.send_header("Location", f"http://{host}:{handler.server.server_port}/there")
        handler.end_headers()
        handler.wfile.write(f"{handler.headers['X-Token']} {handler.headers['User-Agent']}".encode())

    monkeypatch.setattr(RequestRecorder, "do_GET", record_headers)
    url = f"http://127.0.0.1:{serve()}"
    options = {"headers": [("X-Token", "tok3n")], "public": {"User-Agent": "goss/"}}
    assert answer(f"{url}/away", **options)[1] == "None goss/"
    assert answer(f"{url}/near", **options)[1] == "tok3n goss/"
    assert answer(f"{url}/x", headers=[("user-agent", "mine")], public={"User-Agent": "goss/"})[1] == "None mine"


@pytest.mark.parametrize(
    ("first_url", "second_url", "same"),
    [
        ("http://a/", "http://a:80/x", True),
        ("http://a/", "https://a/", True),
        ("https://a/", "http://a/", False),
        ("http://a/", "http://a:8080/", False),
        ("http://a/", "http://b/", False),
    ],
)
def test_urls_of_one_server(first_url, second_url, same):
    question = Request(first_url, headers=[("X-Token", "tok3n")])
    assert question._turn(302, first_url, second_url) == second_url
    assert bool(question.headers) == same


@pytest.mark.parametrize(
    "header", [("X-A", "tok3n\r\nX-B: c"), ("X-A", "tok3n\0"), ("X-A", "tok3n\ud800"), ("", "tok3n"), ("X:A", "tok3n")]
)
def test_an_invalid_header_is_refused_without_its_value(serve, header):
    with pytest.raises(HostError, match="invalid header field") as caught:
        answer(f"http://127.0.0.1:{serve()}/", headers=[header])
    assert "tok3n" not in str(caught.value)


def test_credentials_of_a_url_are_sent_decoded_and_not_to_a_proxy(serve):
    port = serve()
    assert answer(f"http://an%40n:a%2Fb@127.0.0.1:{port}/x")[1] == "/x Basic YW5AbjphL2I="
    proxy = f"http://127.0.0.1:{port}"
    assert answer("http://ann:x@no.test/a", proxy=proxy)[1] == "http://no.test/a Basic YW5uOng="


def test_a_proxy_receives_its_own_password(serve, monkeypatch):
    def record_headers(handler):
        requests.append(handler.headers["Proxy-Authorization"])
        handler.send_response(407)
        handler.end_headers()
        handler.wfile.write(f"{handler.headers['Proxy-Authorization']} {handler.headers['Authorization']}".encode())

    requests = []
    monkeypatch.setattr(RequestRecorder, "do_GET", record_headers)
    monkeypatch.setattr(RequestRecorder, "do_CONNECT", record_headers, raising=False)
    proxy = f"http://ann:a%2Fb@127.0.0.1:{serve()}"
    assert answer("http://no.test/", proxy=proxy)[1] == "Basic YW5uOmEvYg== None"
    with pytest.raises(HostError, match="407"):
        answer("https://no.test/", proxy=proxy)
    assert requests == ["Basic YW5uOmEvYg=="] * 2


@pytest.mark.parametrize("option", ["trusted", "certificate", "key"])
def test_a_slow_tls_handshake_ends_at_the_timeout(option, certificate, tmp_path):
    fifo, large = tmp_path / "fifo", tmp_path / "large"
    os.mkfifo(fifo)
    with large.open("wb") as file:
        file.truncate(5 << 20)
    given = {"trusted": certificate, "certificate": certificate, "key": certificate}
    for path, message in (
        (fifo, "is not a regular file"),
        (large, "is larger than 4 MiB"),
        ("/dev/zero", "not a regular"),
    ):
        with pytest.raises(HostError, match=message):
            answer("https://127.0.0.1:1/", **{**given, option: str(path)})


def test_an_encrypted_key_is_refused_without_a_prompt(certificate, tmp_path):
    from cryptography.hazmat.primitives import serialization

    with open(certificate, "rb") as file:
        key = serialization.load_pem_private_key(file.read(), None)
    form = serialization.PrivateFormat.PKCS8
    locked = tmp_path / "locked.pem"
    lock = serialization.BestAvailableEncryption(b"hidden")
    locked.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, lock))
    message = f"^{certificate} and {locked} cannot be used: they do not belong together, or the key has a password$"
    with pytest.raises(HostError, match=message):
        answer("https://127.0.0.1:1/", certificate=certificate, key=str(locked))


def test_an_incomplete_response_is_an_error(serve, monkeypatch):
    def send_part(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"abc")

    monkeypatch.setattr(RequestRecorder, "do_GET", send_part)
    with pytest.raises(HostError, match="unexpected EOF"):
        answer(f"http://127.0.0.1:{serve()}/")
