# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
"""Network facts: interfaces, their addresses and the default ones (behaviour.md 12.1).

The kernel is queried over a netlink socket; no packet leaves the machine. `_socket` is the base of `socket`: it has all
that is needed here and costs a tenth of the time to import.
"""

from __future__ import annotations

import _socket
import struct
import sys

from .fields import Interface, InterfaceAddress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Iterator, Tuple

    from .fields import Family

    # interface index, packed address (4 or 16 bytes), length of the prefix
    Address = Tuple[int, bytes, int]

GET_LINK, NEW_LINK = 18, 16
GET_ADDRESS, NEW_ADDRESS = 22, 20
_ERROR, _DONE = 2, 3
_REQUEST_DUMP = 0x301
_LINK_ADDRESS, _LINK_NAME, _LINK_MTU = 1, 3, 4
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_TYPE_MASK = 0x3FFF
_FLAGS = ((0x1, "up"), (0x2, "broadcast"), (0x8, "loopback"), (0x10, "pointtopoint"), (0x1000, "multicast"))
# Kinds of tunnel that report their end point as hardware address, by its length.
_TUNNELS = {4: (768, 776, 778), 16: (769, 823)}
_TIMEOUT = 1.0
_CHUNK = 1 << 16
_TARGET_IPV4, _TARGET_IPV6 = "1.1.1.1", "2001:4860:4860::8888"


def messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the netlink messages in a reply: kind and payload each. A cut message ends them."""
    start = 0
    while start + 16 <= len(data):
        length, kind = struct.unpack_from("=IH", data, start)
        if length < 16 or start + length > len(data):
            return
        yield kind, data[start + 16 : start + length]
        start += length + 3 & ~3


def _attributes(data: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    start = 0
    while start + 4 <= len(data):
        length, kind = struct.unpack_from("=HH", data, start)
        if length < 4 or start + length > len(data):
            break
        found.setdefault(kind & _TYPE_MASK, data[start + 4 : start + length])
        start += length + 3 & ~3
    return found


def parse_links(data: bytes) -> list[Interface]:
    """Return the interfaces in the kernel's reply to a dump of links, in its order, without addresses.

    `flags` is None where no flag is set, as in the original.
    """
    interfaces = []
    for kind, payload in messages(data):
        if kind != NEW_LINK or len(payload) < 16:
            continue
        hardware_type, index, flags = struct.unpack_from("=2xHiI", payload)
        attributes = _attributes(payload[16:])
        interfaces.append(
            Interface(
                index=index,
                mtu=int.from_bytes(attributes.get(_LINK_MTU, b"")[:4], sys.byteorder),
                name=attributes.get(_LINK_NAME, b"").rstrip(b"\0").decode("utf-8", "replace"),
                hardwareAddr=_hardware_address(attributes.get(_LINK_ADDRESS, b""), hardware_type),
                flags=[name for bit, name in _FLAGS if flags & bit] or None,
                addrs=[],
            )
        )
    return interfaces


def _hardware_address(packed: bytes, hardware_type: int) -> str:
    if not any(packed) or hardware_type in _TUNNELS.get(len(packed), ()):
        return ""
    return ":".join(f"{byte:02x}" for byte in packed)


def parse_addresses(data: bytes) -> list[Address]:
    """Return the addresses in the kernel's reply to a dump of addresses, in its order: (index, packed, prefix length).

    On a point-to-point link it is the near end's address.
    """
    addresses = []
    for kind, payload in messages(data):
        if kind != NEW_ADDRESS or len(payload) < 8:
            continue
        family, prefix, index = struct.unpack_from("=BB2xI", payload)
        attributes = _attributes(payload[8:])
        packed = attributes.get(_IFA_LOCAL) or attributes.get(_IFA_ADDRESS) or b""
        if len(packed) == {_socket.AF_INET: 4, _socket.AF_INET6: 16}.get(family):
            addresses.append((index, packed, prefix))
    return addresses


def is_global(packed: bytes) -> bool:
    """Return whether a packed address is none of unspecified, loopback, link-local and multicast."""
    if len(packed) == 4:
        return any(packed) and packed[0] != 127 and packed[:2] != b"\xa9\xfe" and not 224 <= packed[0] <= 239
    if packed[:12] == bytes(10) + b"\xff\xff":
        return is_global(packed[12:])
    if int.from_bytes(packed, "big") <= 1:
        return False
    return packed[0] != 0xFF and not (packed[0] == 0xFE and packed[1] & 0xC0 == 0x80)


def address_text(packed: bytes) -> str:
    """Return a packed address in its usual notation."""
    return _socket.inet_ntop(_socket.AF_INET if len(packed) == 4 else _socket.AF_INET6, packed)


def network_family(links: bytes, addresses: bytes, source_ipv4: bytes, source_ipv6: bytes) -> Family:
    """Return the family `network` from the kernel's replies and the default routes' packed source addresses, or b"".

    An interface is the default one where it is the first to carry the source address; the last of its global
    addresses is the default address.
    """
    interfaces = parse_links(links)
    found: list[dict[str, str | bool]] = []
    defaults = {4: "", 16: ""}
    own: dict[int, list[Address]] = {interface["index"]: [] for interface in interfaces}
    for address in parse_addresses(addresses):
        own.get(address[0], []).append(address)
    default_ipv4 = _carrier(own, source_ipv4)
    default_ipv6 = _carrier(own, source_ipv6)
    for interface in interfaces:
        index = interface["index"]
        for _index, packed, prefix in own[index]:
            text = address_text(packed)
            interface["addrs"].append(InterfaceAddress(addr=f"{text}/{prefix}"))
            if not is_global(packed):
                continue
            ipv4 = len(packed) == 4
            default = index == (default_ipv4 if ipv4 else default_ipv6)
            found.append({"address": text, "default": default, "interface": interface["name"], "ipv4": ipv4})
            if default:
                defaults[len(packed)] = text
    return {"addresses": found, "default_ipv4": defaults[4], "default_ipv6": defaults[16], "interfaces": interfaces}


def _carrier(own: dict[int, list[Address]], source: bytes) -> int | None:
    if source:
        for index, entries in own.items():
            if any(packed == source for _index, packed, _prefix in entries):
                return index
    return None


def _dump(request: int, body: int) -> bytes:
    """Return the kernel's whole reply to a dump of links or addresses; b"" where it cannot be queried.

    `body` is the size of the request's own structure, all zero: everything is wanted.
    """
    reply = b""
    try:
        netlink = _socket.socket(_socket.AF_NETLINK, _socket.SOCK_RAW, 0)
        try:
            netlink.settimeout(_TIMEOUT)
            netlink.send(struct.pack("=IHHII", 16 + body, request, _REQUEST_DUMP, 1, 0) + bytes(body))
            while True:
                part = netlink.recv(_CHUNK)
                reply += part
                if not part or any(kind in (_DONE, _ERROR) for kind, _body in messages(part)):
                    return reply
        finally:
            netlink.close()
    except OSError:
        return b""


def _source(family: int, target: str) -> bytes:
    """Return the packed address from which this machine would send to `target`; b"" without a route."""
    try:
        probe = _socket.socket(family, _socket.SOCK_DGRAM, 0)
        try:
            probe.connect((target, 53))
            return _socket.inet_pton(family, probe.getsockname()[0].partition("%")[0])
        finally:
            probe.close()
    except OSError:
        return b""


def network_facts() -> dict[str, Any]:
    """Return the family `network`. Empty lists and "" where the kernel cannot be queried."""
    return network_family(
        _dump(GET_LINK, 16),
        _dump(GET_ADDRESS, 8),
        _source(_socket.AF_INET, _TARGET_IPV4),
        _source(_socket.AF_INET6, _TARGET_IPV6),
    )
