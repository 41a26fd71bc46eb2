# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""The listening ports of this machine, from the kernel."""

from __future__ import annotations

import socket
import sys
from _socket import AF_INET, AF_INET6, inet_ntop

from .errors import HostError
from .reading import Reader

_LISTENING = b"0A"
_TABLES = ("tcp", "tcp6", "udp", "udp6")


def listening() -> dict[str, list[str]]:
    """Return the listening addresses, by `PROTOCOL:PORT` (tcp, tcp6, udp, udp6).

    Of UDP all that are bound.
    """
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
    """Return an address out of the kernel's words of 32 bits, each with its bytes in the machine's order."""
    words = [int(digits[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(digits), 8)]
    packed = b"".join(words)
    if packed[:12] == bytes(10) + b"\xff\xff":
        packed = packed[12:]
    return inet_ntop(AF_INET if len(packed) == 4 else AF_INET6, packed).upper()


_KINDS = {"tcp": socket.SOCK_STREAM, "udp": socket.SOCK_DGRAM}
_FAMILIES = {"": socket.AF_UNSPEC, "4": socket.AF_INET, "6": socket.AF_INET6}
# Python's exceptions for impossible addresses: names that cannot be encoded, a NUL, a port out of bounds.
_REFUSALS = (OSError, ValueError, TypeError, OverflowError)


def is_reachable(network: str, address: str, seconds: float, local_address: str = "") -> bool:
    """Return whether a connection to `HOST:PORT` can be made in time.

    For UDP, which has none, whether there is a route.

    `network` is tcp or udp, followed by 4 or 6 for one family of addresses only. `local_address` is the source address.
    With a negative time, or an invalid address, the result is false.
    """
    if seconds < 0:
        return False
    kind, family = _KINDS.get(network[:3]), _FAMILIES.get(network[3:])
    host, colon, port = address.rpartition(":")
    if kind is None or family is None or not colon:
        return False
    try:
        targets = socket.getaddrinfo(host.strip("[]") or "localhost", port, family, kind)
    except _REFUSALS:
        return False
    return any(_connects(target, seconds, local_address) for target in targets)


def _connects(target: tuple, seconds: float, local_address: str) -> bool:
    family, kind, protocol, _name, place = target
    try:
        with socket.socket(family, kind, protocol) as connection:
            connection.settimeout(seconds)
            if local_address:
                connection.bind((local_address, 0))
            connection.connect(place)
    except _REFUSALS:
        return False
    return True
