# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Asking a web server as a health check does: any method, headers and body, any answer is one (features.md 13)."""

from __future__ import annotations

import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from .deadlines import answer_until
from .errors import HostError
from .http import MAX_REDIRECTS, redact_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

_REDIRECTS = (301, 302, 303, 307, 308)
_SAME_METHOD = (307, 308)
_SAFE = "/%:@!$&'()*+,;=~-._?"
_CHUNK = 1 << 16


class Answer:
    """A server's answer: `status`, `headers` as sorted `Name: value` lines, and a body that is read when asked for."""

    def __init__(self, connection: HTTPConnection, raw: HTTPResponse) -> None:
        self._connection = connection
        self._raw = raw
        self.status: int = raw.status
        self.headers = sorted(
            f"{_canonical(name)}: {value}"
            for name, value in raw.headers.items()
            if name.lower() not in ("transfer-encoding", "trailer")
        )

    def body(self) -> bytes:
        """All of the body. Raises HostError when it does not come whole and in time."""
        parts: list[bytes] = []
        try:
            while True:
                part = self._raw.read1(_CHUNK)
                if not part:
                    return b"".join(parts)
                parts.append(part)
        except (OSError, HTTPException, ValueError) as error:
            raise _refused("", error, "or context cancellation while reading body") from None

    def close(self) -> None:
        """Give the connection up, read to its end or not."""
        self._raw.close()
        self._connection.close()


class Question:
    """What to ask a server. Raises HostError for an address that is none, and for certificates that cannot be read.

    `headers` are pairs, `body` is text; `follow` says whether redirects are followed. `trusted` is a file of
    certificates that are trusted in place of the machine's, `insecure` trusts any; `certificate` and `key` are files
    that say who we are. `proxy` is the address of a proxy in place of the environment's.
    """

    def __init__(
        self,
        url: str,
        *,
        method: str = "",
        headers: list[tuple[str, str]] | None = None,
        body: str = "",
        follow: bool = True,
        username: str = "",
        password: str = "",
        trusted: str = "",
        insecure: bool = False,
        certificate: str = "",
        key: str = "",
        proxy: str = "",
    ) -> None:
        self.url = url
        self.method = method or "GET"
        self.headers = list(headers or [])
        self.body = body.encode("utf-8", "surrogateescape")
        self.follow = follow
        self._proxy = proxy
        self._tls = (trusted, insecure, certificate, key)
        if username or password:
            self.headers = [*self._without("authorization"), ("Authorization", _basic(username, password))]

    def _without(self, name: str) -> list[tuple[str, str]]:
        return [pair for pair in self.headers if pair[0].lower() != name]

    def ask(self, seconds: float) -> Answer:
        """The answer, at the end of redirects. Raises HostError."""
        deadline = time.monotonic() + seconds
        url = location = self.url
        for _redirect in range(MAX_REDIRECTS):
            connection = None
            try:
                connection, path = self._connection(_split(url), max(deadline - time.monotonic(), 0.001))
                answer_until(connection, deadline)
                raw = self._send(connection, path, _split(url))
            except (OSError, HTTPException, ValueError) as error:
                if connection:
                    connection.close()
                raise _refused(self._lead(url), error, "exceeded while awaiting headers") from None
            answer = Answer(connection, raw)
            location = raw.headers.get("Location") or ""
            if not (self.follow and raw.status in _REDIRECTS and location):
                return answer
            answer.close()
            self._turn(raw.status, urlsplit(url), urlsplit(urljoin(url, location)))
            url = urljoin(url, location)
        raise HostError(f"{self._lead(location)}stopped after {MAX_REDIRECTS} redirects")

    def _lead(self, url: str) -> str:
        return f'{self.method[:1].upper()}{self.method[1:].lower()} "{redact_url(url)}": '

    def _turn(self, status: int, here: SplitResult, there: SplitResult) -> None:
        """Become the question that a redirect leads to; secrets stay with the host that they were meant for."""
        if status not in _SAME_METHOD and self.method != "HEAD":
            self.method, self.body = "GET", b""
        if here.hostname != there.hostname:
            self.headers = [pair for pair in self.headers if pair[0].lower() not in ("authorization", "cookie")]

    def _send(self, connection: HTTPConnection, path: str, target: SplitResult) -> HTTPResponse:
        connection.putrequest(self.method, path, skip_host=True, skip_accept_encoding=True)
        given = {name.lower() for name, _value in self.headers}
        if "host" not in given:
            connection.putheader("Host", target.netloc.rpartition("@")[2])
        if target.username and "authorization" not in given:
            connection.putheader("Authorization", _basic(target.username, target.password or ""))
        for name, value in self.headers:
            connection.putheader(name, value)
        if self.body or self.method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(self.body)))
        connection.putheader("Connection", "close")
        connection.endheaders(self.body or None)
        return connection.getresponse()

    def _connection(self, target: SplitResult, seconds: float) -> tuple[HTTPConnection, str]:
        """A connection to the server or to the proxy before it, and how to call what is wanted there."""
        path = quote(urlunsplit(("", "", target.path or "/", target.query, "")), safe=_SAFE)
        secure = target.scheme == "https"
        proxy = _split(self._proxy) if self._proxy else _proxy_for(target)
        place = proxy or target
        port = place.port or (443 if place.scheme == "https" else 80)
        if not secure:
            connection = HTTPConnection(place.hostname or "", port, timeout=seconds)
            return connection, quote(urlunsplit((*target[:4], "")), safe=_SAFE) if proxy else path
        tunnel = HTTPSConnection(place.hostname or "", port, timeout=seconds, context=_tls(*self._tls))
        if proxy:
            tunnel.set_tunnel(target.hostname or "", target.port or 443)
        return tunnel, path


def _split(url: str) -> SplitResult:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f'unsupported protocol scheme "{parts.scheme}"')
    if not parts.hostname:
        raise ValueError("no Host in request URL")
    return parts


def _proxy_for(target: SplitResult) -> SplitResult | None:
    from urllib.request import getproxies, proxy_bypass

    host = target.hostname or ""
    found = getproxies().get(target.scheme)
    if not found or host == "localhost" or host.startswith("127.") or host == "::1" or proxy_bypass(host):
        return None
    return _split(found if "://" in found else f"http://{found}")


def _tls(trusted: str, insecure: bool, certificate: str, key: str) -> ssl.SSLContext:
    import ssl

    context = ssl.create_default_context(cafile=trusted or None)
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate and key:
        context.load_cert_chain(certificate, key)
    return context


def _basic(username: str, password: str) -> str:
    from binascii import b2a_base64

    return "Basic " + b2a_base64(f"{username}:{password}".encode("utf-8", "surrogateescape"), newline=False).decode()


def _canonical(name: str) -> str:
    return "-".join(part[:1].upper() + part[1:].lower() for part in name.split("-"))


def _refused(lead: str, error: Exception, moment: str) -> HostError:
    if isinstance(error, TimeoutError) or "timed out" in str(error):
        return HostError(f"{lead}context deadline exceeded (Client.Timeout {moment})")
    if isinstance(error, OSError) and error.strerror:
        return HostError(lead + error.strerror[:1].lower() + error.strerror[1:])
    return HostError(lead + (str(error) or type(error).__name__))
