# Copyright: (c) 2026, ccm.core contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import socket
import struct

import pytest
from ccm.host.facts import network
from ccm.host.facts.network import (
    NEW_ADDRESS,
    NEW_LINK,
    address_text,
    is_global,
    messages,
    network_facts,
    network_family,
    parse_addresses,
    parse_links,
)

DONE = struct.pack("=IHHIIi", 20, 3, 2, 1, 0, 0)
ETHER, LOOPBACK, SIT = 1, 772, 776


def packed(text):
    return socket.inet_pton(socket.AF_INET6 if ":" in text else socket.AF_INET, text)


def attribute(kind, value):
    return struct.pack("=HH", 4 + len(value), kind) + value + bytes(-len(value) % 4)


def message(kind, payload):
    return struct.pack("=IHHII", 16 + len(payload), kind, 2, 1, 0) + payload + bytes(-len(payload) % 4)


def link(index, name, flags, hardware=b"", kind=ETHER, mtu=1500):
    body = struct.pack("=BBHiII", 0, 0, kind, index, flags, 0)
    body += attribute(3, name.encode() + b"\0") + attribute(4, struct.pack("=I", mtu)) + attribute(1, hardware)
    return message(NEW_LINK, body)


def address(index, text, prefix, peer=None):
    family = socket.AF_INET6 if ":" in text else socket.AF_INET
    body = struct.pack("=BBBBI", family, prefix, 0, 0, index)
    if family == socket.AF_INET or peer:
        body += attribute(1, packed(peer or text)) + attribute(2, packed(text)) + attribute(3, b"label\0")
    else:
        body += attribute(1, packed(text))
    return message(NEW_ADDRESS, body)


LINK_MESSAGES = [
    link(1, "lo", 0x10049, bytes(6), LOOPBACK, 65536),
    link(2, "ifb0", 0x82, bytes.fromhex("b2b705c0a375")),
    link(7, "eth0", 0x11043, bytes.fromhex("02fc00000001"), mtu=1400),
    link(9, "wg0", 0x91),
]
LINKS = b"".join(LINK_MESSAGES) + DONE
ADDRESSES = (
    address(1, "127.0.0.1", 8)
    + address(7, "192.0.2.2", 24)
    + address(7, "192.0.2.3", 24)
    + address(9, "10.9.0.1", 32, peer="10.9.0.2")
    + address(1, "::1", 128)
    + address(7, "2001:db8::2", 64)
    + address(7, "fe80::fc:ff:fe00:1", 64)
    + address(99, "198.51.100.1", 24)
    + DONE
)


def test_interfaces():
    assert [dict(entry) for entry in parse_links(LINKS)] == [
        {"index": 1, "mtu": 65536, "name": "lo", "hardwareAddr": "", "flags": ["up", "loopback"], "addrs": []},
        {
            "index": 2,
            "mtu": 1500,
            "name": "ifb0",
            "hardwareAddr": "b2:b7:05:c0:a3:75",
            "flags": ["broadcast"],
            "addrs": [],
        },
        {
            "index": 7,
            "mtu": 1400,
            "name": "eth0",
            "hardwareAddr": "02:fc:00:00:00:01",
            "flags": ["up", "broadcast", "multicast"],
            "addrs": [],
        },
        {"index": 9, "mtu": 1500, "name": "wg0", "hardwareAddr": "", "flags": ["up", "pointtopoint"], "addrs": []},
    ]


def test_missing_flags_are_null():
    assert parse_links(link(3, "x", 0))[0]["flags"] is None


def test_the_address_of_a_tunnel_is_not_a_hardware_address():
    assert parse_links(link(3, "sit0", 0, packed("192.0.2.1"), SIT))[0]["hardwareAddr"] == ""
    assert parse_links(link(3, "other", 0, packed("192.0.2.1"), ETHER))[0]["hardwareAddr"] == "c0:00:02:01"


def test_the_local_address_of_a_point_to_point_link():
    assert parse_addresses(address(9, "10.9.0.1", 32, peer="10.9.0.2")) == [(9, packed("10.9.0.1"), 32)]


def test_the_address_family():
    facts = network_family(LINKS, ADDRESSES, packed("192.0.2.2"), packed("2001:db8::2"))
    assert list(facts) == ["addresses", "default_ipv4", "default_ipv6", "interfaces"]
    assert facts["addresses"] == [
        {"address": "192.0.2.2", "default": True, "interface": "eth0", "ipv4": True},
        {"address": "192.0.2.3", "default": True, "interface": "eth0", "ipv4": True},
        {"address": "2001:db8::2", "default": True, "interface": "eth0", "ipv4": False},
        {"address": "10.9.0.1", "default": False, "interface": "wg0", "ipv4": True},
    ]
    assert facts["default_ipv4"] == "192.0.2.3"
    assert facts["default_ipv6"] == "2001:db8::2"
    assert [[dict(entry) for entry in interface["addrs"]] for interface in facts["interfaces"]] == [
        [{"addr": "127.0.0.1/8"}, {"addr": "::1/128"}],
        [],
        [
            {"addr": "192.0.2.2/24"},
            {"addr": "192.0.2.3/24"},
            {"addr": "2001:db8::2/64"},
            {"addr": "fe80::fc:ff:fe00:1/64"},
        ],
        [{"addr": "10.9.0.1/32"}],
    ]


@pytest.mark.parametrize("source", [b"", packed("203.0.113.9")])
def test_no_default_route(source):
    facts = network_family(LINKS, ADDRESSES, source, b"")
    assert (facts["default_ipv4"], facts["default_ipv6"]) == ("", "")
    assert not any(entry["default"] for entry in facts["addresses"])


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("192.0.2.1", True),
        ("10.0.0.1", True),
        ("127.0.0.1", False),
        ("169.254.1.1", False),
        ("224.0.0.1", False),
        ("239.1.1.1", False),
        ("240.0.0.1", True),
        ("0.0.0.0", False),
        ("2001:db8::1", True),
        ("fd00::1", True),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("febf::1", False),
        ("fec0::1", True),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
    ],
)
def test_addresses_that_are_included(text, want):
    assert is_global(packed(text)) is want
    assert packed(address_text(packed(text))) == packed(text)


@pytest.mark.parametrize("size", range(0, len(LINKS), 7))
def test_a_truncated_reply_is_read_up_to_its_end(size):
    ends = [len(b"".join(LINK_MESSAGES[: count + 1])) for count in range(len(LINK_MESSAGES))]
    assert len(parse_links(LINKS[:size])) == sum(end <= size for end in ends)


def test_invalid_bytes_are_not_a_message():
    assert list(messages(bytes(64))) == []
    assert parse_links(message(NEW_LINK, b"short")) == []
    assert parse_addresses(message(NEW_ADDRESS, b"short")) == []
    assert parse_addresses(message(NEW_ADDRESS, struct.pack("=BBBBI", 2, 24, 0, 0, 1) + attribute(2, b"xx"))) == []


def test_a_kernel_without_netlink(monkeypatch):
    def raise_error(*arguments):
        raise OSError(97, "Address family not supported by protocol")

    monkeypatch.setattr(network._socket, "socket", raise_error)
    assert network_facts() == {"addresses": [], "default_ipv4": "", "default_ipv6": "", "interfaces": []}
