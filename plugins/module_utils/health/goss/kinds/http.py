# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rules of web servers."""

from __future__ import annotations

from ....host.http_probe import Request
from ..kind import Kind
from ..patterns import Stream
from ..rule import timeout_of
from ..values import RuleError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ....host.http_probe import Response
    from ....host.machine import Machine
    from ..kind import Snapshot
    from ..rule import Rule

_TIMEOUT_MS = 5000
_AGENT = {"User-Agent": "goss/"}


class _Page:
    """The page at an address, requested once at first use."""

    def __init__(self, request: Request, seconds: float, machine: Machine) -> None:
        self._machine = machine
        self._request = request
        self._seconds = seconds
        self._response: Response | None = None

    def _fetched(self) -> Response:
        if self._response is None:
            self._machine.before_waiting()
            self._response = self._request.send(self._seconds)
        return self._response

    def close(self) -> None:
        """Close the connection."""
        if self._response is not None:
            self._response.close()

    def status(self) -> int:
        """Return the status."""
        return self._fetched().status

    def headers(self) -> Stream:
        """Return the headers, one a line."""
        return Stream("\n".join(self._fetched().headers))

    def body(self) -> Stream:
        """Return the body."""
        return Stream(self._fetched().body().decode("utf-8", "surrogateescape"))


def _headers(given: list[str]) -> list[tuple[str, str]]:
    pairs = []
    for number, line in enumerate(given, 1):
        name, separator, value = line.partition(": ")
        if not separator or " " in name:
            raise RuleError(f'entry {number} of request-headers is not of the form "Name: value"')
        pairs.append((name, value))
    return pairs


def _examine(rule: Rule, snapshot: Snapshot) -> None:
    request = Request(
        rule.subject,
        method=rule.text("method"),
        headers=_headers(rule.texts("request-headers")),
        public=_AGENT,
        body=rule.text("request-body"),
        follow=not rule.flag("no-follow-redirects"),
        username=rule.text("username"),
        password=rule.text("password"),
        trusted=rule.text("ca-file"),
        insecure=rule.flag("allow-insecure"),
        certificate=rule.text("cert-file"),
        key=rule.text("key-file"),
        proxy=rule.text("proxy"),
    )
    page = _Page(request, timeout_of(rule, _TIMEOUT_MS) / 1000, snapshot.machine)
    try:
        rule.gate("status", page.status)
        rule.may_read("headers", page.headers, "Headers")
        rule.may_read("body", page.body, "Body")
    finally:
        page.close()


_TEXTS = "method request-body username password ca-file cert-file key-file proxy"
HTTP = Kind(
    "HTTP",
    {
        **dict.fromkeys(_TEXTS.split(), "text"),
        "status": "matcher",
        "headers": "matcher",
        "body": "matcher",
        "allow-insecure": "boolean",
        "no-follow-redirects": "boolean",
        "timeout": "integer",
        "request-headers": "texts",
    },
    _examine,
    required=("status",),
    subject="url",
)
