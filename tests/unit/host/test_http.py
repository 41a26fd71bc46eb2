# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One GET request to servers on this host: headers, redirects, limits."""

from __future__ import annotations

import base64
import http.server
import re
import threading

import pytest
from ccm.host.http import HeaderError, HTTPError, HTTPStatusError, fetch, get, redact_url

from tests.unit.host.slow_answers import send_slowly

pytestmark = pytest.mark.needs("http")


def body_with(url, **options):
    with get(url, **options) as response:
        response.require_ok()
        return response.body()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.paths = {}

    @property
    def address(self):
        return f"127.0.0.1:{self.server_port}"

    def url(self, path="/"):
        return f"http://{self.address}{path}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append((self.path, dict(self.headers)))
        answer = self.server.paths.get(self.path)
        if answer is None:
            self.send_error(404, "File not found")
        elif isinstance(answer, bytes):
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
        else:
            answer(self)

    def log_message(self, *_arguments):
        pass


def redirect(location, status=302):
    def answer(handler):
        handler.send_response(status)
        handler.send_header("Location", location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def start():
    server = Server()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


def stop(server):
    server.shutdown()
    server.server_close()


@pytest.fixture
def server():
    running = start()
    yield running
    stop(running)


@pytest.fixture
def other():
    running = start()
    yield running
    stop(running)


def authorization(request):
    sent = request[1].get("Authorization")
    return base64.b64decode(sent.split()[1]).decode() if sent else None


def test_a_body_is_read_in_pieces(server):
    server.paths["/x"] = b"0123456789" * 1000
    with get(server.url("/x")) as response:
        assert (response.status, response.reason, response.length) == (200, "OK", 10_000)
        assert response.headers["content-LENGTH"] == "10000"
        first = response.read(100)
        assert 0 < len(first) <= 100
        assert first + response.body() == b"0123456789" * 1000
        assert response.read() == b""


def test_fetch_returns_the_body_or_the_status(server):
    server.paths["/x"] = b"text"
    assert fetch(server.url("/x")) == b"text"
    with pytest.raises(HTTPStatusError) as caught:
        fetch(server.url("/none"))
    assert (caught.value.status, caught.value.reason) == (404, "File not found")
    assert str(caught.value) == "HTTP request failed with status 404: 404 File not found"


def test_the_beginning_of_an_error_response_is_quoted(server):
    server.paths["/x"] = lambda handler: handler.send_error(404, "x" * 60_000)
    with pytest.raises(HTTPStatusError) as caught:
        fetch(server.url("/x"))
    assert caught.value.reason == "x" * 200
    server.paths["/y"] = lambda handler: handler.wfile.write(b"y" * 60_000 + b"\r\n")
    with pytest.raises(HTTPError) as caught:
        fetch(server.url("/y"))
    assert str(caught.value) == "y" * 200


def test_credentials_of_the_url_are_sent_and_never_shown(server):
    server.paths["/x"] = b""
    with get(f"http://ann%40x:s3c:ret@{server.address}/x") as response:
        assert response.url == f"http://REDACTED@{server.address}/x"
    assert authorization(server.requests[0]) == "ann@x:s3c:ret"
    with pytest.raises(HTTPStatusError) as caught:
        fetch(f"http://ann:s3cret@{server.address}/none")
    assert caught.value.url == f"http://REDACTED@{server.address}/none"


def test_given_credentials_override_those_of_the_url(server):
    server.paths["/x"] = b""
    body_with(f"http://ann:a@{server.address}/x", username="bob", password="b")
    assert authorization(server.requests[0]) == "bob:b"


def test_given_headers_are_sent(server):
    server.paths["/x"] = b""
    body_with(server.url("/x"), headers={"X-Token": "t0ken"})
    assert server.requests[0][1]["X-Token"] == "t0ken"
    assert "Authorization" not in server.requests[0][1]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_on_one_server_keep_secrets(server, status):
    server.paths["/a"] = redirect("/b", status)
    server.paths["/b"] = b"there"
    assert body_with(server.url("/a"), username="ann", password="x", headers={"X-Token": "t"}) == b"there"
    assert [authorization(request) for request in server.requests] == ["ann:x", "ann:x"]
    assert server.requests[1][1]["X-Token"] == "t"


def test_redirects_to_another_server_send_no_secrets(server, other):
    server.paths["/a"] = redirect(other.url("/b"))
    other.paths["/b"] = redirect(server.url("/c"))
    server.paths["/c"] = b"back"
    url = f"http://ann:s3cret@{server.address}/a"
    assert body_with(url, headers={"X-Token": "t"}) == b"back"
    assert authorization(server.requests[0]) == "ann:s3cret"
    for path, headers in [*other.requests, server.requests[1]]:
        assert not {"Authorization", "X-Token"} & set(headers), path


def test_credentials_in_a_redirect_are_sent_to_that_server(server, other):
    server.paths["/a"] = redirect(f"http://bob:b@{other.address}/b")
    other.paths["/b"] = b"x"
    fetch(server.url("/a"))
    assert authorization(other.requests[0]) == "bob:b"


def test_redirects_are_limited(server):
    server.paths["/a"] = redirect("/a")
    with pytest.raises(HTTPError, match="stopped after 10 redirects"):
        get(server.url("/a"))
    assert len(server.requests) == 11


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://h/x", "http://[x/"])
def test_redirects_must_lead_to_web_servers(server, location):
    server.paths["/a"] = redirect(location)
    with pytest.raises(HTTPError):
        get(server.url("/a"))


def test_a_body_with_a_too_large_length_is_not_read(server):
    server.paths["/x"] = b"x" * 101
    with pytest.raises(HTTPError, match="101 bytes is larger than 100 bytes"):
        get(server.url("/x"), limit=100)
    assert len(fetch(server.url("/x"), limit=101)) == 101


def test_a_body_without_length_is_read_up_to_the_limit(server):
    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        try:
            for _part in range(1000):
                handler.wfile.write(b"x" * 10_000)
        except OSError:
            pass

    server.paths["/x"] = endless
    with pytest.raises(HTTPError, match="larger than 50000 bytes"):
        fetch(server.url("/x"), limit=50_000)


def test_a_connection_that_ends_early_is_an_error(server):
    def short(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "10")
        handler.end_headers()
        handler.wfile.write(b"12345")

    server.paths["/x"] = short
    with pytest.raises(HTTPError, match="closed after 5 of 10 bytes"):
        fetch(server.url("/x"))


def test_the_deadline_includes_the_whole_body(server):
    server.paths["/x"] = lambda handler: send_slowly(handler, b"HTTP/1.1 200 OK\r\n\r\n", b"x")
    with pytest.raises(HTTPError, match="too long"):
        fetch(server.url("/x"), timeout=0.3)


@pytest.mark.parametrize(
    ("lead", "part"),
    [
        (b"", b"H"),
        (b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"X-A: b\r\n"),
    ],
)
def test_the_deadline_includes_headers(server, lead, part):
    server.paths["/x"] = lambda handler: send_slowly(handler, lead, part)
    with pytest.raises(HTTPError, match=r"too long|in time"):
        fetch(server.url("/x"), timeout=0.4)


@pytest.mark.parametrize(
    ("lengths", "text"),
    [
        (["2", "3"], "the server announced more than one length"),
        (["soon"], 'bad Content-Length "soon"'),
        (["-1"], 'bad Content-Length "-1"'),
        (["+2"], 'bad Content-Length "+2"'),
        ([""], 'bad Content-Length ""'),
        (["9" * 30], f'bad Content-Length "{"9" * 30}"'),
        (["2", "2"], ""),
    ],
)
def test_invalid_or_different_lengths_are_refused(server, lengths, text):
    def answer(handler):
        handler.send_response(200)
        for length in lengths:
            handler.send_header("Content-Length", length)
        handler.end_headers()
        handler.wfile.write(b"ok")

    server.paths["/x"] = answer
    if text:
        with pytest.raises(HTTPError, match=re.escape(text)):
            fetch(server.url("/x"))
    else:
        assert fetch(server.url("/x")) == b"ok"


@pytest.mark.parametrize("answer", [b"HTTP/1.1 404 N\x1b[31mo\x9b\r\n\r\n", b"\x1b[31mgarbage\x07\r\n\r\n"])
def test_terminal_escapes_of_a_server_are_quoted(server, answer):
    server.paths["/x"] = lambda handler: handler.wfile.write(answer)
    with pytest.raises(HTTPError) as caught:
        fetch(server.url("/x"))
    assert str(caught.value).isprintable()
    assert "\\x1b[31m" in str(caught.value)


def test_a_chunk_that_ends_early_has_a_message(server):
    def short(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc")

    server.paths["/x"] = short
    with pytest.raises(HTTPError, match=r"^the connection was closed before the end$"):
        fetch(server.url("/x"))


def test_header_values_that_are_not_ascii_are_sent_unchanged(server):
    server.paths["/x"] = b"ok"
    assert body_with(server.url("/x"), headers={"X-Who": "Jürgen→"}) == b"ok"
    assert server.requests[0][1]["X-Who"].encode("latin-1").decode() == "Jürgen→"


@pytest.mark.parametrize(("name", "value"), [("X", "s3cret\n"), ("X", "s3cret\0"), ("X", "s3cret\udfff\ud800")])
def test_an_invalid_header_is_named_without_its_value(server, name, value):
    with pytest.raises(HeaderError, match=r'^invalid header field value for "X"$'):
        body_with(server.url("/x"), headers={name: value})
    assert server.requests == []


def test_a_server_without_a_response_times_out(server):
    server.paths["/x"] = lambda handler: send_slowly(handler, b"")
    with pytest.raises(HTTPError, match="did not answer in time"):
        fetch(server.url("/x"), timeout=0.2)


def test_a_refused_connection_has_a_message(server):
    address = server.address
    stop(server)
    with pytest.raises(HTTPError) as caught:
        get(f"http://ann:s3cret@{address}/x")
    assert str(caught.value) == "Connection refused"
    assert "s3cret" not in caught.value.url


def test_a_response_that_is_not_http_is_an_error(server):
    def send_invalid_response(handler):
        handler.wfile.write(b"220 welcome\r\n")

    server.paths["/x"] = send_invalid_response
    with pytest.raises(HTTPError):
        get(server.url("/x"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("ftp://h/x", 'URL scheme must be http or https, got "ftp"'),
        ("/x", 'URL scheme must be http or https, got ""'),
        ("http:///x", "invalid URL: no host"),
        ("http://[x/", "invalid URL: Invalid IPv6 URL"),
        ("http://h:99999/", "invalid URL: Port out of range 0-65535"),
    ],
)
def test_invalid_urls(url, message):
    with pytest.raises(HTTPError) as caught:
        get(url)
    assert str(caught.value) == message


@pytest.mark.parametrize("header", [{"X": "a\r\nY: b"}, {"X\n": "a"}])
def test_headers_cannot_contain_further_headers(server, header):
    server.paths["/x"] = b""
    with pytest.raises(HTTPError):
        get(server.url("/x"), headers=header)
    assert server.requests == []


def test_blanks_and_letters_in_a_path_are_escaped(server):
    server.paths["/a%20b/%C3%BC?q=%20%3C"] = b"yes"
    assert fetch(server.url("/a b/ü?q=%20<")) == b"yes"


def test_a_proxy_is_used_only_for_other_hosts(server, other, monkeypatch):
    monkeypatch.setenv("http_proxy", other.url())
    monkeypatch.delenv("no_proxy", raising=False)
    server.paths["/x"] = b"direct"
    other.paths["http://ccm.invalid/x"] = b"by proxy"
    assert fetch(server.url("/x")) == b"direct"
    assert fetch("http://ccm.invalid/x") == b"by proxy"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://a:b@h/x", "http://REDACTED@h/x"),
        ("https://tok@h:8080/x?y=a@b#z", "https://REDACTED@h:8080/x?y=a@b#z"),
        ("http://a:p@q@h", "http://REDACTED@h"),
        ("http://h/a@b", "http://h/a@b"),
        ("http://h?a@b", "http://h?a@b"),
        ("http://h:80/a@b", "http://h:80/a@b"),
        ("http://u:p#q@h/x", "http://REDACTED@h/x"),
        ("http://u:p/q?@h/x", "http://REDACTED@h/x"),
        ("kv://u:p@bucket/key", "kv://REDACTED@bucket/key"),
        ("/etc/a@b", "/etc/a@b"),
        ("", ""),
        ("http://u:12/a@host/x", "http://REDACTED@host/x"),
        ("http://h:12/a@b", "http://h:12/a@b"),
        ("http://h.example:12/a@b/x", "http://h.example:12/a@b/x"),
    ],
)
def test_redact_url(url, expected):
    assert redact_url(url) == expected
