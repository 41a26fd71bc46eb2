# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to web servers: certificates, proxies, and who is told secrets."""

from __future__ import annotations

import contextlib
import datetime
import http.server
import ipaddress
import ssl
import threading
import time

import pytest
from ccm.host.errors import HostError
from ccm.host.web import Question


class Told(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked; /away leads to the other name of this machine."""

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
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Told)
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
    """A file with a certificate for 127.0.0.1, that signs itself, and its key."""
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "here")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
    signed = builder.add_extension(here, critical=False).sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("tls") / "here.pem"
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    path.write_bytes(
        signed.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, form, plain)
    )
    return str(path)


def answer(*arguments, **options):
    found = Question(*arguments, **options).ask(5)
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


def test_servers_that_want_to_know_who_asks(serve, certificate):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(certificate)
    url = f"https://127.0.0.1:{serve(context)}/x"
    assert answer(url, trusted=certificate, certificate=certificate, key=certificate)[0] == 200
    with pytest.raises(HostError):
        answer(url, trusted=certificate)


def test_a_proxy_is_told_the_whole_address(serve):
    proxy = f"http://127.0.0.1:{serve()}"
    assert answer("http://no.test/a?b=c", proxy=proxy) == (200, "http://no.test/a?b=c None")


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(serve, monkeypatch):
    port = serve()
    monkeypatch.setenv("http_proxy", f"127.0.0.1:{port}")
    assert answer("http://no.test/a")[1] == "http://no.test/a None"
    assert answer(f"http://127.0.0.1:{port}/a")[1] == "/a None"


def test_another_host_is_not_told_the_password(serve):
    port = serve()
    url = f"http://127.0.0.1:{port}"
    assert answer(f"{url}/a", username="ann", password="x")[1] == "/a Basic YW5uOng="
    assert answer(f"{url}/away", username="ann", password="x")[1] == "/there None"


def test_an_error_shows_no_password(serve):
    with pytest.raises(HostError, match="REDACTED") as caught:
        answer("http://ann:s3cret@127.0.0.1:1/")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["ftp://x/", "nonsense", "http://", "http://[x/"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(HostError):
        answer(url)


@pytest.mark.parametrize(
    ("lead", "part", "said"),
    [
        (b"", b"X-A: b\r\n", "exceeded while awaiting headers"),
        (b"Transfer-Encoding: chunked\r\n\r\n", b"0", "or context cancellation while reading body"),
        (b"\r\n", b"x", "or context cancellation while reading body"),
    ],
)
def test_an_answer_that_drips_is_waited_for_no_longer_than_was_said(serve, monkeypatch, lead, part, said):
    def drip(handler):
        try:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + lead)
            for _part in range(60):
                handler.wfile.write(part)
                time.sleep(0.05)
        except OSError:
            pass

    monkeypatch.setattr(Told, "do_GET", drip)
    before = time.monotonic()
    question = Question(f"http://127.0.0.1:{serve()}/")
    with (  # the second fails when it is the headers that drip
        pytest.raises(HostError, match=rf"context deadline exceeded \(Client.Timeout {said}\)$"),
        contextlib.closing(question.ask(0.4)) as answer,
    ):
        answer.body()
    assert time.monotonic() - before < 1.5
