# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fetching over HTTP(S): one GET with authentication, redirects, a deadline, a size limit and a streaming read."""

from __future__ import annotations

from binascii import b2a_base64
from http.client import HTTPException, IncompleteRead
from time import monotonic
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import AbstractHTTPHandler, HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

from .deadlines import response_until
from .errors import HostError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from email.message import Message
    from http.client import HTTPConnection, HTTPResponse
    from typing import Any, Callable, Iterator, Mapping

    Connecting = Callable[..., HTTPConnection]

#: The most redirects that are followed, as in Go's client.
MAX_REDIRECTS = 10
#: Bytes that are read from the network at a time by default.
CHUNK = 1 << 16

# The most characters of a server's text in an error.
_LONGEST_SHOWN = 200
_REDIRECTS = (301, 302, 303, 307, 308)
_AGENT = "ccm"
# The characters of names of headers (RFC 9110, token).
_NAME = set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


class HTTPError(HostError):
    """A request without a usable response. `url` is its address, without credentials."""

    def __init__(self, text: str, url: str = "") -> None:
        super().__init__(printable(text))
        self.url = url


class HeaderError(HTTPError):
    """A header cannot be sent. No request was sent; the text names the header and never its value."""


class HTTPStatusError(HTTPError):
    """A response other than 200. `status` is its number, `reason` the server's text next to it."""

    def __init__(self, status: int, reason: str, url: str = "") -> None:
        super().__init__(f"HTTP request failed with status {status}: {status} {reason}".rstrip(), url)
        self.status = status
        self.reason = reason


def printable(text: str) -> str:
    """Return a server's text, on one line and without terminal control characters."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def redact_url(url: str) -> str:
    """Return `url` with user name and password replaced: `https://REDACTED@host/path`; other text as it is."""
    scheme, separator, rest = url.partition("://")
    at = _end_of_user(rest)
    return f"{scheme}://REDACTED{rest[at:]}" if separator and at >= 0 else url


def _end_of_user(rest: str) -> int:
    """Return the position of the `@` of user and password after `://`, -1 without any.

    A password may contain a `/`, `?` or `#` by mistake: it does when the text after a colon is not a port, and when a
    host seems to follow an `@` but the text before the colon can only be a user, without a dot.
    """
    end = min((place for place in map(rest.find, "/?#") if place >= 0), default=len(rest))
    name, colon, port = rest[:end].partition(":")
    if "@" not in rest[:end] and colon:
        host, path, _rest = rest.rpartition("@")[2].partition("/")
        is_host = host.count(".") == 3 or (host[:1].isalpha() and (path or "." in host))
        is_user = "." not in name and name not in ("", "localhost") and is_host
        if is_user or not port.isdigit():
            end = len(rest)
    return rest.rfind("@", 0, end)


class Response:
    """A response whose body is read as it comes; a context manager that closes the connection.

    `status` and `reason` are the server's, `headers` a mapping that ignores case, `url` the redacted address of the
    final response, `length` the announced size in bytes or None.
    """

    def __init__(self, raw: HTTPResponse, url: str, deadline: float, limit: int | None) -> None:
        self._raw = raw
        self._deadline = deadline
        self._limit = limit
        self._received = 0
        self.status: int = raw.status
        self.reason: str = (raw.reason or "")[:_LONGEST_SHOWN]
        self.headers: Message = raw.headers
        self.url = url
        self.length: int | None = raw.length
        fault = _fault_of_length(raw)
        if fault:
            raw.close()
            raise HTTPError(fault, url)
        if limit is not None and self.length is not None and self.length > limit:
            raw.close()
            raise HTTPError(f"response of {self.length} bytes is larger than {limit} bytes", url)

    def require_ok(self) -> None:
        """Close the connection and raise HTTPStatusError unless the answer is a 200."""
        if self.status != 200:
            self.close()
            raise HTTPStatusError(self.status, self.reason, self.url)

    def read(self, size: int = CHUNK) -> bytes:
        """Return up to `size` bytes, b"" at the end.

        Raises HTTPError when the connection fails or ends before the announced length, when the deadline has
        passed, and when the body is larger than the limit given to `get`.
        """
        left = self._deadline - monotonic()
        if left <= 0:
            raise HTTPError("the response took too long", self.url)
        try:
            data = self._raw.read1(size)
        except (OSError, HTTPException, ValueError) as error:
            late = monotonic() >= self._deadline
            raise HTTPError("the response took too long" if late else _why(error), self.url) from None
        self._received += len(data)
        if self._limit is not None and self._received > self._limit:
            raise HTTPError(f"response is larger than {self._limit} bytes", self.url)
        if not data and size and self.length is not None and self._received < self.length:
            raise HTTPError(f"connection closed after {self._received} of {self.length} bytes", self.url)
        return data

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """Yield the rest of the body in pieces of at most `size` bytes; raises as `read` does."""
        while True:
            data = self.read(size)
            if not data:
                return
            yield data

    def body(self) -> bytes:
        """Return the rest of the body at once; raises as `read` does."""
        return b"".join(self.chunks())

    def close(self) -> None:
        """Close the connection, read to its end or not."""
        self._raw.close()

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def get(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    public: Mapping[str, str] | None = None,
    username: str | None = None,
    password: str | None = None,
    timeout: float = 60,
    limit: int | None = None,
) -> Response:
    """GET `url` and return the response with any status, with the body still to be read.

    `headers` are sent; `username` and `password`, or else those in the URL, as basic authentication. Neither is sent to
    another server after a redirect (the same host over https is the same server), `public` headers are. `timeout` is in
    seconds, for the whole request, the reading included. `limit` is the largest body in bytes that `read` accepts.
    Proxies come from the environment (`http_proxy`, `https_proxy`, `no_proxy`); none is used for this machine. Values
    of headers are sent in UTF-8, as Go's client does. Raises HeaderError; HTTPError: no http(s) URL, no connection, no
    HTTP, too many redirects, deadline, size.
    """
    deadline = monotonic() + timeout
    target = _Target(url)
    auth = _basic(username, password or "") if username else None
    given = sendable(headers or {})
    for _redirect in range(MAX_REDIRECTS + 1):
        raw = _send(target, {**_auth(target, auth), **given, **(public or {})}, deadline)
        location = raw.headers.get("Location") if raw.status in _REDIRECTS else None
        if not location:
            return Response(raw, target.shown, deadline, limit)
        raw.close()
        following = target.following(location)
        if not following.may_know_secrets_of(target):
            given, auth = {}, None
        target = following
    raise HTTPError(f"stopped after {MAX_REDIRECTS} redirects", redact_url(url))


def fetch(url: str, *, timeout: float = 60, limit: int | None = None) -> bytes:
    """GET `url` and return the whole body; see `get`. Raises HTTPStatusError unless it is a 200."""
    with get(url, timeout=timeout, limit=limit) as response:
        response.require_ok()
        return response.body()


class _Target:
    """One address on the way: what to request, what to show, which servers may get secrets."""

    def __init__(self, url: str) -> None:
        self.shown = redact_url(url)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError as error:
            # An unreadable part may belong to the password.
            reason = error if self.shown == url else "the address cannot be read"
            raise HTTPError(f"invalid URL: {reason}", self.shown) from None
        self.scheme = parts.scheme
        if self.scheme not in ("http", "https"):
            raise HTTPError(f'URL scheme must be http or https, got "{self.scheme}"', self.shown)
        if not host:
            raise HTTPError("invalid URL: no host", self.shown)
        self.host = host
        self.port = port or (443 if self.scheme == "https" else 80)
        user, at, address = parts.netloc.rpartition("@")
        name, _colon, word = user.partition(":")
        self.auth = _basic(unquote(name), unquote(word)) if at else None
        # Unescaped characters (blanks, letters beyond ASCII) are escaped; escaped ones stay.
        path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
        query = quote(parts.query, safe="/%:@!$&'()*+,;=~-._?")
        self.url = urlunsplit((self.scheme, address, path, query, ""))

    def following(self, location: str) -> _Target:
        """Return the address that a redirect from here names."""
        try:
            return _Target(urljoin(self.url, location))
        except ValueError as error:
            raise HTTPError(f"invalid redirect: {error}", self.shown) from None

    def may_know_secrets_of(self, other: _Target) -> bool:
        """Return whether this is the server of the request before, or the same host over https."""
        if self.host != other.host:
            return False
        same = (self.scheme, self.port) == (other.scheme, other.port)
        return same or (self.scheme, self.port, other.scheme, other.port) == ("https", 443, "http", 80)


def _basic(username: str, password: str) -> str:
    return "Basic " + b2a_base64(f"{username}:{password}".encode("utf-8", "surrogateescape"), newline=False).decode()


def _auth(target: _Target, given: str | None) -> dict[str, str]:
    value = given or target.auth
    return {"Authorization": value} if value else {}


def sendable(headers: Mapping[str, str]) -> dict[str, bytes]:
    """Return the headers as they are sent. Raises HeaderError for an invalid one, or more than one."""
    found: dict[str, bytes] = {}
    for name, value in headers.items():
        if not name or not _NAME.issuperset(name):
            raise HeaderError(f'invalid header field name "{name}"')
        if any(sign != "\t" and (sign < " " or sign == "\x7f") for sign in value):
            raise HeaderError(f'invalid header field value for "{name}"')
        try:
            found[name] = value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise HeaderError(f'invalid header field value for "{name}"') from None
    return found


def _fault_of_length(raw: HTTPResponse) -> str:
    """Return the error in the announced lengths, which Go's client refuses too."""
    if raw.chunked:
        return ""
    announced = [text.strip() for text in raw.headers.get_all("Content-Length", [])]
    if len(set(announced)) > 1:
        return "the server announced more than one length"
    if announced and not (announced[0].isascii() and announced[0].isdigit() and int(announced[0]) < 1 << 63):
        return f'bad Content-Length "{announced[0][:40]}"'
    return ""


def _send(target: _Target, headers: Mapping[str, Any], deadline: float) -> HTTPResponse:
    seconds = deadline - monotonic()
    if seconds <= 0:
        raise HTTPError("the request took too long", target.shown)
    opener = OpenerDirector()
    opener.addheaders = [("User-Agent", _AGENT)]
    handlers = _handlers(deadline)
    for handler in handlers if _is_loopback(target.host) else [ProxyHandler(), *handlers]:
        opener.add_handler(handler)
    try:
        response: HTTPResponse = opener.open(Request(target.url, headers=dict(headers)), timeout=seconds)
    except (OSError, HTTPException, ValueError) as error:
        raise HTTPError(_why(error), target.shown) from None
    return response


def _handlers(deadline: float) -> list[AbstractHTTPHandler]:
    """Return the opener whose connections are read until the deadline."""

    class Until(AbstractHTTPHandler):
        def do_open(self, http_class: Connecting, req: Request, **options: Any) -> HTTPResponse:
            def connection(host: str, **more: Any) -> HTTPConnection:
                made = http_class(host, **more)
                response_until(made, deadline)
                return made

            return super().do_open(connection, req, **options)

    class Plain(Until, HTTPHandler):
        pass

    class Secure(Until, HTTPSHandler):
        pass

    return [Plain(), Secure()]


def _is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or (host.startswith("127.") and host.replace(".", "").isdigit())


def _why(error: Exception) -> str:
    """Return the error in words: the cause inside urllib's exception, without numbers and class names."""
    reason = getattr(error, "reason", None)
    if isinstance(reason, Exception):
        error = reason
    if isinstance(error, IncompleteRead):
        return "the connection was closed before the end"
    if isinstance(error, TimeoutError) or "timed out" in str(error):
        return "the server did not answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)[:_LONGEST_SHOWN] or type(error).__name__
