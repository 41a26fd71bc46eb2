# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Responses of web servers that are read until a deadline, however slow they are: headers and chunk sizes too."""

from __future__ import annotations

from http.client import HTTPResponse
from io import BufferedReader, RawIOBase
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPConnection
    from socket import socket
    from typing import Any


def response_until(connection: HTTPConnection, deadline: float) -> None:
    """Limit the reading of all responses of `connection` to `deadline`, on the clock of `time.monotonic`.

    A longer response raises TimeoutError.
    """

    class Answer(HTTPResponse):
        def __init__(self, sock: socket, *given: Any, **more: Any) -> None:
            super().__init__(sock, *given, **more)
            self.fp.close()
            self.fp = BufferedReader(_Reading(sock, deadline))

    connection.response_class = Answer


class _Reading(RawIOBase):
    def __init__(self, sock: socket, deadline: float) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
