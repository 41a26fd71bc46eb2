# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which ports of this machine are listened at, as the kernel tells it."""

from __future__ import annotations

import sys
from _socket import AF_INET, AF_INET6, inet_ntop

from .errors import HostError
from .looking import Reader

_LISTENING = b"0A"
_TABLES = ("tcp", "tcp6", "udp", "udp6")


def listening() -> dict[str, list[str]]:
    """The addresses that are listened at, by `PROTOCOL:PORT` (tcp, tcp6, udp, udp6); of UDP all that are bound."""
    found: dict[str, list[str]] = {}
    for protocol in _TABLES:
        for line in _table(protocol)[1:]:
            fields = line.split()
            if len(fields) < 4 or (protocol.startswith("tcp") and fields[3] != _LISTENING):
                continue
            address, _colon, port = fields[1].rpartition(b":")
            found.setdefault(f"{protocol}:{int(port, 16)}", []).append(_address(address))
    return found


def _table(protocol: str) -> list[bytes]:
    try:
        with Reader(f"/proc/net/{protocol}") as reader:
            return b"".join(reader.chunks()).splitlines()
    except HostError:
        return []


def _address(digits: bytes) -> str:
    """An address out of the kernel's words of 32 bits, each with its bytes in the machine's order."""
    words = [int(digits[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(digits), 8)]
    packed = b"".join(words)
    if packed[:12] == bytes(10) + b"\xff\xff":
        packed = packed[12:]
    return inet_ntop(AF_INET if len(packed) == 4 else AF_INET6, packed).upper()
