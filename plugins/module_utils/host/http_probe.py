# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Requests of health checks to a web server: any method, headers, body and status (behaviour.md 13)."""

from __future__ import annotations

import ssl
import time
from binascii import b2a_base64
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

from .deadlines import response_until
from .errors import HostError
from .http import MAX_REDIRECTS, printable, redact_url, sendable
from .limited import LARGEST
from .reading import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from http.client import HTTPResponse
    from urllib.parse import SplitResult

_REDIRECTS = (301, 302, 303, 307, 308)
_SAME_METHOD = (307, 308)
_PORTS = {"http": 80, "https": 443}
_SAFE = "/%:@!$&'()*+,;=~-._?"
_CHUNK = 1 << 16
# The most characters of other programs' text in errors.
_LONGEST_SHOWN = 300
_UNREADABLE = "the address cannot be read"
_LARGEST_CERTIFICATE = 4 << 20


class Response:
    """A server's response: `status`, `headers` as sorted `Name: value` lines, and a body that is read on request."""

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
        """Return all of the body. Raises HostError for a body that is not complete in time, or larger than LARGEST."""
        parts: list[bytes] = []
        size = 0
        try:
            while size <= LARGEST:
                part = self._raw.read1(_CHUNK)
                if not part and self._raw.length:
                    raise HostError("unexpected EOF")
                if not part:
                    return b"".join(parts)
                parts.append(part)
                size += len(part)
        except (OSError, HTTPException, ValueError) as error:
            raise _refused("", error, "or context cancellation while reading body") from None
        raise HostError(f"the body is larger than {LARGEST >> 20} MiB")

    def close(self) -> None:
        """Close the connection, read to its end or not."""
        self._raw.close()
        self._connection.close()


class Request:
    """A request to a server.

    `headers` are pairs that are not sent to another server after a redirect, `public` ones are; of one name the former
    count. `body` is text; `follow` is whether redirects are followed. `trusted` is a file of certificates that replace
    the machine's, `insecure` trusts any; `certificate` and `key` are files that identify the client. `proxy` is the
    address of a proxy that replaces the environment's.
    """

    def __init__(
        self,
        url: str,
        *,
        method: str = "",
        headers: list[tuple[str, str]] | None = None,
        public: dict[str, str] | None = None,
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
        self.public = dict(public or {})
        self.body = body.encode("utf-8", "surrogateescape")
        self.follow = follow
        self._proxy = proxy
        self._tls = (trusted, insecure, certificate, key)
        if username or password:
            self.headers = [*self._without("authorization"), ("Authorization", _basic(username, password))]

    def _without(self, name: str) -> list[tuple[str, str]]:
        return [pair for pair in self.headers if pair[0].lower() != name]

    def send(self, seconds: float) -> Response:
        """Return the response, at the end of redirects.

        Raises HostError for no response in time, an invalid address, a header that cannot be sent, and certificates
        that cannot be read.
        """
        deadline = time.monotonic() + seconds
        url = location = self.url
        for _redirect in range(MAX_REDIRECTS):
            connection = None
            try:
                connection, path = self._connection(_split(url), max(deadline - time.monotonic(), 0.001))
                response_until(connection, deadline)
                raw = self._send(connection, path, _split(url))
            except (OSError, HTTPException, ValueError) as error:
                if connection:
                    connection.close()
                raise _refused(self._lead(url), error, "exceeded while awaiting headers") from None
            answer = Response(connection, raw)
            location = raw.headers.get("Location") or ""
            if not (self.follow and raw.status in _REDIRECTS and location):
                return answer
            answer.close()
            url = self._turn(raw.status, url, location)
        raise HostError(f"{self._lead(location)}stopped after {MAX_REDIRECTS} redirects")

    def _lead(self, url: str) -> str:
        return f'{self.method[:1].upper()}{self.method[1:].lower()} "{_shown(redact_url(url))}": '

    def _turn(self, status: int, url: str, location: str) -> str:
        """Change to the request of a redirect, and its address; secrets stay with their server."""
        try:
            following = _joined(url, location)
            other = _split(following)
        except ValueError as error:
            raise HostError(f"{self._lead(location)}{error}") from None
        if status not in _SAME_METHOD and self.method != "HEAD":
            self.method, self.body = "GET", b""
        if not _may_know_the_same(_split(url), other):
            self.headers = []
        return following

    def _lines(self, target: SplitResult) -> list[tuple[str, str | bytes]]:
        """Return the headers of a request, in order."""
        given = {name.lower() for name, _value in self.headers}
        lines: list[tuple[str, str | bytes]] = []
        if "host" not in given:
            lines.append(("Host", _address(target)))
        if target.username and "authorization" not in given:
            lines.append(("Authorization", _credentials(target)))
        proxy = None if target.scheme == "https" else self._proxy_before(target)
        if proxy and proxy.username:
            lines.append(("Proxy-Authorization", _credentials(proxy)))
        public = [(name, value) for name, value in self.public.items() if name.lower() not in given]
        for name, value in (*self.headers, *public):
            lines += sendable({name: value}).items()
        if self.body or self.method in ("POST", "PUT", "PATCH"):
            lines.append(("Content-Length", str(len(self.body))))
        return [*lines, ("Connection", "close")]

    def _send(self, connection: HTTPConnection, path: str, target: SplitResult) -> HTTPResponse:
        lines = self._lines(target)
        connection.putrequest(self.method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in lines:
            connection.putheader(name, value)
        connection.endheaders(self.body or None)
        return connection.getresponse()

    def _connection(self, target: SplitResult, seconds: float) -> tuple[HTTPConnection, str]:
        """Return a connection to the server or to the proxy before it, and the target in the request line."""
        path = quote(urlunsplit(("", "", target.path or "/", target.query, "")), safe=_SAFE)
        secure = target.scheme == "https"
        proxy = self._proxy_before(target)
        place = proxy or target
        port = place.port or _PORTS[place.scheme]
        if not secure:
            connection = HTTPConnection(place.hostname or "", port, timeout=seconds)
            whole = urlunsplit((target.scheme, _address(target), target.path, target.query, ""))
            return connection, quote(whole, safe=_SAFE) if proxy else path
        tunnel = HTTPSConnection(place.hostname or "", port, timeout=seconds, context=_tls(*self._tls))
        if proxy:
            known = {"Proxy-Authorization": _credentials(proxy)} if proxy.username else {}
            tunnel.set_tunnel(target.hostname or "", target.port or 443, known)
        return tunnel, path

    def _proxy_before(self, target: SplitResult) -> SplitResult | None:
        return _split(self._proxy) if self._proxy else _proxy_for(target)


def _split(url: str) -> SplitResult:
    """Return the parts of an address. Raises ValueError without Python's text, which may contain the password."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise ValueError(_UNREADABLE) from None
    if parts.scheme not in ("http", "https"):
        raise ValueError(f'unsupported protocol scheme "{parts.scheme}"')
    if not host:
        raise ValueError("no Host in request URL")
    return parts


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        raise ValueError(_UNREADABLE) from None


def _address(target: SplitResult) -> str:
    return target.netloc.rpartition("@")[2]


def _may_know_the_same(this: SplitResult, other: SplitResult) -> bool:
    """Return whether two addresses belong to one server; the same host over https is the same server."""
    if this.hostname != other.hostname:
        return False
    before, after = ((place.scheme, place.port or _PORTS[place.scheme]) for place in (this, other))
    return before == after or (before, after) == (("http", 80), ("https", 443))


def _proxy_for(target: SplitResult) -> SplitResult | None:
    host = target.hostname or ""
    found = getproxies().get(target.scheme)
    if not found or host == "localhost" or host.startswith("127.") or host == "::1" or proxy_bypass(host):
        return None
    return _split(found if "://" in found else f"http://{found}")


def _tls(trusted: str, insecure: bool, certificate: str, key: str) -> ssl.SSLContext:
    with ExitStack() as stack:

        def opened(path: str) -> str:
            """Return a name for OpenSSL of exactly the checked file, which neither makes it wait nor is endless."""
            reader = stack.enter_context(Reader(path))
            if reader.size > _LARGEST_CERTIFICATE:
                raise HostError(f"{path} is larger than {_LARGEST_CERTIFICATE >> 20} MiB", path=path)
            return f"/proc/self/fd/{reader.fd}"

        context = ssl.create_default_context(cafile=opened(trusted) if trusted else None)
        if insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if certificate and key:
            # Without a password OpenSSL would ask for the password of a locked key on the terminal.
            try:
                context.load_cert_chain(opened(certificate), opened(key), "")
            except ssl.SSLError:
                problem = (
                    f"{certificate} and {key} cannot be used: they do not belong together, or the key has a password"
                )
                raise HostError(problem, path=key) from None
    return context


def _credentials(place: SplitResult) -> str:
    return _basic(unquote(place.username or ""), unquote(place.password or ""))


def _basic(username: str, password: str) -> str:
    return "Basic " + b2a_base64(f"{username}:{password}".encode("utf-8", "surrogateescape"), newline=False).decode()


def _canonical(name: str) -> str:
    return "-".join(part[:1].upper() + part[1:].lower() for part in name.split("-"))


def _refused(lead: str, error: Exception, phase: str) -> HostError:
    if isinstance(error, TimeoutError) or "timed out" in str(error):
        return HostError(f"{lead}context deadline exceeded (Client.Timeout {phase})")
    if isinstance(error, OSError) and error.strerror:
        return HostError(lead + error.strerror[:1].lower() + error.strerror[1:])
    return HostError(lead + (_shown(str(error)) or type(error).__name__))


def _shown(text: str) -> str:
    """Return other programs' text, shortened and without terminal control characters."""
    return printable(text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "...")
