# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Lookups of host names: by the resolver of this machine, or by queries to a given DNS server."""

from __future__ import annotations

import os
import socket
import struct
import time

from .errors import HostError
from .threads import start_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Read = Callable[[bytes, int, int], "str | list[str]"]

_LONGEST_MESSAGE = 65535
_HIGHEST_PORT = 65535
_LONGEST_NAME = 128
_HEADER = 12
_INTERNET = 1
_RECURSIVELY = 0x0100
_TYPES = {"A": 1, "NS": 2, "CNAME": 5, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33, "CAA": 257}


def addresses(host: str, seconds: float) -> list[str]:
    """Return the addresses of a host from this machine's resolver, none for an unknown name.

    Raises HostError when it takes longer than `seconds`, and when no thread can be made.
    """
    if seconds < 0:
        raise HostError(_too_late(seconds))
    found: list[str] = []

    def resolve() -> None:
        try:
            entries = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(dict.fromkeys(str(entry[4][0]) for entry in entries))

    # getaddrinfo has no deadline; a call that hangs does not keep the program from ending.
    lookup = start_thread(resolve)
    lookup.join(seconds)
    if lookup.is_alive():
        raise HostError(_too_late(seconds))
    return found


def records(host: str, kind: str, server: str, seconds: float) -> list[str]:
    """Return the records of a kind that a DNS server (`HOST` or `HOST:PORT`) has for a name, as text.

    Of another kind, its addresses.

    `kind` is A, AAAA, CAA, CNAME, MX, NS, PTR (of an address), SRV or TXT. Raises HostError.
    """
    _require_port(server)
    if kind in _TYPES:
        return _query(_reversed(host) if kind == "PTR" else host, kind, server, seconds)
    found, deadline = [], time.monotonic() + seconds
    for family in ("A", "AAAA"):
        try:
            found += _query(host, family, server, seconds)
        except HostError:
            if time.monotonic() > deadline:
                raise
    return found


def _too_late(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    shown = f"{milliseconds / 1000:g}s" if milliseconds >= 1000 else f"{milliseconds}ms"
    return f"DNS lookup timed out ({shown})"


def _query(name: str, kind: str, server: str, seconds: float) -> list[str]:
    ident = int.from_bytes(os.urandom(2), "big")
    query = struct.pack("!HHHHHH", ident, _RECURSIVELY, 1, 0, 0, 0) + _packed(name)
    query += struct.pack("!HH", _TYPES[kind], _INTERNET)
    try:
        message = _exchange(query, _endpoint(server), time.monotonic() + seconds)
    except socket.timeout:
        raise HostError(_too_late(seconds)) from None
    except UnicodeError:
        raise HostError(f"DNS server {server} is not a host name") from None
    except OSError as error:
        raise HostError(f"DNS server {server}: {error.strerror}") from None
    try:
        return _records(message, _TYPES[kind], _READERS[kind])
    except (IndexError, struct.error, ValueError):
        raise HostError(f"DNS server {server} gave an answer that cannot be read") from None


def _exchange(query: bytes, endpoint: tuple[str, int], deadline: float) -> bytes:
    family, kind, protocol, _name, target = socket.getaddrinfo(*endpoint, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, kind, protocol) as connection:
        connection.connect(target)
        connection.send(query)
        while True:
            connection.settimeout(max(deadline - time.monotonic(), 0.001))
            message = connection.recv(_LONGEST_MESSAGE)
            if message[:2] == query[:2]:
                return message


def _require_port(server: str) -> None:
    """Check a port. Raises HostError, in the words of the original, for one of more than 16 bits."""
    port = _split(server)[1]
    if len(port) > len(str(_HIGHEST_PORT)) or int(port) > _HIGHEST_PORT:
        raise HostError(f"dial udp: address {port}: invalid port")


def _endpoint(server: str) -> tuple[str, int]:
    host, port = _split(server)
    return host, int(port)


def _split(server: str) -> tuple[str, str]:
    host, colon, port = server.rpartition(":")
    if colon and port.isascii() and port.isdigit() and (":" not in host or host.endswith("]")):
        return host.strip("[]"), port.lstrip("0") or "0"
    return server, "53"


def _packed(name: str) -> bytes:
    try:
        labels = [label.encode("idna" if not label.isascii() else "ascii") for label in name.rstrip(".").split(".")]
    except UnicodeError:
        raise HostError(f"{name} is not a host name") from None
    if any(not 0 < len(label) < 64 for label in labels if name.strip(".")):
        raise HostError(f"{name} is not a host name")
    return b"".join(bytes([len(label)]) + label for label in labels if label) + b"\0"


def _reversed(address: str) -> str:
    """Return the name under which a server keeps the name of an address."""
    for family, step in ((socket.AF_INET, "in-addr.arpa"), (socket.AF_INET6, "ip6.arpa")):
        try:
            packed = socket.inet_pton(family, address)
        except (OSError, ValueError):
            continue
        parts = [str(byte) for byte in packed] if len(packed) == 4 else list(packed.hex())
        return ".".join([*reversed(parts), step])
    raise HostError(f"dns: unrecognized address: {address}")


def _records(message: bytes, wanted: int, read: Read) -> list[str]:
    _ident, _flags, questions, count, _authorities, _others = struct.unpack_from("!HHHHHH", message)
    at = _HEADER
    for _question in range(questions):
        at = _name(message, at)[1] + 4
    found: list[str] = []
    for _answer in range(count):
        at = _name(message, at)[1]
        kind, _class, _ttl, length = struct.unpack_from("!HHIH", message, at)
        at += 10
        if kind == wanted:
            value = read(message, at, length)
            found += value if isinstance(value, list) else [value]
        at += length
    return found


def _name(message: bytes, at: int) -> tuple[str, int]:
    """Return the name at a position, with a dot at its end, and where it ends. Raises IndexError or ValueError."""
    labels: list[str] = []
    end = 0
    for _label in range(_LONGEST_NAME):
        length = message[at]
        if length >= 0xC0:
            end = end or at + 2
            at = (length & 0x3F) << 8 | message[at + 1]
            continue
        at += 1
        if not length:
            return ".".join(labels) + ".", end or at
        labels.append(message[at : at + length].decode("ascii", "backslashreplace"))
        at += length
    raise ValueError("a name without end")


def _texts(message: bytes, at: int, length: int) -> list[str]:
    texts, end = [], at + length
    while at < end:
        size = message[at]
        texts.append(message[at + 1 : at + 1 + size].decode("utf-8", "replace"))
        at += 1 + size
    return texts


def _address(message: bytes, at: int, length: int) -> str:
    return socket.inet_ntop(socket.AF_INET if length == 4 else socket.AF_INET6, message[at : at + length])


def _host(message: bytes, at: int, length: int) -> str:
    return _name(message, at)[0]


def _numbered(count: int) -> Callable[[bytes, int, int], str]:
    """Return a reader of records that are numbers and then a name."""

    def read(message: bytes, at: int, length: int) -> str:
        numbers = struct.unpack_from(f"!{count}H", message, at)
        return " ".join([*map(str, numbers), _name(message, at + 2 * count)[0]])

    return read


def _authorisation(message: bytes, at: int, length: int) -> str:
    flag, size = message[at], message[at + 1]
    tag, value = message[at + 2 : at + 2 + size], message[at + 2 + size : at + length]
    return f"{flag} {tag.decode('ascii', 'replace')} {value.decode('utf-8', 'replace')}"


_READERS: dict[str, Read] = {
    "A": _address,
    "AAAA": _address,
    "CAA": _authorisation,
    "CNAME": _host,
    "MX": _numbered(1),
    "NS": _host,
    "PTR": _host,
    "SRV": _numbered(3),
    "TXT": _texts,
}
